#include "rescheduling/zone_relief.h"

#include <algorithm>

namespace huygens::rescheduling {

namespace {

constexpr int64_t kThought = 4000;  // what pods leaving in thought cost, in looks at a slot

}  // namespace

void ZoneRelief::Begin(NodeIndex node, std::vector<std::shared_ptr<const Leaver>> movable, const NodesByShare& order,
                       size_t rank_by) {
  node_ = node;
  movable_ = std::move(movable);
  order_ = &order;
  rank_by_ = rank_by;
  next_ = 0;
  alone_ = true;
  searching_ = cleared_ = done_ = false;
  began_at_ = draft_.steps().size();
  const auto held = [&](const auto& leaver) {
    int64_t cpu = 0;
    const cluster::PlacedPod* placed = placement_.state().FindPlaced(leaver->pod->uid);
    if (placed == nullptr) return cpu;
    for (const cluster::ZoneAmount& zone : placed->zones) cpu += zone.amount.Get(kCpu);
    return cpu;
  };
  std::ranges::sort(movable_, {}, [&](const auto& leaver) {
    return std::tuple(held(leaver), leaver->pod->Key(), std::string_view(leaver->pod->uid));
  });
}

bool ZoneRelief::Mends(const Leaver* besides, Time now) {
  std::vector<const cluster::PlacedPod*> gone;
  const auto goes = [&](const cluster::Pod& pod) {
    const cluster::PlacedPod* placed = placement_.state().FindPlaced(pod.uid);
    if (placed != nullptr && placed->node == node_) gone.push_back(placed);
  };
  for (size_t i = began_at_; i < draft_.steps().size(); ++i) goes(*draft_.steps()[i].pod);
  if (besides != nullptr) goes(*besides->pod);
  return placement_.OvercommittedWithout(node_, gone, now) == 0;
}

// False: it was searched for, and is in the draft if it has a target.
bool ZoneRelief::Try(const std::shared_ptr<const Leaver>& leaver, int64_t& budget, Time now) {
  if (!searching_) {
    search_.Begin({.pod = leaver->pod,
                   .stand_in = leaver->stand_in,
                   .load = leaver->there.resources() > 0 ? &leaver->there : nullptr,
                   .source = node_,
                   .rank_by = rank_by_},
                  *order_);
    searching_ = true;
  }
  if (search_.Advance(budget, now)) return true;
  searching_ = false;
  if (search_.found()) {
    draft_.Add(leaver, search_.found()->node, Cause::kZones, "zones of its node hold more than they give");
  }
  return false;
}

bool ZoneRelief::Advance(int64_t& budget, Time now) {
  while (!done_ && budget > 0) {
    if (!searching_) budget -= kThought;
    if (!searching_ && next_ == 0 && alone_ && Mends(nullptr, now)) {
      cleared_ = done_ = true;
      break;
    }
    if (next_ >= movable_.size()) {
      if (!alone_ || movable_.empty()) {
        while (draft_.steps().size() > began_at_) draft_.TakeBack();
        done_ = true;
        break;
      }
      alone_ = false;
      next_ = 0;
      continue;
    }
    const std::shared_ptr<const Leaver> leaver = alone_ ? movable_[next_] : movable_[movable_.size() - 1 - next_];
    if (alone_ && !searching_ && !Mends(leaver.get(), now)) {
      ++next_;
      continue;
    }
    const size_t before = draft_.steps().size();
    if (Try(leaver, budget, now)) return true;
    ++next_;
    if (draft_.steps().size() == before) continue;
    std::erase(movable_, leaver);
    alone_ = true;
    next_ = 0;
  }
  return !done_;
}

}  // namespace huygens::rescheduling
