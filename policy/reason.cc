#include "policy/reason.h"

namespace huygens::policy {

std::string_view Text(Reason reason) {
  switch (reason) {
    case Reason::kFits:
      return "";
    case Reason::kUnknownNode:
      return "node(s) not known to huygens yet";
    case Reason::kNoTopology:
      return "node(s) failed to get NRT";
    case Reason::kUnusableTopology:
      return "node(s) had an unusable NRT";
    case Reason::kStaleRealCapacity:
      return "node(s) had stale real capacity of NUMA node";
    case Reason::kInsufficientZones:
    case Reason::kZonesTooSmall:
      return "node(s) had insufficient resource of NUMA node";
  }
  return "";
}

std::string_view Label(Reason reason) {
  switch (reason) {
    case Reason::kFits:
      return "fits";
    case Reason::kUnknownNode:
      return "unknown_node";
    case Reason::kNoTopology:
      return "no_topology";
    case Reason::kUnusableTopology:
      return "unusable_topology";
    case Reason::kStaleRealCapacity:
      return "stale_real_capacity";
    case Reason::kInsufficientZones:
      return "insufficient_zones";
    case Reason::kZonesTooSmall:
      return "zones_too_small";
  }
  return "";
}

bool CurableByVictims(Reason reason) { return reason == Reason::kInsufficientZones; }

}  // namespace huygens::policy
