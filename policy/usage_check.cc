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
  const usage::ResourceMask aside = usage_.SteppingAside(pod.now), known_too_little_of = usage_.ShortHistory() & ~aside;
  const usage::ResourceMask left_out = aside | known_too_little_of;
  if (left_out.count() < pod.usage.resources.size()) Ask(pod, left_out, nodes);
  if (known_too_little_of.none()) return;
  nodes.OnlyReport();
  Ask(pod, aside, nodes);
}

void UsageCheck::Ask(const PodQuery& pod, usage::ResourceMask left_out, Candidates& nodes) const {
  const usage::Account::Question question(usage_, pod.usage, pod.now, left_out);
  const auto open_from = [&](size_t from) {
    return question.FirstOpen(nodes.nodes(), from, [&](size_t i) { return nodes.Rejected(i); });
  };
  for (size_t i = open_from(0); i < nodes.size(); i = open_from(i + 1)) {
    const Reason reason = ReasonOf(question.JudgeOpen(nodes.node(i)));
    if (reason != Reason::kFits) nodes.Reject(i, reason);
  }
}

}  // namespace huygens::policy
