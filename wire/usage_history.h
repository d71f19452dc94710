// `kind: UsageHistory` (huygens.dev/v1alpha1): measured use in a manifest, where neither Prometheus nor a metrics API
// is there to measure it. Each series is what one workload (usage/workload.h: highest of its replicas) or one node
// (beyond its pods) used of one resource, in one of two forms:
//
//   spec:
//     series:
//     - workload: default/Deployment/web
//       resource: cpu                                   # as usage.resources[].name has it
//       weekly:                                         # for ever: in UTC, each step until the next one
//       - {from: "00:00", use: 500m}                    # every day
//       - {from: "Mon-Fri 09:00", use: "6"}             # of two steps for one time the later in the list counts
//       - {from: "Mon 18:00", use: "1"}
//     - node: worker-1
//       resource: memory
//       start: "2026-11-20T00:00:00Z"                   # once: one value per slot from here on
//       values: [2Gi, 3Gi, null, 2Gi]                   # null: not measured
//
// Safe on any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quantity.h"
#include "base/status.h"
#include "base/time.h"

namespace huygens::wire {

inline constexpr int kMinutesPerWeek = 7 * 24 * 60;

struct UsageSeries {
  std::string workload;  // one of both is empty
  std::string node;
  std::string resource;
  // Minute of the week, Monday 00:00 being 0, and the use from then on; ascending, no time twice. Empty: `values`.
  std::vector<std::pair<int, Quantity>> weekly;
  Time start;
  std::vector<std::optional<Quantity>> values;
};

struct UsageHistory {
  std::string name;
  std::vector<UsageSeries> series;
};

// Fails, naming the place, on negative amounts, on unknown fields of spec or a series, and where a form is not whole: a
// typo must not read as a node that idles.
StatusOr<UsageHistory> DecodeUsageHistory(std::string_view json);

}  // namespace huygens::wire
