// Which of the objects that are seen may have been let in out of an advance, so that their own reservations are still to be
// written: new ones of which nothing was ever reserved, for some seconds, or as long as an advance stands that its instance
// has not touched since: that instance is gone, or it would have written their reservations when it touched it. Of one
// group, for whoever counts what is there. Pure but for what it remembers.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "base/text.h"
#include "base/time.h"
#include "cluster/biz_group_quota.h"

namespace huygens::advances {

// By then an instance that is up has written the reservation.
inline constexpr Duration kUnwrittenFor = std::chrono::seconds(3);

class Unwritten {
 public:
  using EachUid = absl::FunctionRef<void(absl::FunctionRef<void(std::string_view uid)>)>;

  // Before each count: the group as it stands, and the objects that are seen.
  void See(const cluster::BizGroupQuota& group, EachUid objects, Time now);
  // Until when, as far as is known now; nothing: no more, or never.
  std::optional<Time> Until(std::string_view uid, Time now) const;
  // An advance stands, or stood in the count before.
  bool near() const { return stands_ || stood_; }

 private:
  struct Standing {
    cluster::QuotaReservation advance;
    Time since;
  };

  TextMap<Time> seen_;  // since when
  std::set<std::string, std::less<>> charged_;
  std::map<std::string, Standing, std::less<>> advances_;  // by instance, as they were last written
  bool stands_ = false, stood_ = false;
};

}  // namespace huygens::advances
