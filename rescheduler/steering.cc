#include "rescheduler/steering.h"

#include <algorithm>

namespace huygens::rescheduler {

using policy::Reason;

namespace {

// Leaves the positions that `keep` says; the others are where the pod does not move to.
template <typename Keep>
void Leave(placement::FilterAnswer& answer, Keep keep) {
  for (size_t position = 0; position < answer.reasons.size(); ++position) {
    if (answer.reasons[position] == Reason::kFits && !keep(position))
      answer.reasons[position] = Reason::kMovesElsewhere;
  }
  std::erase_if(answer.feasible, [&](uint32_t position) { return !keep(position); });
  answer.promise.reset();  // of a gang: it may be of a node that is not offered
}

}  // namespace

void Steering::Asked(const cluster::Pod& pod, Time now) {
  UnderWay* move = moves_.Recognise(pod, now);
  if (move != nullptr && !move->first_asked) move->first_asked = now;
}

bool Steering::Steer(const cluster::Pod& pod, std::span<const std::string_view> names, placement::FilterAnswer& answer,
                     Time now) {
  if (moves_.size() == 0) return false;
  UnderWay* move = moves_.Recognise(pod, now);
  if (move == nullptr) return false;
  const migration_api::Spec& spec = move->object.spec;
  const auto target = static_cast<size_t>(std::ranges::find(names, spec.target) - names.begin());
  const auto source = static_cast<size_t>(std::ranges::find(names, spec.source) - names.begin());
  const bool offered = target < names.size();
  const bool fits = offered && answer.reasons[target] == Reason::kFits;
  // Its group pays for others that end in a moment: victims of other moves that run out their grace period.
  const bool waits = offered && (answer.reasons[target] == Reason::kQuotaExceeded ||
                                 answer.reasons[target] == Reason::kQuotaModelExceeded);
  const moves::Seen seen = moves_.Look(*move);
  // It is with kube-scheduler that the nomination has to have arrived: a try may have begun before it was written.
  const bool came_back = pod.nominated_node == spec.target && !offered;
  const bool patient = now < move->first_asked.value_or(now) + kInsist;
  if (!seen.target_open || !patient || came_back || (offered && !fits && !waits) ||
      move->nomination == Nomination::kFailed) {
    move->let_go = true;
  }
  if (!move->let_go && fits) {
    answer.feasible = {static_cast<uint32_t>(target)};
    answer.narrowed = false;
    Leave(answer, [target](size_t position) { return position == target; });
    return false;
  }
  if (!move->let_go && waits) {
    Leave(answer, [target](size_t position) { return position == target; });
    return false;
  }
  if (!move->let_go) {
    answer.narrowed = false;
    std::ranges::fill(answer.reasons, Reason::kMovesElsewhere);  // nobody is to be preempted for it
    answer.feasible.clear();
    answer.promise.reset();
    if (move->nomination == Nomination::kNone) nominate_(*move, pod);
    return true;
  }
  Leave(answer, [source](size_t position) { return position != source; });
  return false;
}

}  // namespace huygens::rescheduler
