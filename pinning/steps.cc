#include "pinning/steps.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace huygens::pinning {
namespace {

CpuSet Only(size_t cpu) {
  CpuSet set;
  set.Add(cpu);
  return set;
}

size_t Lowest(const CpuSet& cpus) {
  std::optional<size_t> lowest;
  cpus.ForEach([&](size_t cpu) {
    if (!lowest) lowest = cpu;
  });
  return lowest.value_or(0);
}

class Round {
 public:
  Round(std::vector<Holder> holders, const Ground& ground) : holders_(std::move(holders)), ground_(ground) {}

  std::vector<Step> Run() {
    Plan();
    const std::vector<size_t> ring = Ring();
    if (ring.empty() || OpenByLeaving(ring)) return std::move(steps_);
    const std::optional<Place> aside = Aside(ring);
    if (!aside) {
      OpenByForce(ring);
    } else if (!aside->alone) {
      Write(holders_[aside->who], Only(aside->cpu));
    } else {
      // As if it was to be there, and nobody who owns nothing: all else stays as it is.
      TakeBack();
      for (Holder& each : holders_) {
        const CpuSet elsewhere = each.target - Only(aside->cpu);
        if (!IsOwner(each.pool) && !elsewhere.empty()) each.target = elsewhere;
      }
      holders_[aside->who].target = Only(aside->cpu);
      Plan();
    }
    return std::move(steps_);
  }

 private:
  struct Place {
    size_t who = 0;
    size_t cpu = 0;
    bool alone = true;  // those who own nothing are to leave it
  };

  bool InTheWay(const Holder& other, const Holder& of) const {
    if (&other == &of || other.owner == of.owner || !Exclude(other.pool, of.pool)) return false;
    // One that cannot be moved and owns nothing is no reason to leave an owner on everybody's CPUs for ever.
    return !other.stuck || IsOwner(other.pool);
  }

  CpuSet TakenFrom(const Holder& of, const auto& whom) const {
    CpuSet taken;
    for (const Holder& other : holders_) {
      if (InTheWay(other, of) && whom(other)) taken |= other.held;
    }
    return taken;
  }

  void Write(Holder& holder, const CpuSet& to) {
    steps_.push_back({holder.id, to});
    before_.emplace_back(static_cast<size_t>(&holder - holders_.data()), holder.held);
    holder.held |= to;  // until it is done it may have either
    holder.busy = true;
  }

  void TakeBack() {
    for (auto& [who, held] : before_) {
      holders_[who].held = std::move(held);
      holders_[who].busy = false;
    }
    before_.clear();
    steps_.clear();
  }

  void Plan() {
    waiting_.clear();
    const auto leaves = [](const Holder& each) { return !Within(each.held, each.target); };
    const auto each = [&](const auto& wanted) {
      for (Holder& holder : holders_) {
        if (!holder.busy && (holder.newcomer || !(holder.held == holder.target)) && wanted(holder)) Move(holder);
      }
    };
    each([&](const Holder& holder) { return !IsOwner(holder.pool) && !holder.newcomer && leaves(holder); });
    each([](const Holder& holder) { return IsOwner(holder.pool); });
    each([](const Holder& holder) { return !IsOwner(holder.pool) && holder.newcomer; });
    each([&](const Holder& holder) { return !IsOwner(holder.pool) && !leaves(holder); });
  }

  void Move(Holder& holder) {
    if (SomebodyIsLeaving(holder)) return;
    if (holder.newcomer) return Narrow(holder);
    const CpuSet coming = holder.target - holder.held;
    const CpuSet to = holder.target - (coming & TakenFrom(holder, [](const Holder&) { return true; }));
    if (to.empty()) {
      waiting_.push_back(static_cast<size_t>(&holder - holders_.data()));
    } else if (to == holder.target || !Within(holder.held, holder.target)) {
      Write(holder, to);
    } else if (!(to == holder.held) && !AwaitsAnybody(holder, coming)) {
      Write(holder, to);  // no more will come for long
    }
  }

  // An owner of whose CPUs none is free yet owns nothing: it is one of those who share, and no reason for them to wait.
  void Narrow(Holder& holder) {
    CpuSet to = holder.target - TakenFrom(holder, [](const Holder&) { return true; });
    if (to.empty() && IsOwner(holder.pool)) {
      to = ground_.shared - TakenFrom(holder, [](const Holder& other) { return IsOwner(other.pool); });
    } else if (to.empty()) {
      to = holder.target - TakenFrom(holder, [](const Holder& other) { return !other.newcomer; });
      if (to.empty()) to = holder.target;
    }
    if (!to.empty()) Write(holder, to);
  }

  // Whether an owner would be on its own CPUs together with those that are about to leave them.
  bool SomebodyIsLeaving(const Holder& holder) const {
    return holder.pool == Pool::kExclusive && std::ranges::any_of(holders_, [&](const Holder& other) {
             return !IsOwner(other.pool) && !other.newcomer && other.busy && InTheWay(other, holder) &&
                    Meet(other.held, holder.target);
           });
  }

  bool AwaitsAnybody(const Holder& holder, const CpuSet& coming) const {
    return std::ranges::any_of(holders_, [&](const Holder& other) {
      return InTheWay(other, holder) && !other.stuck && Meet(other.held, coming);
    });
  }

  // Those of `waiting_` each of whom waits for the next, and the last for the first.
  std::vector<size_t> Ring() const {
    std::vector<bool> stays(holders_.size(), false);
    for (const size_t each : waiting_) stays[each] = !holders_[each].stuck;
    const auto blocks = [&](size_t other, size_t of) {
      return InTheWay(holders_[other], holders_[of]) && Meet(holders_[other].held, holders_[of].target);
    };
    // Who waits for somebody that moves gets at least a part.
    for (bool changed = true; changed;) {
      changed = false;
      for (const size_t each : waiting_) {
        for (size_t other = 0; stays[each] && other < holders_.size(); ++other) {
          if (stays[other] || holders_[other].stuck || !blocks(other, each)) continue;
          stays[each] = false;
          changed = true;
        }
      }
    }
    for (const size_t first : waiting_) {
      std::vector<size_t> path;
      for (std::optional<size_t> at = stays[first] ? std::optional(first) : std::nullopt; at;) {
        if (const auto seen = std::ranges::find(path, *at); seen != path.end()) return {seen, path.end()};
        path.push_back(*at);
        const size_t of = *std::exchange(at, std::nullopt);
        for (size_t other = 0; !at && other < holders_.size(); ++other) {
          if (stays[other] && blocks(other, of)) at = other;
        }
      }
    }
    return {};
  }

  bool OpenByLeaving(const std::vector<size_t>& ring) {
    for (size_t i = 0; i < ring.size(); ++i) {
      const Holder& before = holders_[ring[i]];
      Holder& member = holders_[ring[(i + 1) % ring.size()]];
      if (member.held.Count() < 2) continue;
      const CpuSet rest = member.held - before.target;
      Write(member, rest.empty() ? Only(Lowest(member.held)) : rest);
      return true;
    }
    return false;
  }

  // Where an owner of the ring goes for whom another owner waits: so that as few as may be have to leave.
  std::optional<Place> Aside(const std::vector<size_t>& ring) const {
    CpuSet free = ground_.usable;
    for (const Holder& each : holders_) {
      if (IsOwner(each.pool)) free -= each.held | each.target;
    }
    const std::vector<size_t> owners = OwnersToMove(ring);
    if (free.empty() || owners.empty()) return std::nullopt;
    std::optional<Place> best;
    int fewest = 0;
    for (const size_t who : owners) {
      free.ForEach([&](size_t cpu) {
        const std::optional<int> leavers = Leavers(holders_[who], cpu);
        if (!leavers || (best && *leavers >= fewest)) return;
        best = Place{.who = who, .cpu = cpu, .alone = holders_[who].pool == Pool::kExclusive};
        fewest = *leavers;
      });
    }
    if (best) return best;
    const bool shares = std::ranges::any_of(ring, [&](size_t each) { return !IsOwner(holders_[each].pool); });
    if (shares) return std::nullopt;
    return Place{.who = owners.front(), .cpu = Lowest(free), .alone = false};
  }

  // How many have to leave the CPU before that owner can go there; unset: somebody cannot.
  std::optional<int> Leavers(const Holder& owner, size_t cpu) const {
    int leavers = 0;
    for (const Holder& other : holders_) {
      if (IsOwner(other.pool) || !InTheWay(other, owner)) continue;
      const CpuSet elsewhere = other.target - Only(cpu);
      if (elsewhere.empty()) return std::nullopt;
      if (!other.held.Has(cpu)) continue;
      if (!Meet(other.held, elsewhere)) return std::nullopt;
      ++leavers;
    }
    return leavers;
  }

  std::vector<size_t> OwnersToMove(const std::vector<size_t>& ring) const {
    std::vector<size_t> owners;
    for (size_t i = 0; i < ring.size(); ++i) {
      const size_t member = ring[(i + 1) % ring.size()];
      if (IsOwner(holders_[member].pool) && IsOwner(holders_[ring[i]].pool)) owners.push_back(member);
    }
    std::ranges::sort(owners);
    return owners;
  }

  void OpenByForce(const std::vector<size_t>& ring) {
    std::optional<size_t> who;
    for (const size_t member : ring) {
      if (!IsOwner(holders_[member].pool) && (!who || member < *who)) who = member;
    }
    Holder& holder = holders_[who.value_or(std::ranges::min(ring))];
    Write(holder, holder.target);
  }

  std::vector<Holder> holders_;
  const Ground& ground_;
  std::vector<size_t> waiting_;  // who cannot get anything of its target, and has none
  std::vector<Step> steps_;
  std::vector<std::pair<size_t, CpuSet>> before_;  // for each step, who it is of and what he held
};

}  // namespace

std::vector<Step> StepsNow(std::vector<Holder> holders, const Ground& ground) {
  return Round(std::move(holders), ground).Run();
}

}  // namespace huygens::pinning
