// Kubelet's admission once more, for comparison: every hint listed, every combination of hints merged, every CPU and
// device taken one by one, as kubelet's own code does it. Slow on purpose and written apart from kubelet/*; it
// shares the description of machine and pod with it and nothing else.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cluster/objects.h"
#include "kubelet/machine.h"

namespace huygens::kubelet::test {

struct NaiveContainer {
  std::optional<std::set<int>> affinity;  // positions of zones
  bool preferred = false;
  std::set<int> cpus;                                              // positions in the layout
  std::map<ResourceId, std::pair<int64_t, std::set<int>>> memory;  // bytes, zones
  std::map<ResourceId, std::set<int>> devices;                     // by their number in the machine's groups
};

struct NaiveResult {
  std::string outcome;  // "admitted", or reason, step and number of the container
  std::vector<NaiveContainer> containers;
  // Afterwards.
  std::set<int> free_cpus;
  std::map<ResourceId, std::vector<int64_t>> free_memory;
  std::vector<int> memory_blocks;
  std::vector<std::set<int>> memory_groups;
  std::map<ResourceId, std::set<int>> free_devices;
};

// The machine must have a layout, and devices in groups of one.
NaiveResult NaiveAdmit(const Machine& machine, const cluster::Pod& pod);

}  // namespace huygens::kubelet::test
