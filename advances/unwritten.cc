#include "advances/unwritten.h"

#include <algorithm>
#include <utility>

#include "advances/advance.h"

namespace huygens::advances {

void Unwritten::See(const cluster::BizGroupQuota& group, EachUid objects, Time now) {
  stood_ = std::exchange(stands_, HasAdvances(group));
  if (!stands_) {
    seen_.clear();
    charged_.clear();
    advances_.clear();
    return;
  }
  std::map<std::string, Standing, std::less<>> advances;
  for (const auto& each : group.reservations) {
    if (each.kind != cluster::kAdvanceKind) continue;
    const auto known = advances_.find(each.uid);
    const bool same = known != advances_.end() && known->second.advance == each;
    advances.insert_or_assign(each.uid, Standing{each, same ? known->second.since : now});
  }
  advances_ = std::move(advances);
  TextMap<Time> seen;
  std::set<std::string, std::less<>> charged;
  objects([&](std::string_view uid) {
    // Those that are there when the first advance is seen were charged before.
    const auto known = seen_.find(uid);
    seen.emplace(uid, known != seen_.end() ? known->second : stood_ ? now : Time::min());
    if (charged_.contains(uid)) charged.emplace(uid);
  });
  for (const auto& each : group.reservations) charged.insert(each.uid);
  seen_ = std::move(seen);
  charged_ = std::move(charged);
}

std::optional<Time> Unwritten::Until(std::string_view uid, Time now) const {
  const auto seen = seen_.find(uid);
  if (!stands_ || seen == seen_.end() || charged_.contains(uid)) return std::nullopt;
  if (seen->second == Time::min()) return std::nullopt;
  Time until = seen->second + kUnwrittenFor;
  for (const auto& [instance, standing] : advances_) {
    if (standing.since <= seen->second) until = std::max(until, standing.advance.until);
  }
  return until > now ? std::optional(until) : std::nullopt;
}

}  // namespace huygens::advances
