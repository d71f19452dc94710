// Groups and a transfer as an API server would keep them, and a controller that does one write at a time and remembers
// nothing.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <string>

#include "quota/transfer.h"
#include "tests/base/clock.h"
#include "tests/quota/groups.h"

namespace huygens::quota {

class TransferBed {
 public:
  using Kind = TransferStep::Kind;
  using Phase = cluster::QuotaTransfer::Phase;

  cluster::QuotaTransfer transfer;
  std::map<std::string, cluster::BizGroupQuota> groups;
  std::map<std::string, Amounts> pods;  // what the group's own pods take
  Time now = test::kNow;

  void Add(cluster::BizGroupQuota group) {
    group.uid = "uid-" + group.name;
    groups[group.name] = std::move(group);
  }
  void Transfer(std::string from, std::string to, Pairs amounts) {
    transfer.name = "t";
    transfer.uid = "uid-t";
    transfer.from = std::move(from);
    transfer.to = std::move(to);
    transfer.amounts = Of(amounts);
  }

  // With what pods and children take; reservations beyond that are counted by Left alone.
  Tree MakeTree() const {
    Tree tree;
    for (const auto& [name, group] : groups) tree.Set(group);
    for (const auto& [name, amounts] : pods) tree.Charge(name, amounts);
    return tree;
  }
  TransferStep Next() const { return NextTransferStep(transfer, MakeTree(), now); }

  // One write; false where there was none to do.
  bool Step() {
    const TransferStep step = Next();
    switch (step.kind) {
      case Kind::kWait:
        return false;
      case Kind::kAddFinalizer:
        transfer.finalizer = true;
        break;
      case Kind::kRemoveFinalizer:
        transfer.finalizer = false;
        break;
      case Kind::kWriteStatus:
        transfer = step.transfer;
        break;
      case Kind::kReserve:
        Reserve(step);
        break;
      case Kind::kChangeBudget:
        Change(step);
        break;
    }
    return true;
  }
  // To the end, or to where it waits.
  void Finish() {
    int steps = 0;
    while (Step()) ASSERT_LT(++steps, 100) << "it runs in a circle";
  }

  Quantity Hard(const std::string& name, std::string_view key = "limits.cpu") const {
    return Get(NormalKeys(groups.at(name).hard), key);
  }
  // What the group's budget has beside what pods, children, reservations and the transfer take.
  Quantity Left(const std::string& name, std::string_view key = "limits.cpu") const {
    const Tree tree = MakeTree();
    Quantity left = Hard(name, key);
    left.Sub(Get(tree.Find(name)->used, key));
    for (const auto& reservation : groups.at(name).reservations) {
      Quantity more = Get(reservation.amounts, key);
      for (const auto& [child, group] : groups) {
        if (group.uid == reservation.uid) more.Sub(Get(NormalKeys(group.hard), key));
      }
      if (more.Sign() > 0) left.Sub(more);
    }
    const Hold hold = HoldOf(transfer, tree);
    left.Sub(Get(HeldIn(name, {&hold, 1}, tree), key));
    return left;
  }

 private:
  void Reserve(const TransferStep& step) {
    cluster::BizGroupQuota& payer = groups.at(step.payer);
    const std::string& uid = groups.at(step.group).uid;
    std::erase_if(payer.reservations, [&](const auto& each) { return each.uid == uid; });
    payer.reservations.push_back(
        {uid, std::string(cluster::kGroupKind), "", step.group, step.reserved, now + std::chrono::seconds(90)});
  }
  void Change(const TransferStep& step) {
    cluster::BizGroupQuota& group = groups.at(step.group);
    for (const auto& [key, amount] : SpeltAs(group.hard, step.hard)) Set(group.hard, key, amount);
    if (step.marked) group.transfers.insert(transfer.uid);
    if (!step.marked) group.transfers.erase(transfer.uid);
    for (auto& [name, each] : groups) {  // the controller has seen it
      std::erase_if(each.reservations, [&](const auto& reservation) { return reservation.uid == group.uid; });
    }
  }
};

}  // namespace huygens::quota
