#include "pinning/steps.h"

#include <algorithm>

namespace huygens::pinning {
namespace {

// Whether the two may not run on one CPU.
bool Exclude(const Holder& a, const Holder& b) {
  return a.owner != b.owner && (a.pool == Pool::kExclusive || b.pool == Pool::kExclusive ||
                                (a.pool == Pool::kImmovable && b.pool == Pool::kImmovable));
}

bool InTheWay(const Holder& other, const Holder& of, const CpuSet& coming) {
  if (&other == &of || !Exclude(other, of) || !Meet(other.held, coming)) return false;
  // One that cannot be moved and owns nothing is no reason to leave an owner on everybody's CPUs for ever.
  return !(other.stuck && (other.pool == Pool::kShared || other.pool == Pool::kNuma));
}

bool IsFree(const std::vector<Holder>& holders, const Holder& of, const CpuSet& coming) {
  return std::ranges::none_of(holders, [&](const Holder& other) { return InTheWay(other, of, coming); });
}

}  // namespace

std::vector<Step> StepsNow(std::vector<Holder> holders, const CpuSet& parking) {
  std::vector<Step> steps;
  const auto write = [&](Holder& holder, const CpuSet& to) {
    steps.push_back({holder.id, to, to == holder.target});
    holder.held |= to;  // until it is done it may have either
    holder.busy = true;
  };
  const auto waits = [](const Holder& holder) { return !holder.busy && !(holder.held == holder.target); };
  for (Holder& holder : holders) {
    if (waits(holder) && Within(holder.target, holder.held)) write(holder, holder.target);
  }
  for (Holder& holder : holders) {
    if (!waits(holder)) continue;
    const CpuSet coming = holder.target - holder.held, staying = holder.target & holder.held;
    if (IsFree(holders, holder, coming)) {
      write(holder, holder.target);
    } else if (!staying.empty() && !(staying == holder.held)) {
      write(holder, staying);
    }
  }
  if (!steps.empty() || std::ranges::any_of(holders, &Holder::busy)) return steps;
  // Each has what another waits for: one steps aside, on to CPUs that are nobody's own.
  for (Holder& holder : holders) {
    if (!waits(holder) || holder.stuck || holder.pool == Pool::kShared || holder.pool == Pool::kNuma) continue;
    CpuSet aside = parking;
    for (const Holder& other : holders) {
      if (&other != &holder && other.pool != Pool::kShared && other.pool != Pool::kNuma) aside -= other.held;
    }
    if (aside.empty() || aside == holder.held) continue;
    write(holder, aside);
    break;
  }
  return steps;
}

}  // namespace huygens::pinning
