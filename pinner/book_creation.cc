// What NRI is answered.
#include <chrono>
#include <utility>

#include "pinner/book.h"

namespace huygens::pinner {

using pinning::CpuSet;
using pinning::IsOwner;
using pinning::Pool;

bool Book::Apart(const Entry& a, const Entry& b) {
  const bool same = a.name == b.name && UidOf(*a.pod) == UidOf(*b.pod);
  return &a != &b && !same && pinning::Exclude(a.place.pool, b.place.pool);
}

CpuSet Book::Owned(const Entry& by_others_than) const {
  CpuSet owned;
  for (const auto& [id, entry] : entries_) {
    if (IsOwner(entry.place.pool) && Apart(entry, by_others_than)) owned |= MayHave(entry);
  }
  return owned;
}

CpuSet Book::Elsewhere(const Entry& entry) const {
  // While a write of ours is under way the runtime must not be made to do another one: the two may wait for each other.
  if (entry.writing || entry.place.cpus.empty()) return {};
  if (entry.newcomer || (entry.running && !entry.held)) return entry.place.cpus - Owned(entry);
  return entry.place.cpus & MayHave(entry);
}

// The container gets what of its place nobody has: owners move later, if they have to, and those who own nothing are sent
// away along with the answer, if they can be. What others have counts also where it has not been read, or not begun.
runtime::CreationAnswer Book::Create(const runtime::Container& container, Duration now) {
  runtime::CreationAnswer answer;
  const auto at = entries_.find(container.id);
  if (at == entries_.end()) return answer;
  Entry& entry = at->second;
  entry.created_by_us = true;
  entry.fresh = true;
  CpuSet own = entry.place.cpus - Owned(entry);
  std::vector<std::pair<Entries::iterator, CpuSet>> leaving;
  for (auto other = entries_.begin(); other != entries_.end(); ++other) {
    if (other->second.exited || IsOwner(other->second.place.pool) || !Apart(entry, other->second)) continue;
    const CpuSet has = MayHave(other->second);
    // One that is on all CPUs for the moment is in nobody's way, but there is no reason to leave it there.
    if (!pinning::Meet(has, own) && !(other->second.newcomer && other->second.running)) continue;
    CpuSet to = Elsewhere(other->second);
    if (to.empty()) {
      own -= has;
    } else {
      leaving.emplace_back(other, std::move(to));
    }
  }
  if (own.empty()) {
    // Nothing of its own is free yet: it waits among the others.
    leaving.clear();
    own = (IsOwner(entry.place.pool) ? assignment_.shared : entry.place.cpus) - Owned(entry);
    if (own.empty()) own = assignment_.shared;
  }
  entry.asked = own;
  answer.own = {pinning::ListOf(own), machine::FormatIdList(entry.place.mems)};
  for (auto& [other, to] : leaving) {
    Entry& moved = other->second;
    answer.others.push_back({other->first, {pinning::ListOf(to), ""}});
    moved.may |= MayHave(moved) | to;
    moved.may_until = now + std::chrono::seconds(15);
    moved.asked = std::move(to);
    Forget(moved);  // to be read once the runtime has done it
    moved.not_before = now + std::chrono::milliseconds(100);
  }
  return answer;
}

runtime::Cpuset Book::Guard(std::string_view id, const runtime::Resources& asked) const {
  const auto at = entries_.find(id);
  if (at == entries_.end() || asked.cpuset.cpus.empty()) return {};
  const Entry& entry = at->second;
  const StatusOr<CpuSet> to = pinning::ParseSet(asked.cpuset.cpus);
  if (!to.ok() || entry.asked.empty() || *to == entry.asked) return {};
  return {pinning::ListOf(entry.asked), ""};
}

}  // namespace huygens::pinner
