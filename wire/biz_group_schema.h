// The rules of config/crd/bizgroupresourcequotas.yaml, for a BizGroupResourceQuota that no API server has looked at.
// Safe on any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/biz_group_quota.h"

namespace huygens::wire {

// Regular expressions as the definition has them.
inline constexpr std::string_view kGroupNamePattern = "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$";
inline constexpr std::string_view kBudgetKeyPattern =
    "^(cash/)?((limits[.]|requests[.])?((cpu|memory)([.][A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?|"
    "ephemeral-storage|[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)+/"
    "[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)|(requests[.])?hugepages-[A-Za-z0-9]+|pods|count/pods)$";
inline constexpr std::string_view kBudgetPattern =
    R"(^\+?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?([0-5]?[0-9]|60))?$)";

inline constexpr std::string_view kTimeZonePattern = "^[A-Za-z][-A-Za-z0-9_+]*(/[A-Za-z0-9][-A-Za-z0-9_+]*)*$";
inline constexpr int64_t kMostCarriedPeriods = 100;

// "Day", "Week" or "Month".
std::optional<cluster::CashPolicy::Period> PeriodOf(std::string_view text);

// What the API server would refuse of the object, each fault with its field ("spec.hard.gpu: unknown key; ..."), and
// fields that the definition does not have, which kubectl refuses. Empty: nothing.
std::vector<std::string> BizGroupQuotaFaults(std::string_view json);

}  // namespace huygens::wire
