#include "policy/usage_check.h"

#include "policy/pod_usage.h"
#include "policy/registry.h"

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

void UsageCheck::Run(const PodQuery& pod, const cluster::Prepared*, const cluster::State&, Candidates& nodes) const {
  if (pod.pod.owned_by_daemon_set || pod.pod.Bound()) return;
  const PodUsage& adds = UsageOf(pod, usage_);
  const usage::ResourceMask aside = usage_.SteppingAside(pod.now), known_too_little_of = usage_.ShortHistory() & ~aside;
  const usage::ResourceMask left_out = aside | known_too_little_of;
  if (left_out.count() < adds.demand.resources.size()) Judge(adds, pod.now, left_out, nodes);
  if (known_too_little_of.none()) return;
  nodes.OnlyReport();
  Judge(adds, pod.now, aside, nodes);
}

void UsageCheck::Judge(const PodUsage& adds, Time now, usage::ResourceMask left_out, Candidates& nodes) const {
  const usage::Account::CeilingQuery query(usage_, adds.demand, adds.known, now, left_out);
  const auto open_from = [&](size_t from) {
    return query.NextUndecided(nodes.nodes(), from, [&](size_t i) { return nodes.Rejected(i); });
  };
  for (size_t i = open_from(0); i < nodes.size(); i = open_from(i + 1)) {
    const Reason reason = ReasonOf(query.Evaluate(nodes.node(i)));
    if (reason != Reason::kFits) nodes.Reject(i, reason);
  }
}

CheckEntry UsageEntry() {
  return {
      .name = "usage",
      .needs = {.usage = true, .ceilings = true},
      .make = [](const Sources& from) -> std::unique_ptr<Check> { return std::make_unique<UsageCheck>(*from.usage); }};
}

}  // namespace huygens::policy
