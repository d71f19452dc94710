#include "kubelet_api/kubelet_differences.h"

#include <algorithm>
#include <map>
#include <set>

namespace huygens::kubelet_api {

namespace {

using machine::FormatIdList;
using machine::Ids;

Ids Sorted(const std::vector<int64_t>& cpus) {
  Ids ids(cpus.begin(), cpus.end());
  std::ranges::sort(ids);
  return ids;
}

std::string Named(const Ids& cpus) { return cpus.empty() ? "no CPUs" : Concat("CPUs ", FormatIdList(cpus)); }

}  // namespace

std::vector<std::string> KubeletDifferences(const machine::Machine& machine, const KubeletMachine& kubelet) {
  std::vector<std::string> out;
  std::map<int64_t, Ids> zones;
  std::set<Ids> cores;
  for (const KubeletNode& node : kubelet.nodes) {
    Ids& cpus = zones[node.id];
    for (const KubeletCore& core : node.cores.value_or(std::vector<KubeletCore>())) {
      const Ids own = Sorted(core.cpus);
      cores.insert(own);
      cpus.insert(cpus.end(), own.begin(), own.end());
    }
    std::ranges::sort(cpus);
  }
  for (const machine::Zone& zone : machine.zones) {
    const auto seen = zones.find(zone.id);
    const std::string name = Concat("zone ", std::to_string(zone.id));
    if (seen == zones.end()) {
      out.push_back(Concat(name, " is unknown to it"));
      continue;
    }
    if (seen->second != zone.cpus) {
      out.push_back(Concat(name, " has ", Named(seen->second), " for it, not ", Named(zone.cpus)));
    }
    zones.erase(seen);
  }
  for (const auto& [id, cpus] : zones) {
    out.push_back(Concat("it knows a zone ", std::to_string(id), " with ", Named(cpus)));
  }
  // Of the CPUs that it knows: it was said which it does not.
  std::set<Ids> of_kernel;
  Ids known;
  for (const Ids& core : cores) known.insert(known.end(), core.begin(), core.end());
  std::ranges::sort(known);
  for (const machine::Core& core : machine.cores) {
    Ids cpus = machine::Both(core.cpus, known);
    if (!cpus.empty()) of_kernel.insert(std::move(cpus));
  }
  for (const Ids& core : cores) {
    if (!of_kernel.contains(core)) out.push_back(Concat("CPUs ", FormatIdList(core), " are one core for it"));
  }
  return out;
}

}  // namespace huygens::kubelet_api
