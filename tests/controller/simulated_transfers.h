// Controllers that count groups and carry out transfers between them, in virtual time: a tree of groups, and what nobody
// but the two may see of a transfer.
//
// org 100 ─ search 60 ─ ranking 40 (25 used)
//        └ ads 30 ─ bidding 10
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "controller/transfer_reconciler.h"
#include "tests/controller/simulated_quota.h"
#include "wire/quota_transfer.h"

namespace huygens::controller {

class SimulatedTransfers {
 public:
  SimulatedTransfers(SimulatedServer& server, test::VirtualTime& time)
      : counts(server, time),
        reconciler_(counts.view, std::make_unique<SimulatedStore>(server, time),
                    std::make_unique<SimulatedTransferStore>(server, time), {time, captured_.log}, {}, {}),
        loop(reconciler_, LoopOf(time, captured_.log), minutes(5)) {}

  void Lead() {
    counts.loop.Lead();
    loop.Lead();
  }
  void StopLeading() {
    counts.loop.StopLeading();
    loop.StopLeading();
  }
  std::vector<std::string> Lines() const { return captured_.Lines(); }

  SimulatedController counts;

 private:
  observe::CapturedLog captured_;
  TransferReconciler reconciler_;

 public:
  reconcile::ReconcileLoop loop;
};

class TransfersTest : public testing::Test {
 protected:
  using Phase = cluster::QuotaTransfer::Phase;

  TransfersTest() {
    controller->Lead();
    PutGroup("org", "", "100");
    PutGroup("search", "org", "60");
    PutGroup("ranking", "search", "40");
    PutGroup("ads", "org", "30");
    PutGroup("bidding", "ads", "10");
    server.PutDeployment("ranker", "ranking", 25);
    Run(seconds(5));
    for (const char* name : {"org", "search", "ads"}) left_[name] = Left(name);
    server.on_stored = [this] { Check(); };
  }

  void Run(Duration duration) { time.Run(time.Monotonic() + duration); }
  void PutGroup(const std::string& name, const std::string& parent, std::string_view cores) {
    server.PutGroup(MakeGroup(name, parent, {{"limits.cpu", std::string(cores)}}));
    Run(seconds(1));
  }
  void PutTransfer(std::string_view cores, std::optional<Time> until = std::nullopt, const std::string& name = "t",
                   const std::string& from = "ranking", const std::string& to = "bidding") {
    cluster::QuotaTransfer transfer;
    transfer.name = name;
    transfer.from = from;
    transfer.to = to;
    transfer.amounts = Of({{"limits.cpu", std::string(cores)}});
    transfer.until = until;
    server.PutTransfer(transfer);
  }
  std::string PhaseOf(const std::string& transfer = "t") const {
    return server.HasTransfer(transfer) ? std::string(wire::PhaseText(server.transfer(transfer).phase)) : "gone";
  }
  Quantity Hard(const std::string& group) const { return quota::Get(server.group(group).hard, "limits.cpu"); }
  // What the group's status says is left of it.
  Quantity Left(const std::string& group) const {
    Quantity left = Hard(group);
    left.Sub(quota::Get(server.group(group).used, "limits.cpu"));
    return left;
  }
  std::string All(Quantity (TransfersTest::*of)(const std::string&) const) const {
    std::string text;
    for (const char* name : {"org", "search", "ranking", "ads", "bidding"}) {
      text += Concat(text.empty() ? "" : " ", server.Has(name) ? (this->*of)(name).Canonical() : "-");
    }
    return text;
  }
  std::string Budgets() const { return All(&TransfersTest::Hard); }
  std::string Lefts() const { return All(&TransfersTest::Left); }
  size_t Marks() const {
    size_t marks = 0;
    for (const auto& [name, group] : server.groups()) marks += group.transfers.size();
    return marks;
  }
  uint64_t Drift() const { return controller->counts.counts().drift_over + controller->counts.counts().drift_under; }

  // Another instance, which knows what there is now and hears of the rest this much later.
  std::unique_ptr<SimulatedTransfers> Another(Duration lag) {
    auto another = std::make_unique<SimulatedTransfers>(server, time);
    another->counts.view.lag = lag;
    for (const auto& [name, group] : server.groups()) another->counts.view.Set(group);
    controller->counts.view.workloads().ForEach(
        [&](const workloads::WorkloadObject& each) { another->counts.view.SetWorkload(each); });
    return another;
  }

  test::VirtualTime time;
  SimulatedServer server{time};
  std::unique_ptr<SimulatedTransfers> controller = std::make_unique<SimulatedTransfers>(server, time);
  std::map<std::string, Quantity> left_;  // the most that may be left of those between the two

 private:
  // U2, and that those between the two neither give away what is on its way nor lose it.
  void Check() const {
    for (const auto& [name, group] : server.groups()) {
      Quantity handed_out;
      for (const auto& [child, each] : server.groups()) {
        if (each.parent == name) handed_out.Add(Hard(child));
      }
      EXPECT_TRUE(handed_out <= Hard(name)) << name << " has given away more than it has: " << Budgets();
    }
    for (const auto& [name, left] : left_) {
      if (!server.Has(name)) continue;
      EXPECT_TRUE(Left(name) <= left) << name << " seems to have room: " << Budgets() << ", left " << Lefts();
    }
  }
};

}  // namespace huygens::controller
