#include "policy/usage_check.h"

namespace huygens::policy {

namespace {

Reason ReasonOf(usage::Verdict verdict) {
  switch (verdict) {
    case usage::Verdict::kFits:
      break;
    case usage::Verdict::kOverCeiling:
      return Reason::kUsageCeiling;
    case usage::Verdict::kNeverFits:
      return Reason::kUsageCeilingTooLow;
    case usage::Verdict::kUnknown:
      return Reason::kUsageUnknown;
  }
  return Reason::kFits;
}

}  // namespace

void UsageCheck::Run(const PodQuery& pod, const cluster::State&, Candidates& nodes) const {
  if (pod.usage.resources.empty() || pod.pod.owned_by_daemon_set || pod.pod.Bound()) return;
  const usage::Account::Question question(usage_, pod.usage, pod.now,
                                          usage_.SteppingAside(pod.now) | usage_.ShortHistory());
  const auto open_from = [&](size_t from) {
    return question.FirstOpen(nodes.nodes(), from, [&](size_t i) { return nodes.Rejected(i); });
  };
  for (size_t i = open_from(0); i < nodes.size(); i = open_from(i + 1)) {
    const Reason reason = ReasonOf(question.JudgeOpen(nodes.node(i)));
    if (reason != Reason::kFits) nodes.Reject(i, reason);
  }
}

}  // namespace huygens::policy
