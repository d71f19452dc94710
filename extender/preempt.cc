#include <algorithm>

#include "extender/context.h"
#include "extender/extender_answer.h"
#include "extender/extender_args.h"
#include "extender/verb.h"

namespace huygens::extender {

namespace {

VerbAnswer NoNode(std::string_view why) {
  VerbAnswer answer{.outcome = "error", .why = std::string(why)};
  AppendPreemptVictims(answer.body, {});
  return answer;
}

}  // namespace

VerbAnswer Preempt(Context& context, std::string_view body) {
  StatusOr<PreemptArgs> args = DecodePreemptArgs(body);
  if (!args.ok()) return Malformed(args.status());
  if (std::string why = context.not_ready(); !why.empty()) return NoNode(why);
  if (args->pod.empty()) return NoNode("the request names no Pod");
  auto pod = context.pods.Decode(args->pod);
  if (!pod.ok()) return NoNode(Message(Annotate(pod.status(), "Pod")));

  std::vector<placement::PreemptionCandidate> candidates;
  for (const NodeVictims& node : args->nodes) {
    placement::PreemptionCandidate& candidate = candidates.emplace_back();
    candidate.node = node.node;
    for (const Victim& victim : node.pods) candidate.victims.push_back(victim.uid);
  }
  const Time now = context.clock.Now();
  const std::vector<placement::Preemption> decided = context.placement.Preempt(**pod, candidates, now);
  context.journal.Preempt(**pod, candidates, decided, now);

  std::vector<NodeVictims> answered;
  for (size_t i = 0; i < decided.size(); ++i) {
    if (decided[i].victims.empty()) continue;
    NodeVictims& node = answered.emplace_back();
    node.node = candidates[i].node;
    for (std::string_view uid : decided[i].victims) node.pods.push_back({.uid = uid, .pod = {}});
    // What kube-scheduler counted; of pods that huygens adds the budgets are not known here.
    node.pdb_violations = std::min<int64_t>(args->nodes[i].pdb_violations, static_cast<int64_t>(node.pods.size()));
  }
  VerbAnswer answer{.outcome = answered.empty() ? "rejected" : "ok"};
  AppendPreemptVictims(answer.body, answered);
  return answer;
}

}  // namespace huygens::extender
