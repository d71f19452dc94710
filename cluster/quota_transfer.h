// A part of a business group's budget that goes to another group, for good or until a moment (QuotaTransfer,
// quota.huygens.dev/v1alpha1), as the API server stores it. Plain values, filled by wire/; quota/transfer.h has the
// rules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "cluster/biz_group_quota.h"

namespace huygens::cluster {

// Groups whose budgets change hold the annotation PREFIX + the UID of the transfer, written together with the budget.
inline constexpr std::string_view kTransferAnnotationPrefix = "transfer.quota.huygens.dev/";
// Keeps a transfer from being deleted before what it lent has come back.
inline constexpr std::string_view kTransferFinalizer = "quota.huygens.dev/transfer";

struct QuotaTransfer {
  enum class Phase : uint8_t {
    kPending,    // nothing has been moved; also where nobody has looked at it yet
    kMoving,     // it is on its way
    kMoved,      // it is there for good
    kLent,       // it is there until `until`
    kOverdue,    // it should come back, and is used
    kReturning,  // it is on its way back
    kReturned,
    kRefused,  // it cannot be, whatever happens
  };

  std::string name;
  std::string uid;
  std::string resource_version;
  bool deleting = false;   // deletionTimestamp is set
  bool finalizer = false;  // kTransferFinalizer is there
  std::vector<std::string> other_finalizers;
  std::string from, to;
  QuotaAmounts amounts;
  std::optional<Time> until;  // absent: for good

  Phase phase = Phase::kPending;
  std::string message;  // why it waits or was refused
  // The way, as it was found when it began to move: groups whose budgets shrink, `from` first, up to below `common`,
  // the group that is above both or one of them; and those whose budgets grow, `to` last.
  std::vector<std::string> shrinking, growing;
  std::string common;

  std::string defect;  // why the object cannot be used; empty = usable
};

}  // namespace huygens::cluster
