// The annotation huygens.dev/overcommit of a pod whose requests were lowered: what was asked for, what came of it, the
// limit and who decided, of each container and resource, and by what autoscaling is to measure. Whoever copies a pod
// copies it, too, and anybody may write one, so that none of it is believed unless it agrees with the pod. Pure; any
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "recommend/decision.h"

namespace huygens::overcommit {

inline constexpr std::string_view kRecordAnnotation = "huygens.dev/overcommit";

// Milli-CPU or bytes.
struct RecordedAmount {
  int64_t original = 0;
  int64_t applied = 0;
  std::optional<int64_t> limit;  // nothing: there was none
  recommend::Source source = recommend::Source::kNone;
  // What was asked for before a running pod was resized, which may not have come about; nothing: it was not resized.
  std::optional<int64_t> before = std::nullopt;
  friend bool operator==(const RecordedAmount&, const RecordedAmount&) = default;
};
using RecordedAmounts = recommend::PerResource<std::optional<RecordedAmount>>;

struct Record {
  std::string pool;
  // What HPA's percentages are to be a share of: "limit", "original"; empty or another word: requests as they are.
  std::string basis;
  std::vector<std::pair<std::string, RecordedAmounts>> containers;  // by name, sidecars too
  RecordedAmounts pod;                                              // spec.resources of the pod
  friend bool operator==(const Record&, const Record&) = default;
};

//   {"pool":"shared","basis":"limit","containers":{"app":{"cpu":{"original":"4","applied":"1200m","limit":"4","source":"static"}}}}
// What is not known of it is passed over; an amount that is negative, or applied above its original, counts as absent.
StatusOr<Record> ParseRecord(std::string_view text);
std::string RecordText(const Record& record);

// Null: nothing is recorded of a container of this name.
const RecordedAmounts* FindContainer(const Record& record, std::string_view name);

// What is recorded of a request that is `request` now, if it still is what was applied, or what a resize found: else
// somebody has written another since, and that is what is asked for. An original above the limit of now is cut to it.
std::optional<recommend::Recorded> StillRecorded(const std::optional<RecordedAmount>& recorded,
                                                 const std::optional<int64_t>& request,
                                                 const std::optional<int64_t>& limit);

}  // namespace huygens::overcommit
