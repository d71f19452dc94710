// What steps.h promises, said once more and independently of how it is done, for tests that write step by step.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "pinning/steps.h"

namespace huygens::pinning::testing {

// A container and what the kernel has for it.
struct Box {
  Holder facts;  // `held` is not used
  CpuSet kernel;
};

inline bool Excluding(const Box& a, const Box& b) {
  if (&a == &b || a.facts.owner == b.facts.owner) return false;
  const int exclusive = (a.facts.pool == Pool::kExclusive ? 1 : 0) + (b.facts.pool == Pool::kExclusive ? 1 : 0);
  return exclusive > 0 || (a.facts.pool == Pool::kImmovable && b.facts.pool == Pool::kImmovable);
}

inline std::string Picture(const std::vector<Box>& boxes) {
  std::string text;
  for (const Box& each : boxes) {
    text += Concat(each.facts.id, " ", PoolName(each.facts.pool), " ", ListOf(each.kernel),
                   each.facts.newcomer ? " (newcomer)" : "", " -> ", ListOf(each.facts.target),
                   each.facts.stuck ? " (stuck)" : "", "; ");
  }
  return text;
}

// CPUs that no owner has or is to have.
inline CpuSet Nobodys(const std::vector<Box>& boxes, const Ground& ground) {
  CpuSet free = ground.usable;
  for (const Box& each : boxes) {
    if (!IsOwner(each.facts.pool)) continue;
    free -= each.facts.target;
    if (!each.facts.newcomer) free -= each.kernel;
  }
  return free;
}

// Whether those who own nothing can all be elsewhere than on that CPU.
inline bool CanBeLeft(const std::vector<Box>& boxes, size_t cpu) {
  return std::ranges::all_of(boxes, [&](const Box& each) {
    if (IsOwner(each.facts.pool) || each.facts.stuck) return true;
    CpuSet elsewhere = each.facts.target;
    elsewhere.Remove(cpu);
    return !elsewhere.empty() && (each.facts.newcomer || !each.kernel.Has(cpu) || Meet(each.kernel, elsewhere));
  });
}

// What is wrong with box `who` having `to` now; empty: nothing.
inline std::string Fault(const std::vector<Box>& boxes, const Ground& ground, size_t who, const CpuSet& to) {
  const Box& box = boxes[who];
  if (to.empty()) return "an empty set";
  if (!Within(to, ground.usable)) return "CPUs that are not there";
  const CpuSet coming = box.facts.newcomer ? to : to - box.kernel;
  CpuSet with_owners, with_others, owned;
  for (const Box& other : boxes) {
    if (!Excluding(box, other) || other.facts.newcomer) continue;
    const bool owner = IsOwner(other.facts.pool);
    if (owner) owned |= other.kernel;
    if (owner || !other.facts.stuck) (owner ? with_owners : with_others) |= coming & other.kernel;
    // Who goes to his own CPUs lets those leave first that can.
    const bool can_leave = !owner && !other.facts.stuck && Meet(other.kernel, other.facts.target);
    const bool arrives = box.facts.newcomer || !Within(box.kernel, box.facts.target);
    if (arrives && IsOwner(box.facts.pool) && Within(to, box.facts.target) && can_leave && Meet(to, other.kernel)) {
      return Concat("an owner on its CPUs before ", other.facts.id, " has left them");
    }
  }
  if (with_owners.empty() && with_others.empty()) return "";
  const bool nothing_free = Within(box.facts.target, owned) && !Meet(box.kernel, box.facts.target);
  if (!IsOwner(box.facts.pool)) {
    return nothing_free || (box.facts.newcomer && Within(box.facts.target, owned)) ? "" : "joins an owner";
  }
  if (!with_owners.empty()) {
    const bool has_none = !Meet(box.kernel, box.facts.target);
    return has_none && Nobodys(boxes, ground).empty() ? "" : Concat("joins an owner on ", ListOf(with_owners));
  }
  if (box.facts.newcomer) return Meet(to, box.facts.target) ? "a newcomer joins others on its own CPUs" : "";
  bool place = false;
  Nobodys(boxes, ground).ForEach([&](size_t cpu) { place = place || CanBeLeft(boxes, cpu); });
  return place ? Concat("joins others on ", ListOf(with_others)) : "";
}

inline std::vector<Holder> HoldersOf(const std::vector<Box>& boxes) {
  std::vector<Holder> holders;
  for (const Box& each : boxes) {
    holders.push_back(each.facts);
    holders.back().held = each.facts.newcomer ? CpuSet() : each.kernel;
  }
  return holders;
}

inline bool IsThere(const Box& box) { return !box.facts.newcomer && box.kernel == box.facts.target; }

}  // namespace huygens::pinning::testing
