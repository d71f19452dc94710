// Pods that are never moved, whatever the cause and however much room there is. What the pod says itself comes first:
// "never" and "allow" of the annotation huygens.dev/move. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "base/time.h"

namespace huygens::rescheduling {

inline constexpr std::string_view kMoveAnnotation = "huygens.dev/move";

// Of one pod.
struct NeverFacts {
  std::string_view owner_kind;      // of the controller; empty: none
  bool mirror = false;              // annotation kubernetes.io/config.mirror
  bool system_critical = false;     // priority of 2'000'000'000 or more
  bool local_volume = false;        // hostPath-backed or local PersistentVolume
  std::string_view move;            // annotation huygens.dev/move: "never" or "allow"
  std::string_view safe_to_evict;   // annotation cluster-autoscaler.kubernetes.io/safe-to-evict
  bool prefer_no_eviction = false;  // annotation descheduler.alpha.kubernetes.io/prefer-no-eviction is there
  std::optional<Time> created;      // nothing: unknown, taken as young
  Duration history{};               // how much of its workload's use was measured
};

struct NeverOptions {
  bool allow_jobs = false;  // else a Job moves only if its pods say huygens.dev/move: allow
  Duration youngest = std::chrono::hours(1);
  Duration least_history = std::chrono::hours(24);
};

// A fixed text that finishes "this pod ...", or empty: it may be moved.
std::string_view WhyNever(const NeverFacts& pod, const NeverOptions& options, Time now);

}  // namespace huygens::rescheduling
