// What a group without a parent had consumed of its hours when it was deleted, and where that is kept: hours of other
// groups stay with their parents (controller/inheritance.h), a root has none. Answers come on the loop's thread, never
// before the call has returned; none comes where this instance leads no more.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/status.h"
#include "base/time.h"

namespace huygens::controller {

struct LeftHours {
  std::map<std::string, std::string> exact_hours;  // as status.exactHours
  Time until;                                      // to which they were counted

  friend bool operator==(const LeftHours&, const LeftHours&) = default;
};

class LeftHoursStore {
 public:
  // PermissionDenied: the account may not. Any other error: it may or may not have been kept.
  using Kept = std::function<void(Status)>;
  // Nothing: none of this name left any.
  using Found = std::function<void(StatusOr<std::optional<LeftHours>>)>;

  virtual ~LeftHoursStore() = default;
  // Instead of what one of this name left before.
  virtual void Keep(const std::string& group, const LeftHours& left, Kept done) = 0;
  virtual void Find(const std::string& group, Found done) = 0;
};

}  // namespace huygens::controller
