#include "kubelet/machine.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace huygens::kubelet {

namespace {

// One after the other, siblings side by side.
std::vector<LogicalCpu> Numbered(const Machine& machine) {
  const int threads = std::max(machine.options.threads_per_core, 1);
  std::vector<LogicalCpu> cpus;
  int id = 0;
  for (size_t z = 0; z < machine.zones.size(); ++z) {
    const Zone& zone = machine.zones[z];
    const int socket = zone.socket >= 0 ? zone.socket : SocketOfItsOwn(z);
    for (int i = 0; i < zone.cpu_capacity; ++i, ++id) {
      cpus.push_back({.id = id, .core = id - i % threads, .zone = z, .socket = socket});
    }
  }
  return cpus;
}

}  // namespace

int SocketOfItsOwn(size_t zone) { return std::numeric_limits<uint16_t>::max() + static_cast<int>(zone); }

std::shared_ptr<const CpuLayout> AssumedLayout(const Machine& machine, std::vector<LogicalCpu> cpus,
                                               std::vector<int> reserved) {
  if (cpus.empty()) cpus = Numbered(machine);
  auto by_core = [](const LogicalCpu& a, const LogicalCpu& b) {
    return std::tie(a.zone, a.core, a.id) < std::tie(b.zone, b.core, b.id);
  };
  std::sort(cpus.begin(), cpus.end(), by_core);
  if (!reserved.empty()) return CpuLayout::Make(std::move(cpus), reserved);
  for (size_t i = 0, first = 0; i < cpus.size(); ++i) {
    if (cpus[i].zone != cpus[first].zone) first = i;
    const Zone& zone = machine.zones[cpus[i].zone];
    if (static_cast<int>(i - first) < zone.cpu_capacity - zone.cpu_allocatable) reserved.push_back(cpus[i].id);
  }
  return CpuLayout::Make(std::move(cpus), reserved);
}

std::shared_ptr<const CpuLayout> AssumedLayouts::Of(const Machine& machine, std::vector<LogicalCpu> cpus,
                                                    std::vector<int> reserved) {
  std::vector<int> make{machine.options.threads_per_core};
  for (const Zone& zone : machine.zones) {
    make.insert(make.end(), {zone.socket, zone.cpu_capacity, zone.cpu_allocatable});
  }
  for (const LogicalCpu& cpu : cpus) make.insert(make.end(), {cpu.id, cpu.core});
  make.push_back(-1);  // what follows is reserved
  make.insert(make.end(), reserved.begin(), reserved.end());
  std::erase_if(layouts_, [](const auto& each) { return each.second.expired(); });
  std::weak_ptr<const CpuLayout>& known = layouts_[std::move(make)];
  std::shared_ptr<const CpuLayout> layout = known.lock();
  if (!layout) known = layout = AssumedLayout(machine, std::move(cpus), std::move(reserved));
  return layout;
}

}  // namespace huygens::kubelet
