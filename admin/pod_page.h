// /debug/pods/NAMESPACE/NAME: what every node would say of one pod now, with figures, or why the pod has no zones
// (admin_api/pod_document.h); node by node, so that requests of kube-scheduler go between. Decision thread only.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "admin/recent_pods.h"
#include "admin_api/pod_document.h"
#include "placement/placement.h"

namespace huygens::admin {

class PodPage {
 public:
  PodPage(std::shared_ptr<const cluster::Pod> pod, std::vector<admin_api::NotHeardOf> not_heard_of)
      : pod_(std::move(pod)), not_heard_of_(std::move(not_heard_of)) {}

  // Appends some of the page; whether there is more.
  bool Step(placement::Placement& placement, const RecentPods& pods, const ResourceNames& resources, Time now,
            std::string& out);

 private:
  // What comes before the nodes.
  std::string Begin(placement::Placement& placement, const RecentPods& pods, const ResourceNames& resources, Time now);

  std::shared_ptr<const cluster::Pod> pod_;
  std::vector<admin_api::NotHeardOf> not_heard_of_;
  cluster::NodeIndex next_ = 0;
  bool placed_ = false;
  bool first_ = true;
  std::vector<std::string> fits_, fits_later_, not_selected_;  // of the document, so far
  std::vector<admin_api::PodDocument::Room> room_;             // likewise
  int64_t too_small_ = 0;                                      // likewise
  ResourceVector gang_needs_, gang_room_;                      // likewise
};

}  // namespace huygens::admin
