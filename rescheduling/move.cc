#include "rescheduling/move.h"

#include "usage/workload.h"

namespace huygens::rescheduling {

std::string_view Name(Cause cause) {
  switch (cause) {
    case Cause::kCeiling:
      return "ceiling";
    case Cause::kZones:
      return "zones";
    case Cause::kModel:
      return "model";
    case Cause::kRule:
      return "rule";
    case Cause::kEmergency:
      break;
  }
  return "emergency";
}

std::string WorkloadKey(const cluster::Pod& pod) {
  if (pod.owner_kind == "StatefulSet") return Concat(pod.namespace_name, "/StatefulSet/", pod.owner_name);
  return usage::WorkloadOf(pod.namespace_name, pod.name, pod.owner_kind, pod.owner_name, "");
}

std::shared_ptr<const cluster::Pod> StandIn(const cluster::Pod& victim) {
  auto pod = std::make_shared<cluster::Pod>(victim);
  pod->uid = Concat(kStandInPrefix, victim.uid);  // its name stays: the history of a StatefulSet's pod goes by that
  pod->node_name.clear();
  pod->nominated_node.clear();
  pod->phase = cluster::PodPhase::kPending;
  pod->deleting = false;
  pod->start_time.reset();
  pod->has_topology_result = false;
  pod->topology_result.clear();
  pod->placement_mark = {};
  pod->observed_mark = {};
  pod->quota = nullptr;
  return pod;
}

}  // namespace huygens::rescheduling
