// Which pods of a node have to go so that another one fits: the choice of victims. Pure; any thread.
//
// The order of preference is kube-scheduler's for nodes (pkg/scheduler/framework/preemption, pickOneNodeForPreemption),
// here among the sets of victims of one node: 1. the lowest highest priority, 2. the lowest sum of priorities, each
// taken from the lowest there is, so that of equal priorities fewer is better, 3. the fewest pods, 4. the set that
// spares the more important pod where two sets differ: of higher priority, running for longer, of lower UID. A pod that
// is leaving anyway costs nothing in 1 and 2.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "base/time.h"

namespace huygens::policy {

struct PossibleVictim {
  int32_t priority = 0;
  Time since = Time::max();  // when it started; not yet = max
  std::string_view uid;
  bool leaving = false;  // being deleted
  bool must = false;     // part of every set
};

// Kubernetes' MoreImportantPod, with the UID as the last word.
bool MoreImportant(const PossibleVictim& a, const PossibleVictim& b);

// By position: who has gone.
using Gone = std::vector<bool>;

// Positions of the victims, the most important first; nothing if it would not help if all went. `fits` says whether the
// pod fits without those who have gone, and is expected to hold on to a yes when more go. It is asked once per pod for
// a set from which nobody can be spared, and up to `more_questions` times for the best one: the answer is the best
// there is where these suffice, as they do for a dozen pods.
std::optional<std::vector<size_t>> ChooseVictims(std::span<const PossibleVictim> pods,
                                                 absl::FunctionRef<bool(const Gone&)> fits, size_t more_questions);

}  // namespace huygens::policy
