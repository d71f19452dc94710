// What every node would say of a pod now, as /debug/pods/NAMESPACE/NAME of a running huygens tells it
// (admin/pod_page.h has the format). Any thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace huygens::cli {

struct PodView {
  struct Refusal {
    std::string reason;  // as in DecisionView
    std::string why;     // with figures; may be empty
  };

  std::string pod;
  std::string uid;
  std::string node;         // where it holds capacity
  std::string reservation;  // as in NodeZonesView; empty: it is bound
  std::string since;        // RFC 3339: when kubelet saw it; may be empty
  std::string no_zones;     // the cause; empty: it asks for zones, or has some
  std::string gang;         // spec.schedulingGroup
  int64_t gang_holds = 0;   // pods of it that hold what filter promised them, and are not bound yet
  std::vector<std::string> not_understood;
  std::map<std::string, Refusal> refusals;  // by node
};

StatusOr<PodView> DecodePodView(std::string_view json);

}  // namespace huygens::cli
