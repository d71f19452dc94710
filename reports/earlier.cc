#include "reports/earlier.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "reports/decision_text.h"
#include "reports/table.h"

namespace huygens::reports {

namespace {

using admin_api::DecisionDocument;

constexpr size_t kMostEarlier = 10;  // lines

struct Run {
  const DecisionDocument* newest;
  const DecisionDocument* oldest;
  std::string summary;
  size_t times = 1;
};

}  // namespace

std::string EarlierText(std::span<const DecisionDocument* const> decisions) {
  std::vector<Run> runs;
  for (const DecisionDocument* decision : decisions) {
    std::string summary = SummaryText(*decision);
    // The one that came after it, of the same verb: kube-scheduler asks by turns.
    const auto later = std::ranges::find(runs.rbegin(), runs.rend(), decision->verb,
                                         [](const Run& run) { return std::string_view(run.newest->verb); });
    if (later != runs.rend() && later->newest->outcome == decision->outcome && later->summary == summary) {
      later->oldest = decision;
      ++later->times;
    } else {
      runs.push_back({.newest = decision, .oldest = decision, .summary = std::move(summary)});
    }
  }
  Table table({"EARLIER", "VERB", "OUTCOME", "DETAIL"});
  for (const Run& run : std::span(runs).first(std::min(runs.size(), kMostEarlier))) {
    const std::string before =
        run.times == 1 ? std::string()
                       : Concat("; ", std::to_string(run.times), " times since ", FormatRfc3339(run.oldest->time));
    table.AddRow({FormatRfc3339(run.newest->time), run.newest->verb, run.newest->outcome, run.summary + before});
  }
  return table.Text();
}

}  // namespace huygens::reports
