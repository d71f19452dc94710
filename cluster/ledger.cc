#include "cluster/ledger.h"

#include <algorithm>

namespace huygens::cluster {

bool Ledger::Reserve(std::string_view uid, Time now, ReservationState state) {
  if (!entries_.emplace(std::string(uid), Entry{state, now}).second) return false;
  ++counts_[static_cast<size_t>(state)];
  return true;
}

bool Ledger::Assume(std::string_view uid, Time now) {
  auto found = entries_.find(uid);
  if (found == entries_.end()) return false;
  --counts_[static_cast<size_t>(found->second.state)];
  found->second = {ReservationState::kAssumed, now};
  ++counts_[static_cast<size_t>(ReservationState::kAssumed)];
  return true;
}

bool Ledger::Erase(std::string_view uid) {
  auto found = entries_.find(uid);
  if (found == entries_.end()) return false;
  --counts_[static_cast<size_t>(found->second.state)];
  entries_.erase(found);
  return true;
}

const Ledger::Entry* Ledger::Find(std::string_view uid) const {
  auto found = entries_.find(uid);
  return found == entries_.end() ? nullptr : &found->second;
}

std::vector<std::string> Ledger::AssumedSince(Time limit) const {
  std::vector<std::string> uids;
  for (const auto& [uid, entry] : entries_) {
    if (entry.state == ReservationState::kAssumed && entry.since < limit) uids.push_back(uid);
  }
  std::sort(uids.begin(), uids.end());
  return uids;
}

}  // namespace huygens::cluster
