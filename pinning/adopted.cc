#include "pinning/adopted.h"

namespace huygens::pinning {

void AdoptRunning(const NodeCpus& node, const std::vector<LivePod>& pods,
                  const std::map<std::string, CpuSet, std::less<>>& running, PodSets& before) {
  CpuSet taken;
  for (const LivePod& pod : pods) {
    if (const auto at = before.find(pod.uid); at != before.end()) taken |= at->second.own | at->second.idle;
  }
  for (const LivePod& pod : pods) {
    const bool owns = pod.ask.pool == Pool::kExclusive || pod.ask.pool == Pool::kImmovable;
    if (!owns || before.contains(pod.uid)) continue;
    CpuSet zones;
    for (const ZoneShare& share : pod.ask.zones) {
      if (const ZoneCpus* zone = node.Zone(share.zone)) zones |= zone->shared;
    }
    ContainerSets sets;
    for (const LiveContainer& each : pod.containers) {
      const auto at = running.find(each.id);
      if (each.cpus == 0 || at == running.end() || at->second.Count() != each.cpus) continue;
      if (!Within(at->second, zones) || Meet(at->second, taken)) continue;
      taken |= at->second;
      sets[each.name] = at->second;
    }
    if (!sets.empty()) before[pod.uid] = Had(std::move(sets));
  }
}

}  // namespace huygens::pinning
