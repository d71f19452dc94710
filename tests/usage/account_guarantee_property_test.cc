// What the ceiling promises: if the last week repeats, no node is above its ceiling at any slot, whatever the order in
// which pods came, moved and left. An independent replay of the raw amounts says so.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/usage/objects.h"
#include "usage/account.h"

namespace huygens::usage {
namespace {

using Week = std::vector<int64_t>;

rc::Gen<std::vector<Week>> Weeks(size_t count, size_t slots, int64_t most) {
  return rc::gen::container<std::vector<Week>>(
      count,
      rc::gen::container<Week>(slots, rc::gen::weightedOneOf<int64_t>({{4, rc::gen::inRange<int64_t>(0, 20)},
                                                                       {1, rc::gen::inRange<int64_t>(0, most)}})));
}

// Amounts up to `most` for each workload and each node's system, week after week the same.
struct Trace {
  std::vector<Week> workloads, systems;
};

// The pods of the trace on its nodes, and the account that is asked where they may go.
class Replay {
 public:
  Replay(const Options& options, Trace trace, int64_t capacity)
      : account_(options), trace_(std::move(trace)), limit_(capacity * *options.resources[0].ceiling / kMillion) {
    for (NodeIndex n = 0; n < trace_.systems.size(); ++n) {
      const cluster::Node node = MakeNode(NodeName(n), {{kCpu, capacity}});
      account_.NodeObjectChanged(n, &node);
    }
    for (size_t s = 0; s < options.slots; ++s) ReadSlot();
    account_.Settle();
  }

  // The next slot of the trace, or a part of it first: only a share of what will have been its highest.
  void ReadSlot() { Read(slot_++, 100); }
  void ReadPartOfSlot() { Read(slot_, *rc::gen::inRange(0, 100)); }

  void Settle() { account_.Settle(*rc::gen::inRange<size_t>(0, 4)); }

  void Arrive() {
    const auto workload = *rc::gen::inRange<size_t>(0, trace_.workloads.size());
    auto pod = MakePod(std::to_string(workload), std::to_string(pods_.size()), {{kCpu, 10}});
    pods_.push_back({workload, On(0, pod), false});
    TryToPlace(pods_.back());
  }
  void LeaveOrMove(bool move) {
    if (pods_.empty()) return;
    PodHere& pod = pods_[*rc::gen::inRange<size_t>(0, pods_.size())];
    if (pod.placed) account_.Leave(pod.on);
    pod.placed = false;
    if (move) TryToPlace(pod);
  }

  void Check() const {
    for (NodeIndex n = 0; n < trace_.systems.size(); ++n) {
      for (size_t s = 0; s < trace_.systems[n].size(); ++s) {
        int64_t use = trace_.systems[n][s];
        // A node that is too hot by itself takes nobody.
        bool alone = true;
        for (const PodHere& pod : pods_) {
          if (!pod.placed || pod.on.node != n) continue;
          use += trace_.workloads[pod.workload][s];
          alone = false;
        }
        RC_ASSERT(alone || use <= limit_);
      }
    }
  }
  // Increments leave what a count from nothing finds.
  void Recount() {
    for (NodeIndex n = 0; n < trace_.systems.size(); ++n) {
      std::vector<const cluster::PlacedPod*> here;
      for (const PodHere& pod : pods_) {
        if (pod.placed && pod.on.node == n) here.push_back(&pod.on);
      }
      RC_ASSERT(!account_.Recount(n, here));
    }
  }
  size_t placed() const {
    return static_cast<size_t>(std::count_if(pods_.begin(), pods_.end(), [](const auto& pod) { return pod.placed; }));
  }

 private:
  struct PodHere {
    size_t workload;
    cluster::PlacedPod on;
    bool placed;
  };

  static std::string NodeName(NodeIndex node) { return Concat("n", std::to_string(node)); }

  void Read(int64_t slot, int64_t percent) {
    const size_t at = static_cast<size_t>(slot) % account_.options().slots;
    Readings readings = InSlot(account_.options(), slot, {}, {});
    for (size_t w = 0; w < trace_.workloads.size(); ++w) {
      readings.workloads.push_back({KeyOf(std::to_string(w)), trace_.workloads[w][at] * percent / 100});
    }
    for (NodeIndex n = 0; n < trace_.systems.size(); ++n) {
      readings.nodes.push_back({NodeName(n), trace_.systems[n][at] * percent / 100});
    }
    account_.Apply(readings, readings.measured);
    now_ = readings.measured;
  }

  void TryToPlace(PodHere& pod) {
    const Demand demand = account_.DemandOf(*pod.on.pod);
    const auto first = *rc::gen::inRange<size_t>(0, trace_.systems.size());
    for (size_t n = 0; n < trace_.systems.size() && !pod.placed; ++n) {
      pod.on.node = static_cast<NodeIndex>((first + n) % trace_.systems.size());
      if (account_.Judge(pod.on.node, demand, now_) != Verdict::kFits) continue;
      account_.Place(pod.on);
      pod.placed = true;
    }
  }

  Account account_;
  Trace trace_;
  int64_t limit_;
  int64_t slot_ = 0;
  Time now_;
  std::vector<PodHere> pods_;
};

void KeepsItsPromise(Estimator estimator) {
  Options options = CpuOptions(*rc::gen::inRange<size_t>(8, 41));
  options.estimator = estimator;
  options.resources[0].ceiling = *rc::gen::inRange<int64_t>(300'000, 1'000'001);
  // Some so large that curves are rounded.
  const int64_t most = *rc::gen::element<int64_t>(100, 1000, int64_t{1} << 30);
  const auto slots = options.slots;
  Replay replay(
      options,
      {*Weeks(*rc::gen::inRange<size_t>(1, 8), slots, most), *Weeks(*rc::gen::inRange<size_t>(1, 4), slots, most / 2)},
      most * *rc::gen::inRange<int64_t>(1, 8) + *rc::gen::inRange<int64_t>(0, 100));
  for (int step = *rc::gen::inRange(1, 120); step > 0; --step) {
    switch (*rc::gen::weightedElement<int>({{6, 0}, {2, 1}, {2, 2}, {1, 3}, {1, 4}, {1, 5}})) {
      case 0:
        replay.Arrive();
        break;
      case 1:
        replay.LeaveOrMove(true);
        break;
      case 2:
        replay.LeaveOrMove(false);
        break;
      case 3:
        replay.ReadSlot();
        break;
      case 4:
        replay.ReadPartOfSlot();
        break;
      case 5:
        replay.Settle();
        break;
    }
    replay.Check();
  }
  replay.Recount();
  RC_CLASSIFY(replay.placed() > 8, "more than eight pods placed");
}

RC_GTEST_PROP(UsageGuarantee, PeakOfSumLeavesNoNodeAboveItsCeiling, ()) { KeepsItsPromise(Estimator::kPeakOfSum); }
RC_GTEST_PROP(UsageGuarantee, SumOfPeaksLeavesNoNodeAboveItsCeiling, ()) { KeepsItsPromise(Estimator::kSumOfPeaks); }

}  // namespace
}  // namespace huygens::usage
