// What NRI is answered.
#include <chrono>

#include "pinner/book.h"

namespace huygens::pinner {

using pinning::CpuSet;
using pinning::IsOwner;
using pinning::Pool;

CpuSet Book::Blocked(const Entry& of) const {
  CpuSet blocked;
  for (const auto& [id, entry] : entries_) {
    if (&entry == &of || !entry.running || !IsOwner(entry.place.pool)) continue;
    const bool same = entry.name == of.name && UidOf(*entry.pod) == UidOf(*of.pod);
    const bool shares = entry.place.pool == Pool::kImmovable && !IsOwner(of.place.pool);
    if (!same && !shares) blocked |= entry.held.value_or(entry.place.cpus);
  }
  return blocked;
}

runtime::CreationAnswer Book::Create(const runtime::Container& container, Duration now) {
  runtime::CreationAnswer answer;
  const auto at = entries_.find(container.id);
  if (at == entries_.end()) return answer;
  Entry& entry = at->second;
  entry.created_by_us = true;
  CpuSet own = entry.place.cpus - Blocked(entry);
  // Nothing of its own is free yet, since somebody has to move first: it waits among the others.
  if (own.empty()) own = assignment_.shared;
  entry.asked = own;
  entry.fresh = true;
  answer.own = {pinning::ListOf(own), machine::FormatIdList(entry.place.mems)};
  if (entry.place.pool != Pool::kExclusive) return answer;
  for (auto& [id, other] : entries_) {
    if (&other == &entry || other.exited || other.busy || IsOwner(other.place.pool) || other.place.cpus.empty())
      continue;
    // One that does not run yet has what was answered at its creation.
    const CpuSet has = other.running ? other.held.value_or(node_->online) : other.asked;
    if (!pinning::Meet(has, own)) continue;
    answer.others.push_back({id, {pinning::ListOf(other.place.cpus), ""}});
    if (!other.running) continue;
    other.held.reset();  // to be read once the runtime has done it
    other.not_before = now + std::chrono::milliseconds(100);
  }
  return answer;
}

runtime::Cpuset Book::Guard(std::string_view id, const runtime::Resources& asked) const {
  const auto at = entries_.find(id);
  if (at == entries_.end() || asked.cpuset.cpus.empty()) return {};
  const Entry& entry = at->second;
  const StatusOr<CpuSet> to = pinning::ParseSet(asked.cpuset.cpus);
  if (!to.ok() || *to == entry.asked || *to == entry.place.cpus || entry.asked.empty()) return {};
  return {pinning::ListOf(entry.asked), ""};
}

}  // namespace huygens::pinner
