#include "policy/pod_quota.h"

#include <memory>

namespace huygens::policy {

namespace {

// As the watch shows it, where the names of its claims were not all known when it was sent: what kube-scheduler sends
// may be older than what the watch says of claims that are made from templates. Null: the pod at hand is as good.
std::shared_ptr<const cluster::Pod> WithNamedClaims(const cluster::Pod& pod, const cluster::State& state) {
  if (!pod.claims || cluster::AllNamed(*pod.claims)) return nullptr;
  return state.FindPod(pod.uid);
}

bool IsJudged(const cluster::Pod& pod, const cluster::State& state) { return pod.quota && !state.FindPlaced(pod.uid); }

}  // namespace

quota::Verdict GroupVerdict(const cluster::Pod& pod, const quota::Account& groups, const cluster::State& state,
                            const quota::Amounts& others) {
  if (!IsJudged(pod, state)) return {};
  const auto latest = WithNamedClaims(pod, state);
  return groups.Check(latest ? *latest : pod, others);
}

quota::VerdictsByModel GroupVerdictsByModel(const cluster::Pod& pod, const quota::Account& groups,
                                            const cluster::State& state, const quota::Amounts& others) {
  if (!IsJudged(pod, state)) return {};
  const auto latest = WithNamedClaims(pod, state);
  return groups.CheckByModel(latest ? *latest : pod, others);
}

const PodQuota* QuotaOf(const PodQuery& query, const quota::Account& groups, const cluster::State& state,
                        const quota::Amounts& others) {
  return query.Once(&groups, [&]() -> std::unique_ptr<PodQuota> {
    const cluster::Pod& pod = query.pod;
    if (!IsJudged(pod, state)) return nullptr;
    PodQuota said;
    said.verdict = GroupVerdict(pod, groups, state, others);
    if (said.verdict.fits()) said.by_model = GroupVerdictsByModel(pod, groups, state, others);
    said.models = groups.models().Wanted(*pod.quota);
    if (said.verdict.fits() && !said.by_model.Any() && !said.models.Any()) return nullptr;
    return std::make_unique<PodQuota>(std::move(said));
  });
}

}  // namespace huygens::policy
