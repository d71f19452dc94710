#include "reports/pod_faults.h"

#include <algorithm>

namespace huygens::reports {

namespace {

using policy::Reason;

// The key that was meant: "annotation KEY: ...", or "label KEY: nobody reads it; did you mean MEANT?".
std::string_view KeyOf(std::string_view fault) {
  constexpr std::string_view kMeant = "did you mean ";
  if (const size_t meant = fault.find(kMeant); meant != std::string_view::npos) {
    fault.remove_prefix(meant + kMeant.size());
    return fault.substr(0, fault.find('?'));
  }
  fault.remove_prefix(std::min(fault.find(' ') + 1, fault.size()));
  return fault.substr(0, fault.find(':'));
}

// Of nodes whose zones huygens chooses, or that have no topology object.
bool IsOfManagedZones(Reason reason) {
  switch (reason) {
    case Reason::kNoTopology:
    case Reason::kLostTopology:
    case Reason::kUnusableTopology:
    case Reason::kStaleRealCapacity:
    case Reason::kInsufficientCores:
    case Reason::kTooFewCores:
    case Reason::kUnknownCores:
    case Reason::kInsufficientZones:
    case Reason::kZonesTooSmall:
      return true;
    default:
      return false;
  }
}

bool IsOfOneZone(Reason reason) {
  return reason == Reason::kInsufficientZones || reason == Reason::kZonesTooSmall ||
         reason == Reason::kInsufficientCores || reason == Reason::kTooFewCores || reason == Reason::kStaleRealCapacity;
}

}  // namespace

bool MayCause(std::string_view fault, Reason reason, const admin_api::PodDocument::Node* now) {
  const std::string_view key = KeyOf(fault);
  if (key.starts_with("biz.group.")) return policy::Label(reason).starts_with("quota");
  if (key.ends_with("/topology-awareness")) {  // without it the node decides, and may want one zone
    return IsOfOneZone(reason) && (now == nullptr || !now->figures || now->figures->one_zone);
  }
  if (key.ends_with("/cpu-policy")) return IsOfManagedZones(reason);  // with none it would ask for no zones
  return false;  // of huygens.dev/smt, and of what huygens writes itself
}

bool AnyMayCause(const admin_api::PodDocument& pod, Reason reason, const admin_api::PodDocument::Node* now) {
  return std::ranges::any_of(pod.not_understood,
                             [&](const std::string& fault) { return MayCause(fault, reason, now); });
}

}  // namespace huygens::reports
