#include "rescheduler/moves_under_way.h"

#include <algorithm>
#include <tuple>

#include "rescheduling/move.h"

namespace huygens::rescheduler {

using migration_api::PodMigration;

UnderWay& MovesUnderWay::Add(PodMigration object) {
  const std::string uid = object.spec.pod.uid;
  Remove(uid);
  auto made = std::make_unique<UnderWay>();
  UnderWay& move = *made;
  move.object = std::move(object);
  moves_.emplace(uid, std::move(made));
  by_owner_[move.object.spec.owner.uid].push_back(&move);
  if (const auto& known = move.object.status.replacement) Claim(move, known->uid);
  if (const auto victim = placement_.state().FindPod(uid)) {
    if (const cluster::QuotaLabels* labels = cluster::QuotaLabelsOf(*victim))
      move.group = std::make_shared<const cluster::QuotaLabels>(*labels);
  }
  return move;
}

void MovesUnderWay::Remove(std::string_view pod_uid) {
  const auto found = moves_.find(pod_uid);
  if (found == moves_.end()) return;
  UnderWay& move = *found->second;
  Unclaim(move);
  placement_.moves().Release(move.StandInUid());
  auto of_owner = by_owner_.find(move.object.spec.owner.uid);
  std::erase(of_owner->second, &move);
  if (of_owner->second.empty()) by_owner_.erase(of_owner);
  moves_.erase(found);
}

void MovesUnderWay::Clear() {
  while (!moves_.empty()) Remove(std::string(moves_.begin()->first));
}

UnderWay* MovesUnderWay::Find(std::string_view pod_uid) {
  const auto found = moves_.find(pod_uid);
  return found == moves_.end() ? nullptr : found->second.get();
}

const UnderWay* MovesUnderWay::Find(std::string_view pod_uid) const {
  const auto found = moves_.find(pod_uid);
  return found == moves_.end() ? nullptr : found->second.get();
}

void MovesUnderWay::ForEach(const std::function<void(UnderWay&)>& visit) {
  for (auto& [uid, move] : moves_) visit(*move);
}

void MovesUnderWay::ForEach(const std::function<void(const UnderWay&)>& visit) const {
  for (const auto& [uid, move] : moves_) visit(*move);
}

bool MovesUnderWay::Replaces(const cluster::Pod& pod, const UnderWay& move) const {
  const migration_api::Spec& spec = move.object.spec;
  if (!moves::AwaitsReplacement(move.object) || move.object.status.replacement) return false;
  if (pod.namespace_name != move.object.namespace_name || pod.uid == spec.pod.uid) return false;
  if (spec.owner.kind == "StatefulSet" && pod.name != spec.pod.name) return false;
  // One of another template is of a roll-out.
  if (!spec.template_hash.empty() && pod.template_hash != spec.template_hash) return false;
  // By the same clock, in whole seconds: who was there before replaces nobody.
  return !pod.created || !move.object.created || *pod.created >= *move.object.created;
}

UnderWay* MovesUnderWay::Recognise(const cluster::Pod& pod, Time /*now*/) {
  if (moves_.empty() || pod.owner_uid.empty()) return nullptr;
  if (const auto claimed = by_replacement_.find(std::string_view(pod.uid)); claimed != by_replacement_.end())
    return claimed->second;
  if (pod.Bound() || pod.deleting || pod.uid.empty()) return nullptr;
  const auto of_owner = by_owner_.find(std::string_view(pod.owner_uid));
  if (of_owner == by_owner_.end()) return nullptr;
  // One pod for each move: of a scale-up at the same moment the others go where they like.
  for (UnderWay* move : of_owner->second) {
    if (!Replaces(pod, *move)) continue;
    move->object.status.replacement = migration_api::Replacement{pod.name, std::string(pod.uid), ""};
    move->dirty = true;
    Claim(*move, pod.uid);
    return move;
  }
  return nullptr;
}

void MovesUnderWay::Adopt(UnderWay& move, std::span<const std::shared_ptr<const cluster::Pod>> pods) {
  const auto rank = [&](const cluster::Pod& pod) {
    return std::tuple(pod.node_name != move.object.spec.target, pod.created, std::string_view(pod.uid));
  };
  const cluster::Pod* best = nullptr;
  for (const auto& pod : pods) {
    const bool may =
        pod->Bound() && !pod->deleting && Replaces(*pod, move) && !by_replacement_.contains(std::string_view(pod->uid));
    if (may && (best == nullptr || rank(*pod) < rank(*best))) best = pod.get();
  }
  if (best == nullptr) return;
  move.object.status.replacement = migration_api::Replacement{best->name, std::string(best->uid), ""};
  move.dirty = true;
  Claim(move, best->uid);
}

void MovesUnderWay::Claim(UnderWay& move, std::string_view uid) {
  by_replacement_.insert_or_assign(std::string(uid), &move);
  placement_.moves().Claim(uid, {.stand_in = move.StandInUid(), .victim = move.object.spec.pod.uid});
}

void MovesUnderWay::Unclaim(UnderWay& move) {
  const auto& known = move.object.status.replacement;
  if (!known) return;
  by_replacement_.erase(std::string_view(known->uid));
  placement_.moves().Forget(known->uid);
  move.watched = false;
  move.first_asked.reset();
  move.nomination = Nomination::kNone;
  move.let_go = false;
}

moves::Seen MovesUnderWay::Look(const UnderWay& move) const {
  const cluster::State& state = placement_.state();
  const auto open = [&](std::string_view name, bool takes_pods) {
    const auto index = state.FindNode(name);
    const cluster::Node* node = index ? state.GetNode(*index) : nullptr;
    return node != nullptr && node->ready && !(takes_pods && node->unschedulable);
  };
  const migration_api::Spec& spec = move.object.spec;
  moves::Seen seen{.source_open = open(spec.source, false),
                   .target_open = open(spec.target, true),
                   .calling = move.calling || move.writing};
  const auto victim = state.FindPod(spec.pod.uid);
  if (victim == nullptr || victim->Terminal()) {
    seen.victim = moves::Victim::kGone;
  } else if (victim->deleting) {
    seen.victim = moves::Victim::kDeleting;
  }
  const auto& known = move.object.status.replacement;
  if (!known) return seen;
  const auto pod = state.FindPod(known->uid);
  // Until the watch has shown it, filter alone knows it.
  const bool gone = pod == nullptr ? move.watched : pod->deleting || pod->Terminal();
  moves::SeenReplacement replacement{.name = known->name, .uid = known->uid, .leaving = gone};
  if (pod != nullptr && pod->Bound()) replacement.node = std::string(pod->node_name);
  replacement.ready = pod != nullptr && pod->ready;
  seen.replacement = std::move(replacement);
  return seen;
}

bool MovesUnderWay::Settle(UnderWay& move, const moves::Patience& patience, Time now) {
  const std::string stand_in = move.StandInUid();
  const moves::Seen seen = Look(move);
  // Who is being bound, or is, holds room itself.
  const auto& known = move.object.status.replacement;
  const bool placed = known && placement_.state().FindPlaced(known->uid) != nullptr;
  if (placed || !moves::WantsRoom(move.object, seen, patience, now)) {
    placement_.moves().Release(stand_in);
    move.charged = false;
    return true;
  }
  if (!placement_.moves().Holds(stand_in)) {
    move.charged = false;
    const auto victim = placement_.state().FindPod(move.object.spec.pod.uid);
    if (victim == nullptr) return false;  // what it asked for is known no more
    const auto held = placement_.HoldForMove(rescheduling::StandIn(*victim), move.object.spec.target, now);
    if (!held.ok() || !held->Accepted()) return false;
  }
  if (!move.charged && placement_.state().FindPlaced(move.object.spec.pod.uid) == nullptr) {
    placement_.moves().Charge(stand_in, move.group, now);
    move.charged = true;
  }
  return true;
}

}  // namespace huygens::rescheduler
