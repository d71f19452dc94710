// What /debug/nodes of a running huygens says, as far as a stand-in for kube-scheduler needs it. Any thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/resource.h"
#include "base/status.h"

namespace huygens::cli {

struct NodeView {
  std::string name;
  bool known = false;  // there is a Node object
  ResourceVector allocatable;
  ResourceVector requested;  // by the pods on it, pod slots included
  int64_t pods = 0;          // on it
};
StatusOr<std::vector<NodeView>> DecodeNodes(std::string_view json, ResourceNames& names);

// What a pod holds of a zone, for people: amounts are (resource, quantity).
struct ZoneView {
  std::string name;
  std::vector<std::pair<std::string, std::string>> amounts;
};
// "node0: 8 cpu, node1: 2 cpu"
std::string ToText(const std::vector<ZoneView>& zones);

}  // namespace huygens::cli
