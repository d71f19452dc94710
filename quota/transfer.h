// How a part of a group's budget gets to another group (QuotaTransfer): given the transfer, the groups and the time,
// the one next write. Whoever carries it out may stop after any of them, or before; whoever comes next goes on from the
// objects as they are.
//
// The amounts leave the budgets of `from` and of those above it one by one, from below, until a group that is above
// both holds them, and then enter budgets from above, one by one, down to `to`. So budgets never add up to more than
// what is above them. On the way the amounts are in one group's use (HoldOf), which counts them as if a child had them,
// so that nobody takes the room meanwhile. That a budget has changed is written together with it, as an annotation with
// the transfer's UID: a step is done once, however often it is tried.
//
// A loan (`until`) takes the same way back. What is used then is not taken from anybody: the transfer is overdue, and
// `to` counts it in use, so that it takes nothing new until enough has ended. A transfer that is deleted comes back as
// well, one for good excepted; where the other group has gone meanwhile, what it had is with the group above it.
//
// Pure; any thread.
#pragma once

#include <optional>
#include <string>

#include "cluster/quota_transfer.h"
#include "quota/amounts.h"
#include "quota/tree.h"

namespace huygens::quota {

struct TransferStep {
  enum class Kind : uint8_t {
    kWait,             // until something changes, or `look_again`
    kAddFinalizer,     // to the transfer
    kRemoveFinalizer,  // from it
    kWriteStatus,      // `transfer` as it will be
    kReserve,          // write a reservation for the child `group` into the status of `payer`; it holds `reserved`
    kChangeBudget,     // write `hard` and the mark of the transfer into `group`
  };
  Kind kind = Kind::kWait;
  cluster::QuotaTransfer transfer;  // of kWriteStatus
  std::string group, payer;
  Amounts reserved;     // the whole budget that the child will have
  Amounts hard;         // normal keys of the budget that change; SpeltAs makes them those of spec.hard
  bool marked = false;  // whether the group has the mark then
  std::optional<Time> look_again;
};

// `tree` has the groups with what is used of them by pods, children and reservations, but for what this transfer holds
// or has reserved itself.
TransferStep NextTransferStep(const cluster::QuotaTransfer& transfer, const Tree& tree, Time now);

// The keys of `stored`, which is spec.hard as it was written, that `changes` has by their normal names; of two spellings
// of one key both.
Amounts SpeltAs(const Amounts& stored, const Amounts& changes);

struct Hold {
  std::string group;  // empty: nothing is held
  Amounts amounts;
};
// What a group uses on account of the transfer: amounts that are on their way, or overdue. Those that a reservation
// counts already, for the group that they go to next, are not held besides.
Hold HoldOf(const cluster::QuotaTransfer& transfer, const Tree& tree);

}  // namespace huygens::quota
