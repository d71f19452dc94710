#include "rescheduler/settled_moves.h"

#include <algorithm>

namespace huygens::rescheduler {

using migration_api::Phase;
using migration_api::PodMigration;

const PodMigration* SettledMoves::Find(std::string_view pod_uid) const {
  const auto found = moves_.find(migration_api::NameFor(pod_uid));
  return found == moves_.end() ? nullptr : &found->second;
}

const PodMigration* SettledMoves::LastFailure(std::string_view pod_uid, std::string_view owner_uid) const {
  if (const PodMigration* own = Find(pod_uid)) return own->status.phase == Phase::kSucceeded ? nullptr : own;
  // After an eviction the pod is another one: what failed then was a move of one that it replaces.
  const PodMigration* last = nullptr;
  for (const auto& [name, move] : moves_) {
    const auto& replacement = move.status.replacement;
    const bool in_its_place = replacement && replacement->uid == pod_uid;
    if (move.spec.owner.uid != owner_uid || move.status.phase != Phase::kFailed || !in_its_place) continue;
    if (last == nullptr || last->status.finished_at < move.status.finished_at) last = &move;
  }
  return last;
}

std::optional<Time> SettledMoves::NextTry(std::string_view pod_uid, std::string_view owner_uid) const {
  const PodMigration* last = LastFailure(pod_uid, owner_uid);
  return last == nullptr ? std::nullopt : last->status.next_try;
}

int64_t SettledMoves::AttemptsBefore(std::string_view pod_uid, std::string_view owner_uid) const {
  const PodMigration* last = LastFailure(pod_uid, owner_uid);
  return last == nullptr ? 0 : last->status.attempts;
}

bool SettledMoves::LeftSince(std::string_view owner_uid, std::string_view node, Time since) const {
  return std::ranges::any_of(moves_, [&](const auto& each) {
    const PodMigration& move = each.second;
    return move.spec.source == node && move.spec.owner.uid == owner_uid && move.status.evicted_at &&
           *move.status.evicted_at >= since;
  });
}

void SettledMoves::ForEach(const std::function<void(const PodMigration&)>& visit) const {
  for (const auto& [name, move] : moves_) visit(move);
}

std::vector<PodMigration> SettledMoves::TakeOld(Time now) {
  std::vector<std::pair<Time, std::string>> by_age;
  by_age.reserve(moves_.size());
  for (const auto& [name, move] : moves_) by_age.emplace_back(move.status.finished_at.value_or(Time()), name);
  std::ranges::sort(by_age);
  std::vector<PodMigration> old;
  for (const auto& [finished, name] : by_age) {
    if (moves_.size() <= kMost && now - finished <= kKept) break;
    const auto found = moves_.find(name);
    old.push_back(std::move(found->second));
    moves_.erase(found);
  }
  return old;
}

}  // namespace huygens::rescheduler
