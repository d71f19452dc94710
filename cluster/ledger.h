// Reservations between the decision to bind a pod and the watch event that shows it bound, keyed by pod UID:
// reserved (Binding in flight) -> assumed (the API server said yes) -> gone. What is held for a pod that nobody binds
// yet (placement/gang_holds.h) is kept here, too. Decision thread only.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "base/time.h"

namespace huygens::cluster {

enum class ReservationState : uint8_t { kReserved, kAssumed, kHeld };

inline constexpr ReservationState kReservationStates[] = {ReservationState::kReserved, ReservationState::kAssumed,
                                                          ReservationState::kHeld};

inline std::string_view Name(ReservationState state) {
  switch (state) {
    case ReservationState::kReserved:
      return "reserved";
    case ReservationState::kAssumed:
      return "assumed";
    case ReservationState::kHeld:
      break;
  }
  return "held";
}

class Ledger {
 public:
  struct Entry {
    ReservationState state = ReservationState::kReserved;
    Time since;  // of this state: wall clock, but for kAssumed, which is measured by the steady one
  };

  // False if the UID has an entry already.
  bool Reserve(std::string_view uid, Time now, ReservationState state = ReservationState::kReserved);
  // False if there is no such entry: the watch was faster, or it was rolled back.
  bool Assume(std::string_view uid, Time now);
  bool Erase(std::string_view uid);

  const Entry* Find(std::string_view uid) const;
  size_t Count(ReservationState state) const { return counts_[static_cast<size_t>(state)]; }
  size_t size() const { return entries_.size(); }
  // UIDs assumed since before `limit`, in order: their watch event is overdue and a GET must settle them.
  std::vector<std::string> AssumedSince(Time limit) const;

 private:
  TextMap<Entry> entries_;
  std::array<size_t, std::size(kReservationStates)> counts_{};
};

}  // namespace huygens::cluster
