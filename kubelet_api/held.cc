#include "kubelet_api/held.h"

#include <algorithm>

namespace huygens::kubelet_api {
namespace {

bool Lives(const std::vector<Pod>& pods, std::string_view uid) {
  const auto found = std::ranges::find(pods, uid, [](const Pod& pod) { return std::string_view(pod.uid); });
  return found != pods.end() && !found->terminal;
}

// In the order of the zones each gives back all that it has given, until the block is whole.
void GiveBack(const MemoryBlock& block, MemoryManagerState& state) {
  int64_t left = block.bytes;
  for (const int id : block.zones) {
    const auto zone = state.zones.find(id);
    if (zone == state.zones.end()) continue;
    if (--zone->second.assignments <= 0) zone->second.group = {id};
    const auto amounts = zone->second.amounts.find(block.resource);
    if (amounts == zone->second.amounts.end()) continue;
    const int64_t given = std::min(left, amounts->second.reserved);
    amounts->second.reserved -= given;
    amounts->second.free += given;
    left -= given;
  }
}

}  // namespace

std::map<std::string, machine::Ids> OwnedCpus(const CpuManagerState& state, const std::vector<Pod>& pods) {
  std::map<std::string, machine::Ids> owned;
  for (const auto& [uid, containers] : state.owned) {
    if (!Lives(pods, uid)) continue;
    machine::Ids all;
    for (const auto& [name, cpus] : containers) all.insert(all.end(), cpus.begin(), cpus.end());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    if (!all.empty()) owned.emplace(uid, std::move(all));
  }
  return owned;
}

MemoryManagerState WithoutEnded(MemoryManagerState state, const std::vector<Pod>& pods) {
  for (auto pod = state.owned.begin(); pod != state.owned.end();) {
    if (Lives(pods, pod->first)) {
      ++pod;
      continue;
    }
    for (const auto& [name, blocks] : pod->second) {
      for (const MemoryBlock& block : blocks) GiveBack(block, state);
    }
    pod = state.owned.erase(pod);
  }
  return state;
}

}  // namespace huygens::kubelet_api
