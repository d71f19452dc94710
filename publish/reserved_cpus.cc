#include "publish/reserved_cpus.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "kubelet/cpu_assignment.h"
#include "kubelet/options.h"
#include "publish/kubelet_cpus.h"

namespace huygens::publish {
namespace {

// More than any prediction may take: this is asked once for each start of a kubelet.
constexpr int kSteps = 100'000;

int CountOf(const kubelet_api::RunningConfiguration& kubelet, size_t cpus) {
  const int64_t milli = kubelet_api::ReservedOf(kubelet, "cpu").MilliValue();
  return static_cast<int>(std::min<int64_t>(milli / 1000 + (milli % 1000 == 0 ? 0 : 1), static_cast<int64_t>(cpus)));
}

}  // namespace

machine::Ids KubeletReservedCpus(const kubelet_api::KubeletMachine& machine,
                                 const kubelet_api::RunningConfiguration& kubelet) {
  const std::map<int, KubeletCpu> cpus = KubeletCpus(machine);
  machine::Ids all;
  for (const auto& [id, cpu] : cpus) all.push_back(id);
  if (kubelet.reserved_cpus) return machine::Both(*kubelet.reserved_cpus, all);
  const int count = CountOf(kubelet, cpus.size());
  if (count == 0) return {};
  std::map<int, size_t> positions;  // of zones that have CPUs
  for (const auto& [id, cpu] : cpus) positions.emplace(cpu.zone, 0);
  size_t next = 0;
  for (auto& [zone, position] : positions) position = next++;
  if (next > 64) return machine::Ids(all.begin(), all.begin() + count);
  std::vector<topology::LogicalCpu> layout_cpus;
  layout_cpus.reserve(cpus.size());
  for (const auto& [id, cpu] : cpus) {
    layout_cpus.push_back(
        {.id = id, .core = cpu.core, .zone = positions[cpu.zone], .socket = static_cast<int>(cpu.package)});
  }
  const auto layout = topology::CpuLayout::Make(std::move(layout_cpus), {});
  topology::CpuSet available;
  for (size_t i = 0; i < layout->cpus().size(); ++i) available.Add(i);
  kubelet::Options options;
  options.distribute_across_zones = Has(kubelet.cpu_manager_options, "distribute-cpus-across-numa");
  options.distribute_across_cores = Has(kubelet.cpu_manager_options, "distribute-cpus-across-cores");
  options.align_by_uncore_cache = Has(kubelet.cpu_manager_options, "prefer-align-cpus-by-uncorecache");
  options.full_cores_only = Has(kubelet.cpu_manager_options, "full-pcpus-only");
  int steps = kSteps;
  const std::optional<topology::CpuSet> taken =
      options.distribute_across_zones ? kubelet::TakeDistributed(*layout, available, count, options, steps)
                                      : kubelet::TakePacked(*layout, available, count, options);
  machine::Ids reserved;
  if (taken) taken->ForEach([&](size_t cpu) { reserved.push_back(layout->cpus()[cpu].id); });
  return reserved;
}

machine::Ids ManagedReservedCpus(const machine::Machine& machine, const kubelet_api::RunningConfiguration& kubelet) {
  if (kubelet.reserved_cpus) return machine::Both(*kubelet.reserved_cpus, machine.online);
  const auto count = static_cast<size_t>(CountOf(kubelet, machine.online.size()));
  machine::Ids reserved;
  for (const machine::Zone& zone : machine.zones) {
    for (const machine::Core& core : machine.cores) {
      for (const int cpu : machine::Both(core.cpus, zone.cpus)) {
        if (reserved.size() < count) reserved.push_back(cpu);
      }
    }
  }
  std::sort(reserved.begin(), reserved.end());
  return reserved;
}

}  // namespace huygens::publish
