// How a part of a group's budget gets to another group (QuotaTransfer): given the transfer, the groups and the time,
// the one next write. Whoever carries it out may stop after any of them, or before; whoever comes next goes on from the
// objects as they are.
//
// The amounts leave the budgets of `from` and of those above it one by one, from below, until a group that is above
// both holds them, and then enter budgets from above, one by one, down to `to`. So budgets never add up to more than
// what is above them. On the way the amounts are in one group's use (HoldOf), which counts them as if a child had them,
// so that nobody takes the room meanwhile; where they get to next it is reserved before they come. That a budget has
// changed is written together with it, as an annotation with the transfer's UID: a step is done once, however often it
// is tried.
//
// A loan (`until`) takes the same way back. What is used then is not taken from anybody: the transfer is overdue, and
// `to` counts it in use, so that it takes nothing new until enough has ended. A transfer that is deleted comes back as
// well, one for good excepted; where the other group has gone meanwhile, what it had is with the group above it.
//
// Pure; any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

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
// or has reserved itself (NextSpending).
TransferStep NextTransferStep(const cluster::QuotaTransfer& transfer, const Tree& tree, Time now);

// Whose budget must have room for the next step; empty: nobody's. Where the step makes the budget of a child of `payer`
// grow, what the payer has reserved for that child is the transfer's own.
struct Spending {
  std::string payer, child;
};
Spending NextSpending(const cluster::QuotaTransfer& transfer, const Tree& tree);

// The keys of `stored`, which is spec.hard as it was written, that `changes` has by their normal names; of two spellings
// of one key both.
Amounts SpeltAs(const Amounts& stored, const Amounts& changes);

// Whether something of it is on its way, or overdue.
constexpr bool IsUnderWay(cluster::QuotaTransfer::Phase phase) {
  using Phase = cluster::QuotaTransfer::Phase;
  return phase == Phase::kMoving || phase == Phase::kReturning || phase == Phase::kOverdue;
}

// What a group has of a transfer that is on its way, or overdue.
struct Hold {
  std::string group;  // empty: nothing is held
  Amounts amounts;
  std::string child;  // for whose budget they are; what the group has reserved for it beyond that is of these amounts
};
Hold HoldOf(const cluster::QuotaTransfer& transfer, const Tree& tree);
// What the group uses on account of these, of any groups, beside what it uses by its reservations.
Amounts HeldIn(std::string_view group, std::span<const Hold> holds, const Tree& tree);

}  // namespace huygens::quota
