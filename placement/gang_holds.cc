#include "placement/gang_holds.h"

#include <algorithm>

namespace huygens::placement {

namespace {

bool IsHeld(const cluster::State& state, std::string_view uid) {
  const cluster::Ledger::Entry* entry = state.ledger().Find(uid);
  return entry != nullptr && entry->state == cluster::ReservationState::kHeld;
}

}  // namespace

std::string GangOf(const cluster::Pod& pod) {
  return pod.scheduling_group.empty() ? std::string() : Concat(pod.namespace_name, "/", pod.scheduling_group);
}

void GangHolds::Release(std::string_view uid) {
  if (IsHeld(state_, uid)) state_.Release(uid);
}

size_t GangHolds::HeldByGang(const cluster::Pod& pod) const {
  const auto gang = gangs_.find(GangOf(pod));
  if (gang == gangs_.end()) return 0;
  return static_cast<size_t>(
      std::ranges::count_if(gang->second.asked, [this](const std::string& uid) { return IsHeld(state_, uid); }));
}

size_t GangHolds::Unbound(const cluster::Pod& pod) const {
  const auto found = gangs_.find(GangOf(pod));
  if (found == gangs_.end()) return 0;
  const Gang& gang = found->second;
  if (!gang.waiting) {
    gang.waiting.emplace();
    for (const auto& each : state_.Unplaced()) {
      const bool of_it = each->scheduling_group == pod.scheduling_group && each->namespace_name == pod.namespace_name;
      if (of_it) gang.waiting->insert(std::string(each->uid));
    }
  }
  const auto asked = std::ranges::count_if(gang.asked, [this](const std::string& uid) {
    return state_.FindPlaced(uid) == nullptr || IsHeld(state_, uid);  // kube-scheduler asks about bound ones, too
  });
  const auto others =
      std::ranges::count_if(*gang.waiting, [&gang](const std::string& uid) { return !gang.asked.contains(uid); });
  return static_cast<size_t>(asked + others);
}

void GangHolds::ReleaseAll(const Gang& gang) {
  for (const std::string& uid : gang.asked) Release(uid);
}

void GangHolds::Asked(const cluster::Pod& pod, Time now) {
  if (pod.scheduling_group.empty() || pod.uid.empty()) return;
  Gang& gang = gangs_[GangOf(pod)];
  gang.last_asked = now;
  if (gang.asked.insert(std::string(pod.uid)).second) return;
  ReleaseAll(gang);
  gang.asked = {std::string(pod.uid)};
  gang.refused = false;
  gang.waiting.reset();
}

void GangHolds::Refused(const cluster::Pod& pod) {
  if (auto gang = gangs_.find(GangOf(pod)); gang != gangs_.end()) gang->second.refused = true;
}

void GangHolds::Hold(const std::shared_ptr<const cluster::Pod>& pod, cluster::NodeIndex node,
                     std::vector<cluster::ZoneAmount> zones, Time now) {
  // Bound, or being bound: it holds its room already.
  if (!state_.FindPlaced(pod->uid)) {
    (void)state_.Reserve(pod, node, std::move(zones), now, cluster::ReservationState::kHeld);
  }
}

void GangHolds::Expire(Time now) {
  absl::erase_if(gangs_, [&](const auto& each) {
    const Gang& gang = each.second;
    const Duration patience = gang.refused ? kPatienceOnceRefused : kPatience;
    if (now < gang.last_asked + patience && now >= gang.last_asked) return false;
    ReleaseAll(gang);
    return true;
  });
}

}  // namespace huygens::placement
