// /debug/pods/NAMESPACE/NAME: what every node would say of one pod now, with figures, or why the pod has no zones; node
// by node, so that requests of kube-scheduler go between.
//   {"pod","uid","node"?,"reservation"?:"reserved"|"assumed"|"held","since"?,"noZones"?:"one cause",
//    "notUnderstood"?:[text],
//    "nodes":[{"name","reason","cause","why"?,"figures"?:{"needs":{..},"oneZone":true|false,"container"?,"zone"?,
//    "free":{..},"of":{..}},"lossLeftSeconds"?,"lossGraceSeconds"?,"neverFits"?:true}]}
// Nodes that would take the pod are left out, as are all where it is placed. `reason` is as in /debug/decisions,
// `cause` the label of the metrics. Decision thread only.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "admin/recent_pods.h"
#include "placement/placement.h"

namespace huygens::admin {

class PodPage {
 public:
  explicit PodPage(std::shared_ptr<const cluster::Pod> pod) : pod_(std::move(pod)) {}

  // Appends some of the page; whether there is more.
  bool Step(placement::Placement& placement, const RecentPods& pods, const ResourceNames& resources, Time now,
            std::string& out);

 private:
  void AppendHead(const placement::Placement& placement, const RecentPods& pods, std::string& out);

  std::shared_ptr<const cluster::Pod> pod_;
  cluster::NodeIndex next_ = 0;
  bool placed_ = false;
  bool first_ = true;
};

}  // namespace huygens::admin
