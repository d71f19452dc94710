// What a group's status must say, reckoned anew from what is there: its own workloads, its children, and what was
// charged for objects that nobody has seen yet (status.reservations). A charge is never taken back on the word of the
// charged: a reservation counts until its object is seen with all that was reserved, until its time is over, or until
// its name turns out to be another object's, which is how a creation ends that failed because the name was taken.
//
// What instances of the webhook keep ahead of need (advances/advance.h) counts like a reservation until its time is over. An
// object that was let in out of it may be seen before its reservation: for some seconds it counts as part of the advance,
// so that it is not counted twice, if it is what the figures have risen by.
//
// Pure; times come in. The answer never says less than what was observed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "controller/observed.h"

namespace huygens::controller {

// How long a reservation and the other object of its name must have been known before it counts no more: an object that
// takes the place of another one of its name is reserved for while the watch still shows the old one.
inline constexpr Duration kSupersededAfter = std::chrono::seconds(2);

struct RecountInput {
  std::span<const ObservedObject> workloads;  // that name the group, each UID once
  std::span<const ObservedObject> children;   // its child groups
  HolderOf holder_of;
  // Since when a reservation has been known.
  absl::FunctionRef<Time(const cluster::QuotaReservation& reservation)> known_since;
  // Up to when the watches have shown all there is: never later than now, earlier where a watch is silent. Nothing is
  // believed to be gone on account of time that nobody watched.
  Time watched_until;
  // Whether an object that nothing was ever reserved for may have been let in out of an advance that stands
  // (advances/advance.h), so that its own reservation is still to be written; null: none.
  std::function<bool(const ObservedObject& object)> may_be_of_advance = nullptr;
  // What transfers keep of the group beside these reservations; null: nothing.
  std::function<quota::Amounts(const std::vector<cluster::QuotaReservation>& standing)> held = nullptr;
};

struct Recounted {
  uint64_t settled = 0, expired = 0, superseded = 0;  // reservations that were dropped
  // What `used` said before less what it says now, hours aside, without what the dropped reservations explain: by key,
  // zeros left out. More than nothing where workloads went since or a charge was leaked, less where one was not charged.
  quota::Amounts fall;
  // When time alone may end the next reservation; nothing where none stands.
  std::optional<Time> look_again;
};

// Writes used, selfUsed, reservations and the budget that they are reckoned with into `group`. Hours of its own are
// taken from selfUsed as they are (controller/hours.h); those of the children, and what transfers keep, are added to them
// in `used`.
Recounted Recount(const RecountInput& input, cluster::BizGroupQuota& group);

// How much it matters that the status is written, in this order.
enum class StatusChange : uint8_t {
  kNone,
  kHours,    // hours ran on
  kSettled,  // reservations went whose objects count now, nothing else
  kFigures,  // amounts, what children take, keys that nobody had counted, or hours that have just run out or come anew
};
StatusChange Compare(const cluster::BizGroupQuota& before, const cluster::BizGroupQuota& after);

}  // namespace huygens::controller
