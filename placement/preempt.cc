// Placement::Preempt. kube-scheduler has chosen victims by what its plugins know, which is not the zones.
//
// Its choice stands where the checks let the pod in once those have gone. Else the best set (policy/preemption.h) of
// pods of lower priority is taken that makes room both for the checks and by the requests. A victim of kube-scheduler's
// may be spared then, but only if huygens' books show that it was chosen for the room it takes: without it as a victim
// the pod would lack a resource of the node. One that has to go for another reason (a host port, anti-affinity) stays a
// victim, as does one that the watch has not shown yet.
#include <algorithm>

#include "placement/node_fit.h"
#include "placement/own_hold.h"
#include "placement/placement.h"
#include "placement/simulated_eviction.h"

namespace huygens::placement {

namespace {

// Questions to the checks that one call may spend on finding better sets than the first, over all its nodes.
constexpr size_t kMoreQuestions = 10000;

using cluster::PlacedPod;
using policy::Gone;
using policy::PossibleVictim;

// Whether kube-scheduler could evict the pod for this one: as upstream, any pod of lower priority, DaemonSet or not.
bool Evictable(const PlacedPod& placed, const cluster::Pod& preemptor) {
  return placed.pod->priority < preemptor.priority && placed.pod->uid != preemptor.uid;
}

// Marks whom kube-scheduler chose and huygens cannot spare.
void MarkIndispensable(SimulatedEviction& eviction, const ResourceVector& requests, const Gone& chosen,
                       std::vector<PossibleVictim>& pods) {
  for (size_t i = 0; i < pods.size(); ++i) {
    if (!chosen[i]) continue;
    Gone others = chosen;
    others[i] = false;
    eviction.Let(others);
    pods[i].must = eviction.Room(requests);
  }
}

}  // namespace

std::vector<Preemption> Placement::Preempt(const cluster::Pod& pod, std::span<const PreemptionCandidate> candidates,
                                           Time now) {
  std::vector<Preemption> answer;
  if (!pod.preempts) {
    answer.resize(candidates.size());
    return answer;
  }
  const policy::PodQuery query = QueryForChecks(pod, now, Reports::kUnwanted);
  const OwnHold own(state_, accounts_, pod);
  for (const PreemptionCandidate& candidate : candidates) {
    answer.push_back(PreemptOn(query, candidate, kMoreQuestions / candidates.size()));
  }
  return answer;
}

Preemption Placement::PreemptOn(const policy::PodQuery& query, const PreemptionCandidate& candidate,
                                size_t more_questions) {
  const auto node = state_.FindNode(candidate.node);
  if (!node) return {.victims = {}, .reason = Reason::kUnknownNode};

  more_questions /= Zones(*node).CostOfCheck(*node);
  const NominatedPods::Kept kept(nominated_, query, {&*node, 1});

  std::vector<std::string_view> unknown;  // to the watch
  std::vector<std::string_view> chosen_uids;
  for (std::string_view uid : candidate.victims) {
    const PlacedPod* placed = state_.FindPlaced(uid);
    if (!placed && !state_.FindPod(uid)) unknown.push_back(uid);
    if (placed && placed->node == *node && Evictable(*placed, query.pod)) chosen_uids.push_back(uid);
  }
  std::vector<const PlacedPod*> placed;
  std::vector<PossibleVictim> pods;
  Gone chosen;
  for (const PlacedPod* each : state_.PodsOn(*node)) {
    if (!Evictable(*each, query.pod)) continue;
    const bool is_chosen = std::find(chosen_uids.begin(), chosen_uids.end(), each->pod->uid) != chosen_uids.end();
    // kube-scheduler may not know yet whom another scheduler has just placed.
    if (!is_chosen && state_.ledger().Find(each->pod->uid)) continue;
    placed.push_back(each);
    pods.push_back({.priority = each->pod->priority,
                    .since = each->pod->start_time.value_or(Time::max()),
                    .uid = each->pod->uid,
                    .leaving = each->pod->deleting});
    chosen.push_back(is_chosen);
  }

  SimulatedEviction eviction(state_, accounts_of_victims_, *node, query.pod, placed);
  eviction.Let(chosen);
  Preemption preemption;
  preemption.reason = Judge(query, *node, Reports::kUnwanted);
  if (preemption.reason == Reason::kFits) {
    preemption.victims = std::move(chosen_uids);
  } else if (!policy::CurableByVictims(preemption.reason)) {
    return preemption;  // a budget, a model: kept as they are, whoever leaves
  } else {
    const ResourceVector requests = RequestsOf(query.pod);
    const bool books_agree = eviction.Room(requests);
    if (books_agree) MarkIndispensable(eviction, requests, chosen, pods);
    for (size_t i = 0; i < pods.size() && !books_agree; ++i) pods[i].must = chosen[i];
    auto fits = [&](const Gone& gone) {
      eviction.Let(gone);
      if (books_agree && !eviction.Room(requests)) return false;
      preemption.reason = Judge(query, *node, Reports::kUnwanted);
      return preemption.reason == Reason::kFits;
    };
    auto victims = policy::ChooseVictims(pods, fits, more_questions);
    if (!victims) return preemption;
    preemption.reason = Reason::kFits;
    for (size_t i : *victims) preemption.victims.push_back(placed[i]->pod->uid);
  }
  preemption.victims.insert(preemption.victims.end(), unknown.begin(), unknown.end());
  return preemption;
}

}  // namespace huygens::placement
