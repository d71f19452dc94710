// Whatever comes in whatever order – pods, nodes, readings that rise and fall – the figures of a node are the sums over
// its pods, and asking about a pod agrees with a walk over every slot.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>

#include "tests/usage/objects.h"
#include "usage/account.h"

namespace huygens::usage {
namespace {

constexpr NodeIndex kNodes = 3;
constexpr int kWorkloads = 5;

std::string NodeName(NodeIndex node) { return Concat("n", std::to_string(node)); }

class World {
 public:
  explicit World(const Options& options) : account_(options) {}

  void Step() {
    switch (*rc::gen::weightedElement<int>({{4, 0}, {2, 1}, {5, 2}, {1, 3}, {1, 4}})) {
      case 0:
        return Place();
      case 1:
        return Leave();
      case 2:
        return Read();
      case 3:
        return ChangeNode();
      case 4:
        account_.Settle(*rc::gen::inRange<size_t>(0, kNodes + 1));
    }
  }

  void Check() {
    account_.Settle();
    const auto pod = MakePod(std::to_string(*rc::gen::inRange(0, kWorkloads)), "asked", {{kCpu, 40}});
    const Demand demand = account_.DemandOf(*pod);
    for (NodeIndex node = 0; node < kNodes; ++node) CheckNode(node, demand);
  }

 private:
  void Place() {
    const auto workload = std::to_string(*rc::gen::inRange(0, kWorkloads));
    auto pod = MakePod(workload, std::to_string(named_++), {{kCpu, *rc::gen::inRange(1, 100)}});
    // Long ago, lately, not yet.
    if (const auto ago = *rc::gen::inRange(-2, 60); ago >= 0) pod->start_time = now_ - std::chrono::minutes(20 * ago);
    pods_.push_back(On(*rc::gen::inRange<NodeIndex>(0, kNodes), pod));
    account_.Place(pods_.back());
  }
  void Leave() {
    if (pods_.empty()) return;
    const auto pod = pods_.begin() + *rc::gen::inRange<ptrdiff_t>(0, std::ssize(pods_));
    account_.Leave(*pod);
    pods_.erase(pod);
  }
  void Read() {
    slot_ += *rc::gen::weightedElement<int64_t>({{3, 0}, {6, 1}, {1, 2}, {1, 20}});
    Readings readings = InSlot(account_.options(), slot_ - *rc::gen::weightedElement<int64_t>({{6, 0}, {1, 2}}), {});
    for (int w = 0; w < kWorkloads; ++w) {
      if (!*rc::gen::arbitrary<bool>()) continue;
      readings.workloads.push_back({KeyOf(std::to_string(w)), *rc::gen::inRange<int64_t>(0, 200)});
    }
    const auto node = *rc::gen::inRange<NodeIndex>(0, kNodes);
    readings.nodes.push_back({NodeName(node), *rc::gen::inRange<int64_t>(0, 50)});
    now_ = std::max(now_, readings.measured);
    account_.Apply(readings, now_);
  }
  void ChangeNode() {
    const auto index = *rc::gen::inRange<NodeIndex>(0, kNodes);
    capacity_[index] = *rc::gen::element<int64_t>(0, 300, 1000);
    cluster::Node node = MakeNode(NodeName(index), {{kCpu, capacity_[index]}});
    node.capacity = {{kCpu, capacity_[index] + *rc::gen::inRange<int64_t>(-10, 40)}};
    account_.NodeObjectChanged(index, capacity_[index] == 0 ? nullptr : &node);
  }

  void CheckNode(NodeIndex node, const Demand& asked) {
    std::vector<const cluster::PlacedPod*> here;
    for (const cluster::PlacedPod& pod : pods_) {
      if (pod.node == node) here.push_back(&pod);
    }
    // Before Recount, which would mend what increments and Settle left wrong.
    const auto figures = account_.Figures(node, now_);
    const Verdict judged = account_.Judge(node, asked, now_);
    RC_ASSERT(!account_.Recount(node, here));
    if (figures.empty()) return RC_ASSERT(here.empty());

    for (const cluster::PlacedPod* pod : here) account_.Leave(*pod);
    const NodeFigures bare = account_.Figures(node, now_)[0];
    const size_t slots = account_.options().slots;
    std::vector<int64_t> sums = bare.curve;
    int64_t peaks = bare.sum_of_peaks;
    for (const cluster::PlacedPod* pod : here) {
      // What it counts for alone. One that runs for long is estimated at no more than one to come.
      account_.Place(*pod);
      const NodeFigures with = account_.Figures(node, now_)[0];
      account_.Leave(*pod);
      RC_ASSERT(account_.Figures(node, now_)[0].curve == bare.curve);
      const int64_t peak = with.sum_of_peaks - bare.sum_of_peaks;
      RC_ASSERT(peak <= account_.DemandOf(*pod->pod).resources[0].peak);
      for (size_t s = 0; s < slots; ++s) sums[s] += with.curve[s] - bare.curve[s];
      peaks += peak;
    }
    for (const cluster::PlacedPod* pod : here) account_.Place(*pod);
    RC_ASSERT(bare.pods.empty());
    RC_ASSERT(bare.sum_of_peaks == std::max<int64_t>(0, bare.system - bare.reserved));
    RC_ASSERT(*std::max_element(bare.curve.begin(), bare.curve.end()) == bare.sum_of_peaks);
    RC_ASSERT(account_.Figures(node, now_)[0].curve == figures[0].curve);
    RC_ASSERT(figures[0].curve == sums);
    RC_ASSERT(figures[0].sum_of_peaks == peaks);
    RC_ASSERT(figures[0].peak_of_sum == *std::max_element(sums.begin(), sums.end()));

    if (account_.State(node, 0, now_) != MetricState::kFresh) return CheckBlind(here, asked, capacity_[node], judged);
    const auto fits = [&](const std::vector<int64_t>& use, int64_t use_of_peaks) {
      if (capacity_[node] == 0) return true;
      const int64_t limit = capacity_[node] * 8 / 10;
      if (account_.options().estimator == Estimator::kSumOfPeaks) {
        return use_of_peaks + asked.resources[0].peak <= limit;
      }
      for (size_t s = 0; s < slots; ++s) {
        if (use[s] + asked.resources[0].At(s) > limit) return false;
      }
      return true;
    };
    const Verdict want = fits(sums, peaks)                     ? Verdict::kFits
                         : fits(bare.curve, bare.sum_of_peaks) ? Verdict::kOverCeiling
                                                               : Verdict::kNeverFits;
    RC_ASSERT(judged == want);
    RC_ASSERT(account_.Judge(node, asked, now_) == want);
  }

  // Without fresh figures what the pods ask for counts.
  void CheckBlind(std::span<const cluster::PlacedPod* const> here, const Demand& asked, int64_t capacity,
                  Verdict judged) const {
    const int64_t limit = capacity * 8 / 10, own = asked.resources[0].estimate;
    int64_t sum = own;
    for (const cluster::PlacedPod* pod : here) sum += account_.DemandOf(*pod->pod).resources[0].estimate;
    const Verdict want = capacity == 0 || sum <= limit ? Verdict::kFits
                         : own <= limit                ? Verdict::kOverCeiling
                                                       : Verdict::kNeverFits;
    RC_ASSERT(judged == want);
  }

  Account account_;
  std::vector<cluster::PlacedPod> pods_;
  std::array<int64_t, kNodes> capacity_{};
  int64_t slot_ = 0;
  int named_ = 0;
  Time now_;
};

RC_GTEST_PROP(UsageAccountProperty, FiguresAreSumsAndAnswersAreTheWalkOverEverySlot, ()) {
  Options options = CpuOptions(*rc::gen::inRange<size_t>(1, 30));
  options.stale_after = std::chrono::hours(2);
  options.estimator = *rc::gen::element(Estimator::kPeakOfSum, Estimator::kSumOfPeaks);
  World world(options);
  for (int rounds = *rc::gen::inRange(1, 6); rounds > 0; --rounds) {
    for (int step = *rc::gen::inRange(1, 20); step > 0; --step) world.Step();
    world.Check();
  }
}

}  // namespace
}  // namespace huygens::usage
