// What groups without a parent left, in one ConfigMap: a key of each, the name of the group. Of more than it has room
// for those go that were deleted first.
#pragma once

#include <string>

#include "controller/left_hours.h"
#include "reconcile/leader_calls.h"

namespace huygens::controller {

inline constexpr char kHoursConfigMap[] = "huygens-controller-hours";

class ConfigMapHours final : public LeftHoursStore {
 public:
  // `calls` must outlive it.
  ConfigMapHours(reconcile::LeaderCalls& calls, std::string namespace_name)
      : calls_(calls), namespace_name_(std::move(namespace_name)) {}

  void Keep(const std::string& group, const LeftHours& left, Kept done) override;
  void Find(const std::string& group, Found done) override;

 private:
  reconcile::LeaderCalls& calls_;
  const std::string namespace_name_;
};

}  // namespace huygens::controller
