// /debug/quotas/pods/NAMESPACE/NAME, what a pod costs its group:
//   {"pod":"default/web-0","enforcement":"placement","group":"ranking","path":"org/search/ranking",
//    "models":{"cpu"?:"A4","gpu"?,"memory"?},"modelNodes"?:3,"otherModels"?:"the pod's label ... wants A4, the label
//    ...",
//    "node"?:"numa-2","nodeModels"?:{"cpu"?:"A4","gpu"?,"memory"?},"relabelled"?:true,"since"?:"2026-11-21T12:00:00Z",
//    "verdict":"refused","why"?:"quota bizrq/ranking: ...","nearestGroup"?:"ranking",
//    "refusedByModel"?:"quota bizrq/ranking: ...",
//    "keys":[{"key":"limits.cpu.A4","cost":"2","used"?:"4","children"?:"1","hard"?:"4","lacks"?:true,"ofNode"?:true}],
//    "usedBy"?:[{"group":"ranking","key":"limits.cpu.A4","pods":[{"name":"shop/a","amount":"3"}],"morePods"?:7,
//                "children":[{"name":"x","amount":"1"}],"moreChildren"?:1}]}
// `verdict`: "charged" (it holds capacity on `node`, `since` kubelet saw it or it was reserved), "fits", "refused", and
// "ended", "noGroup" or "off" (nothing is enforced), which have no keys. The cost of a cash key is what it takes an
// hour. `modelNodes`: how many nodes are of the models that the pod names, if it names any and still wants a node;
// `otherModels`: if none, what nodes say instead. `nodeModels`: models that it is charged to because the node is of
// them. `relabelled`: its labels do not say any more what it was bound with, which is what counts. `nearestGroup`: what
// was probably meant where there is no such group. `refusedByModel`: why nodes of some models are not for it, where
// others are; where all are refused that is `why`. `children`: what of `used` was handed to children, if anything.
// `ofNode`: it would be charged to this key on nodes of that model only. `usedBy`: of each key that refuses it the
// largest pods and children, from the largest down, and how many there are besides; of a cash key what pods take an
// hour, and the hours that children hold. A pod that comes or goes meanwhile may or may not be named.
//
// Decision thread only, in steps, so that requests of kube-scheduler go between.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "placement/placement.h"
#include "quota/holders.h"

namespace huygens::admin {

class PodQuotaPage {
 public:
  explicit PodQuotaPage(std::shared_ptr<const cluster::Pod> pod) : pod_(std::move(pod)) {}

  // Appends some of the page; whether there is more.
  bool Step(const placement::Placement& placement, std::string& out);

 private:
  void AppendHead(const placement::Placement& placement, std::string& out);

  std::shared_ptr<const cluster::Pod> pod_;
  bool begun_ = false;
  quota::Holders holders_;
  cluster::NodeIndex next_ = 0;
};

}  // namespace huygens::admin
