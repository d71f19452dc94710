// The budget of a business group (BizGroupResourceQuota, quota.huygens.dev/v1alpha1) as the API server stores it, and
// the labels by which a pod or a workload names its group. Plain values, filled by wire/. Amounts are exact, by key
// ("limits.cpu.A4"); quota/ knows what keys mean.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quantity.h"
#include "base/time.h"

namespace huygens::cluster {

// An amount per key, ordered by key, each key once.
using QuotaAmounts = std::vector<std::pair<std::string, Quantity>>;

// What was charged to a group for an object that was about to be stored, until the object was seen: as large as the
// object makes it, not only what it takes more than before.
struct QuotaReservation {
  std::string uid;   // of the object
  std::string kind;  // with the API group: "Deployment.apps", "Pod"
  std::string namespace_name, name;
  QuotaAmounts amounts;  // all that it takes of the group, by keys of the budget
  Time until;            // whole seconds; it has counted long enough then, seen or not
  friend bool operator==(const QuotaReservation&, const QuotaReservation&) = default;
};

// How a reservation names the kind of groups: a child is charged to its parent.
inline constexpr std::string_view kGroupKind = "BizGroupResourceQuota.quota.huygens.dev";

// How a reservation names what an instance of huygens webhook keeps ahead of need (advances/advance.h), by the UID of the
// instance, and that an instance asks the others to give that back, which takes nothing. Objects never have these kinds.
inline constexpr std::string_view kAdvanceKind = "Advance.quota.huygens.dev";
inline constexpr std::string_view kRecallKind = "Recall.quota.huygens.dev";

// A child that was deleted, of which the hours are in its parent's account already.
struct InheritedGroup {
  std::string uid, name;
  Time at;  // whole seconds
  friend bool operator==(const InheritedGroup&, const InheritedGroup&) = default;
};

// How budgets of hours come anew (spec.cashPolicy): "1000 GPU hours a week". quota/periods.h knows when.
struct CashPolicy {
  enum class Period : uint8_t { kDay, kWeek, kMonth };
  Period period = Period::kWeek;
  int64_t carry_over = 0;  // so many periods' budgets at most may be left over from earlier periods
  std::optional<Time>
      anchor;  // when one of the periods begins; absent: at midnight, weeks on Monday, months on the 1st
  std::string time_zone = "UTC";
  friend bool operator==(const CashPolicy&, const CashPolicy&) = default;
};

struct BizGroupQuota {
  std::string name;
  std::string uid;
  std::string resource_version;
  std::string parent;  // spec.parentBizGroup; empty = a root
  std::optional<Time> created;
  bool deleting = false;  // deletionTimestamp is set
  std::vector<std::string> finalizers;
  QuotaAmounts hard;                      // spec.hard
  std::optional<CashPolicy> cash_policy;  // absent: a budget of hours is there once and for all
  QuotaAmounts counted_hard;              // status.hard: the budget that the figures below were reckoned with
  QuotaAmounts used;                      // status.used, as it was last written: reservations count
  QuotaAmounts self_used;                 // status.selfUsed: without what children take
  std::vector<QuotaReservation> reservations;
  bool reservations_as_text = false;               // their form in the status (wire/quota_reservations.h)
  std::map<std::string, std::string> exact_hours;  // status.exactHours: quota::CashLedger::Texts
  std::vector<InheritedGroup> inherited;           // status.inherited
  std::optional<Time> last_reconcile;
  std::optional<Time> hours_since;  // status.hoursSince: when the period that hours are counted in began
  QuotaAmounts carried_hours;       // status.carriedHours: what earlier periods left, and is there before the budget
  std::set<std::string, std::less<>> transfers;  // UIDs of the QuotaTransfers that spec.hard has the amounts of
  std::string defect;                            // why the object cannot be used ("spec.hard.cpu: ..."); empty = usable
};

struct QuotaLabels {
  std::string group;      // empty = the pod belongs to no group
  std::string cpu_model;  // empty = any
  std::string gpu_model;
  std::string memory_model;
  friend bool operator==(const QuotaLabels&, const QuotaLabels&) = default;
};

inline constexpr std::string_view kQuotaGroupLabel = "biz.group.resource.quota";

// Takes in one label of an object: kQuotaGroupLabel, and below it /cpu-type, /gpu-type, /memory-type. Others
// change nothing.
inline void TakeQuotaLabel(std::string_view key, std::string_view value, QuotaLabels& labels) {
  if (!key.starts_with(kQuotaGroupLabel)) return;
  key.remove_prefix(kQuotaGroupLabel.size());
  if (key.empty()) labels.group = value;
  if (key == "/cpu-type") labels.cpu_model = value;
  if (key == "/gpu-type") labels.gpu_model = value;
  if (key == "/memory-type") labels.memory_model = value;
}

}  // namespace huygens::cluster
