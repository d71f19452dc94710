// The machine as kubelet sees it: what its cAdvisor makes of the same files as machine/, by other rules. Kubelet's CPU,
// memory and topology manager know nothing else, so whoever predicts them has to go by this; whoever pins containers
// goes by the kernel's view. Where the two differ:
//  - a core is what has the same core_id and physical_package_id within one node, whatever the kernel says of siblings;
//  - the CPUs of a node are its links cpuN, not its list; one without a core_id, or whose link leads nowhere, is unknown;
//  - without folders of nodes there is a node per package, without memory;
//  - a file that cannot be understood leaves kubelet without any zone.
// Only the caches that kubelet finds are not read. Source: google/cadvisor v0.56.2 (kubelet 1.36), utils/sysinfo and
// utils/sysfs. Blocking; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "machine/system_files.h"

namespace huygens::kubelet_api {

struct KubeletCore {
  int64_t id = 0;
  int64_t package = 0;
  std::vector<int64_t> cpus;  // in kubelet's order: by the text of their numbers, 10 before 9
  std::string book, drawer;   // s390x only
  friend bool operator==(const KubeletCore&, const KubeletCore&) = default;
};

struct KubeletHugePages {
  int64_t page_kb = 0, count = 0;
  friend bool operator==(const KubeletHugePages&, const KubeletHugePages&) = default;
};

struct KubeletNode {
  int64_t id = 0;
  int64_t memory_bytes = 0;                       // 0 if unknown
  std::optional<std::vector<KubeletCore>> cores;  // unset where the node has no links to CPUs
  std::vector<KubeletHugePages> huge_pages;       // by the name of the folder
  std::optional<std::vector<int64_t>> distances;
  friend bool operator==(const KubeletNode&, const KubeletNode&) = default;
};

struct KubeletMachine {
  int64_t logical_cpus = 0;
  std::vector<KubeletNode> nodes;  // in kubelet's order, by the text of their numbers; packages by number
  friend bool operator==(const KubeletMachine&, const KubeletMachine&) = default;
};

// What the cAdvisor in a kubelet that was built for s390x reads besides: books and drawers tell cores apart.
enum class KubeletBuild { kOther, kS390x };
KubeletBuild OwnKubeletBuild();

// InvalidArgument where kubelet, too, would not understand a file; the message names it.
StatusOr<KubeletMachine> ReadKubeletMachine(const machine::SystemFiles& files, KubeletBuild build);

}  // namespace huygens::kubelet_api
