// What the HPA controller must be told that pods use, so that its own arithmetic on lowered requests comes to the
// replica count, and shows the percentage, that it would come to on another basis. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "recommend/replica_calculator.h"

namespace huygens::recommend {

struct FrontAnswer {
  // By pod, in thousandths, of all containers or of the one that is asked about; nothing: as it was measured.
  std::vector<std::optional<int64_t>> usage;
  // The count follows from this answer. False where no use would give it, which is very rare; it is the nearest then.
  bool exact = false;
  ScaleAnswer native, wanted;  // from what was measured on requests, and on the basis
};

// Fails where either cannot be computed, as the HPA controller would: then the measured use is passed on as it is.
StatusOr<FrontAnswer> AnswerFor(const ScaleQuestion& question, Basis basis);

// `total` over parts in proportion to their weights, which must not be negative; evenly if all are 0. The sum is exact.
std::vector<int64_t> Spread(int64_t total, std::span<const int64_t> weights);

}  // namespace huygens::recommend
