// /debug/quotas/pods/NAMESPACE/NAME, what a pod costs its group (admin_api/quota_document.h). Decision thread only, in
// steps, so that requests of kube-scheduler go between.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "admin_api/quota_document.h"
#include "placement/placement.h"
#include "quota/holders.h"

namespace huygens::admin {

class PodQuotaPage {
 public:
  PodQuotaPage(std::shared_ptr<const cluster::Pod> pod, std::vector<admin_api::NotHeardOf> not_heard_of = {})
      : pod_(std::move(pod)) {
    said_.not_heard_of = std::move(not_heard_of);
  }

  // Works on the page and says whether there is more to do; the last step appends it.
  bool Step(const placement::Placement& placement, std::string& out);

 private:
  void Begin(const placement::Placement& placement);

  std::shared_ptr<const cluster::Pod> pod_;
  bool begun_ = false;
  admin_api::PodQuotaDocument said_;
  quota::Holders holders_;
  cluster::NodeIndex next_ = 0;
};

}  // namespace huygens::admin
