// What the trace's instances ask for, which kube-scheduler keeps to on each machine whatever they use: as their owners
// would write it, or lowered to what is recommended. Pure; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "replay/trace.h"

namespace huygens::replay {

enum class Requests : uint8_t {
  kNone,         // nothing: use alone decides
  kWritten,      // of CPU and memory the highest use, rounded up to 2^n cores and GB; of others what is used
  kRecommended,  // of CPU and memory what is recommended after a week of the trace's day, with the default profile
};

using Asked = std::array<double, kTraceResources.size()>;  // in the trace's units

// By application.
std::vector<Asked> RequestsOf(const Trace& trace, Requests requests);

}  // namespace huygens::replay
