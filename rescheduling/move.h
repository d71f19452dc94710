// A pod that should leave its node, where to, and why: what the planner hands to whoever carries moves out. Names
// instead of indexes, since a move may wait for hours and survive a restart.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "cluster/objects.h"

namespace huygens::rescheduling {

// Why a pod no longer stands where it would be placed today.
enum class Cause : uint8_t {
  kCeiling,    // its node is above a ceiling at some time of the week
  kZones,      // the zones of its node hold more than they give, or it is spread over more zones than it need be
  kModel,      // its node is of another model than its quota labels name
  kRule,       // somebody else says so: a violation that was handed in
  kEmergency,  // its node is above the high water mark right now
};
inline constexpr Cause kCauses[] = {Cause::kCeiling, Cause::kZones, Cause::kModel, Cause::kRule, Cause::kEmergency};

// One word, for labels and objects: "ceiling".
std::string_view Name(Cause cause);

struct PodKey {
  std::string namespace_name, name, uid;
  std::string Text() const { return namespace_name + "/" + name; }
  friend bool operator==(const PodKey&, const PodKey&) = default;
};

// The owner reference with controller: true. Kind and name as in the pod.
struct Owner {
  std::string kind, name;
  friend bool operator==(const Owner&, const Owner&) = default;
};

struct Move {
  uint64_t number = 0;  // of this planner, ascending; 0: none
  PodKey pod;
  Owner owner;
  std::string workload;  // WorkloadKey
  std::string group;     // business group that pays for it; empty: none
  std::string source, target;
  Cause cause = Cause::kCeiling;
  std::string clears;  // for people: "cpu of node-7 above its ceiling in 41 of 672 slots of the week"
};

// "NAMESPACE/KIND/NAME" of what has replicas: of a pod of a ReplicaSet its Deployment, if the name tells; of a
// StatefulSet the set, whatever the ordinal; of a bare pod the pod.
std::string WorkloadKey(const cluster::Pod& pod);

// What holds the room on the target until the replacement is bound: a pod that asks for what the victim asks for, but
// has the UID "move-UID", no node, and no group, since victim and replacement are there together for a while and the
// group has to pay for one. The planner asks the checks about this pod, too.
inline constexpr std::string_view kStandInPrefix = "move-";
std::shared_ptr<const cluster::Pod> StandIn(const cluster::Pod& victim);

}  // namespace huygens::rescheduling
