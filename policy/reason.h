// Why a node cannot take a pod: a closed list. Texts are fixed and carry no numbers, since kube-scheduler groups equal
// texts; where crane-scheduler prints a text for the same cause, that text is used.
#pragma once

#include <cstdint>
#include <string_view>

namespace huygens::policy {

enum class Reason : uint8_t {
  kFits,               // not rejected
  kUnknownNode,        // a name that the watch has not shown (yet)
  kNoTopology,         // no topology object where the pod or the operator demands one
  kUnusableTopology,   // a topology object that cannot be used (too many zones, say)
  kStaleRealCapacity,  // would fit, were the real capacity of its zones known
  kInsufficientZones,  // zones are large enough but taken
  kZonesTooSmall,      // would not fit if the zones were empty
};
inline constexpr Reason kReasons[] = {Reason::kFits,
                                      Reason::kUnknownNode,
                                      Reason::kNoTopology,
                                      Reason::kUnusableTopology,
                                      Reason::kStaleRealCapacity,
                                      Reason::kInsufficientZones,
                                      Reason::kZonesTooSmall};

// What kube-scheduler shows, e.g. "node(s) had insufficient resource of NUMA node"; empty for kFits. Two reasons may
// share a text.
std::string_view Text(Reason reason);
// One word for a metric label, e.g. "insufficient_zones"; unique.
std::string_view Label(Reason reason);
// Whether taking pods off the node could help: FailedNodes if so, else FailedAndUnresolvableNodes.
bool CurableByVictims(Reason reason);

}  // namespace huygens::policy
