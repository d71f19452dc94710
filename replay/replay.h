// Places the trace's instances one after another with huygens' decision core (placement/), as if each were a pod and
// kube-scheduler asked for it: history of use, check "usage", terms and reservations are those that the extender has.
//
// Instances come in an order shuffled by `seed`; nothing that the trace had placed before is there. The largest
// machines come first, else those with the lowest number. The same options give the same assignment, on any computer.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "placement/placement.h"
#include "replay/outcome.h"
#include "replay/requests.h"
#include "replay/trace.h"

namespace huygens::replay {

// What huygens is told of the use of an instance, at each point.
enum class Knowledge : uint8_t {
  kCurves,     // what the trace says
  kAtTrough,   // what it uses when the sum of all instances is lowest: everything was deployed at night
  kMean,       // its mean
  kRequested,  // its highest use, rounded up to 2^n cores and GB: what its owner asks for
};

struct ReplayOptions {
  Knowledge knowledge = Knowledge::kCurves;
  usage::Estimator estimator = usage::Estimator::kPeakOfSum;
  int64_t cpu_ceiling = 800'000;               // millionths; the other resources are filled up to their capacity
  Requests requests = Requests::kNone;         // what kube-scheduler keeps to besides
  bool usage_check = true;                     // false: requests alone decide
  double oversold = 1;                         // a requested core or GB counts as 1 / oversold
  bool anti_affinity = false;                  // keep to the rules of which applications disturb each other
  std::vector<placement::WeightedTerm> terms;  // none: the first machine that fits, else the best
  size_t machines = 6000;                      // the cluster has so many of them ...
  bool grow = false;  // ... or starts with none and gets the next when an instance fits nowhere
  uint64_t seed = 52;
};

// Fails if huygens refuses the options.
StatusOr<Assignment> Replay(const Trace& trace, const ReplayOptions& options);

}  // namespace huygens::replay
