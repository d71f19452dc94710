// The zones of a node and who holds them, as /debug/nodes/NAME of a running huygens tells it (admin/debug_json.h has
// the format; what it says of use is in cli/usage_view.h). Any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "cli/cluster_view.h"

namespace huygens::cli {

struct NodeZonesView {
  using Amounts = std::vector<std::pair<std::string, std::string>>;  // (resource, quantity)
  struct Zone {
    std::string name;
    bool absent = false;      // the object names it no more, pods hold of it
    bool stale = false;       // its real capacity is out of date
    std::string offline_cpu;  // its real capacity; empty: nobody says
    Amounts allocatable, effective, available, used, free;
    std::optional<int64_t> cores, whole_cores;
  };
  struct Pod {
    std::string pod, uid;
    std::string reservation;  // "reserved", "assumed", "held" for a gang; empty: bound
    std::string counted;      // where kubelet pins: "published", "observed", "predicted", "everyZone"
    std::vector<ZoneView> zones;
  };

  std::string name;
  bool known = false;
  std::string mode;  // "managed", "kubelet", "unusable", "none"
  bool single_numa = false;
  bool lost_topology = false;
  std::optional<int64_t> loss_left_seconds,
      loss_grace_seconds;  // how much longer it is waited for, and how long at all
  std::string defect;
  std::vector<std::string> notices;  // values that count as absent since nobody understands them
  std::vector<Zone> zones;
  std::vector<Pod> pods;
};

StatusOr<NodeZonesView> DecodeNodeZones(std::string_view json);

}  // namespace huygens::cli
