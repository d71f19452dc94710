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
  const usage::ResourceMask aside = usage_.SteppingAside(pod.now);
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes.Rejected(i)) continue;
    const Reason reason = ReasonOf(usage_.Judge(nodes.node(i), pod.usage, pod.now, aside));
    if (reason != Reason::kFits) nodes.Reject(i, reason);
  }
}

}  // namespace huygens::policy
