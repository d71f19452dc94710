// Nodes with GPUs of which pods may take shares, and pods that ask for them, as in the public trace of the paper below;
// and how much of what is free on a node nobody could use (its fragmentation).
//
// Source: Weng et al., "Beware of Fragmentation: Scheduling GPU-Sharing Workloads with Fragmentation Gradient Descent",
// USENIX ATC 2023; trace and the authors' simulator: github.com/hkust-adsl/kubernetes-scheduler-simulator.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace huygens::openb {

inline constexpr size_t kMostGpus = 8;
inline constexpr int64_t kWholeGpu = 1000;

struct Node {
  std::string name, model;
  int64_t cpu = 0, memory = 0;  // milli-cores and MiB
  size_t gpus = 0;
  int64_t free_cpu = 0, free_memory = 0;
  std::array<int64_t, kMostGpus> free_gpu{};  // thousandths of each

  int64_t FreeGpu() const;
};

struct Pod {
  int64_t cpu = 0, memory = 0;
  size_t gpus = 0;     // 0, 1 or several
  int64_t share = 0;   // thousandths of each of them: kWholeGpu where there are several
  std::string models;  // that will do, separated by '|'; empty: all

  int64_t Gpu() const { return static_cast<int64_t>(gpus) * share; }
};

// Errors name the file and the line. gzip files.
StatusOr<std::vector<Node>> ReadNodes(const std::string& path);
StatusOr<std::vector<Pod>> ReadPods(const std::string& path);

bool Fits(const Node& node, const Pod& pod);
// Takes the room; of a share the GPU `gpu`, where that is given, else the one that has least left that suffices.
void Take(Node& node, const Pod& pod, std::optional<size_t> gpu = std::nullopt);

// What of a workload's pods asks the same, and how much of the workload that is.
struct Kind {
  Pod pod;
  double share = 0;
};
// The most frequent kinds, `most` of them at most; their shares add up to 1.
std::vector<Kind> KindsOf(const std::vector<Pod>& pods, size_t most);

// Thousandths of GPUs that are free on the node and that a pod of this workload could not use, on average.
double Fragmentation(const Node& node, const std::vector<Kind>& kinds);

}  // namespace huygens::openb
