// /debug/quotas/pods/NAMESPACE/NAME, what a pod costs its group (admin/quota_document.h). Decision thread only, in
// steps, so that requests of kube-scheduler go between.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "admin/quota_document.h"
#include "placement/placement.h"
#include "quota/holders.h"

namespace huygens::admin {

class PodQuotaPage {
 public:
  explicit PodQuotaPage(std::shared_ptr<const cluster::Pod> pod) : pod_(std::move(pod)) {}

  // Works on the page and says whether there is more to do; the last step appends it.
  bool Step(const placement::Placement& placement, std::string& out);

 private:
  void Begin(const placement::Placement& placement);

  std::shared_ptr<const cluster::Pod> pod_;
  bool begun_ = false;
  PodQuotaDocument said_;
  quota::Holders holders_;
  cluster::NodeIndex next_ = 0;
};

}  // namespace huygens::admin
