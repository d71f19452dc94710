// What the pods of each node use, by seven-day history: per node and resource the sum of their weekly curves and the
// sum of their peaks, plus what the node uses beyond its pods. Pods count from the moment they are placed (reserved
// ones, too) and stop counting when they leave; a workload's history reaches all its pods when it changes.
// Whole numbers throughout, so that placing a pod and taking it off leaves every figure as it was.
//
// Estimates stand in for what is not measured yet, no more (usage/profile.h): how long a pod has run within what was
// measured of its node goes by the times of the readings, not by a clock.
//
// Readings change histories at once (Apply) and the sums of the nodes a little later (Settle): a poll brings a reading
// of every workload, and adding up each node once after it costs far less than touching it for each reading.
//
// Decision thread only, const calls too: they remember what they worked out. No clock: `now` comes in.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "cluster/account.h"
#include "usage/ceiling_index.h"
#include "usage/histories.h"
#include "usage/node_usage.h"
#include "usage/options.h"
#include "usage/readings.h"

namespace huygens::usage {

using cluster::NodeIndex;

// Capacities are cut to this, so that a ceiling of a thousandfold cannot overflow.
inline constexpr int64_t kMostCapacity = int64_t{1} << 53;

// From good to bad: of several resources the worst counts.
enum class Verdict : uint8_t {
  kFits,
  kOverCeiling,  // with the others on the node
  kNeverFits,    // above the ceiling on a node without other pods
  kUnknown,      // use is stale or absent, and the operator says reject
};

// For people: one resource of one node.
struct NodeFigures {
  std::string name;  // of the resource
  MetricState state = MetricState::kAbsent;
  std::optional<Time> measured;
  int64_t capacity = 0;            // real allocatable; 0 = unknown
  std::optional<int64_t> ceiling;  // in base units
  int64_t sum_of_peaks = 0;        // system use included, as in the two below
  int64_t peak_of_sum = 0;
  size_t peak_slot = 0;        // slot of the week in which that is
  int64_t system = 0;          // highest use beyond the pods
  int64_t reserved = 0;        // room that allocatable leaves for that: as much of it counts for nothing
  int64_t estimates = 0;       // of the pods, which stand for stale or absent use
  std::vector<int64_t> curve;  // by slot of the week
  struct PodUse {
    std::string key;  // NAMESPACE/NAME
    std::string workload;
    int64_t peak = 0;
    bool measured = false;  // false: an estimate
  };
  std::vector<PodUse> pods;  // highest peak first, then by key
};

// What the check goes by, of one resource of one node: predicted use, or where that is not fresh the estimates of the
// pods.
struct NodeUse {
  MetricState state = MetricState::kAbsent;
  std::optional<Time> measured;
  int64_t capacity = 0;              // real allocatable; 0 = unknown
  std::optional<int64_t> ceiling;    // in base units
  int64_t now = 0;                   // as measured; in the slot of the week that it is now where nobody says
  std::optional<Time> now_measured;  // when, where that was measured lately
  int64_t peak = 0;                  // of the week, by the estimator
  int64_t measured_peak = 0;         // likewise, without what is estimated, fresh or not
};

class Account final : public cluster::Account {
 public:
  explicit Account(Options options);
  const Options& options() const { return options_; }

  void Place(const cluster::PlacedPod& pod) override;
  void Leave(const cluster::PlacedPod& pod) override;
  void NodeObjectChanged(NodeIndex node, const cluster::Node* object) override;
  void NodeChanged(NodeIndex /*node*/, const cluster::NodeTopology* /*topology*/) override {}
  bool Recount(NodeIndex node, std::span<const cluster::PlacedPod* const> pods) override;

  // Takes in what a source measured (usage/curve.h has the rules). A new state of metrics counts at once, new amounts
  // count on nodes after Settle. What was measured later than `now` by more than Options::stale_after was so by a wrong
  // clock, and any other reading takes its place.
  void Apply(const Readings& readings, Time now);
  // Brings the sums of the next `nodes` nodes up to date; false once all are. About 20 us per node and resource. To be
  // called when no more readings wait, in slices between requests.
  bool Settle(size_t nodes = std::numeric_limits<size_t>::max());
  // The nodes whose predicted use fell by readings since the last call, or is fresh again, ascending: on them pods may
  // fit that did not.
  std::vector<NodeIndex> TakeRelieved();

  // What the pod would add: by the history of its workload, else by its requests and limits, and over the first day of
  // history by both (usage/profile.h).
  Demand DemandOf(const cluster::Pod& pod) const;
  // What the pod, which is placed on the node, counts for there; nothing if it is not there.
  std::optional<Demand> DemandOn(NodeIndex node, const cluster::Pod& pod) const;
  // What is kept of a demand for queries: of the last ones that DemandOf has named.
  using Known = CeilingIndex::Known;
  Known Find(const Demand& demand) const { return ceilings_.Find(demand); }
  // Whether nodes stay at or under their ceilings with a pod on them; of `left_out` nothing is asked. Holds as long as
  // the account and the demand stay as they are and no other demand is asked for.
  class CeilingQuery {
   public:
    // `known`: of the demand.
    CeilingQuery(const Account& account, const Demand& demand, const Known& known, Time now,
                 ResourceMask left_out = {});
    // The position of the first of the nodes, `from` or later, that is not to be skipped and of which no fresh figures
    // say that the pod fits; their number if there is none.
    template <typename Skip>
    size_t NextUndecided(std::span<const NodeIndex> nodes, size_t from, Skip skip) const {
      const auto sum_of = [&](NodeIndex node, size_t resource) -> const Sum& { return account_.At(node, resource); };
      return index_.NextUndecided(nodes, from, skip, sum_of);
    }
    // Of such a node.
    Verdict Evaluate(NodeIndex node) const;

   private:
    const Account& account_;
    const Demand& demand_;
    const Known& known_;
    Time now_;
    ResourceMask left_out_;
    CeilingIndex::Query index_;
  };
  Verdict Judge(NodeIndex node, const Demand& demand, Time now, ResourceMask left_out = {}) const;
  // Predicted use with the pod, as a share of the node's real allocatable; NaN where that is not known. By peakOfSum
  // the peak is looked for in two slots (NodeUsage::LikelyPeak). Where the measured use is stale or absent the
  // estimates of all its pods stand for it: neither the best node nor the worst.
  float Share(NodeIndex node, size_t resource, const Demand& demand, Time now) const;

  MetricState State(NodeIndex node, size_t resource, Time now) const;
  // The resources with a ceiling of which more than Options::max_stale_nodes have no fresh figures: the check leaves
  // them out. StaleShare: the largest such share, in millionths. Cheap: counted at most once per second of `now` while
  // nothing changes.
  ResourceMask SteppingAside(Time now) const { return FreshnessAt(now).aside; }
  int64_t StaleShare(Time now) const { return FreshnessAt(now).share; }
  // The resources of which less of the window was measured than Options::min_history asks for: a peak may be still to
  // come, so nothing is to be refused for them. HistoryOf: how much was measured.
  ResourceMask ShortHistory() const;
  Duration HistoryOf(size_t resource) const;

  // The sums that all of these go by, of a node that is known: for who adds up what would be (rescheduling/). They hold
  // until the next pod or reading.
  const NodeUsage& SumOf(NodeIndex node, size_t resource) const { return At(node, resource).usage; }
  bool Knows(NodeIndex node) const { return node < nodes_.size(); }
  // A few nanoseconds.
  NodeUse Use(NodeIndex node, size_t resource, Time now) const;
  // When the source last measured the resource on any node or pod.
  std::optional<Time> Measured(size_t resource) const;
  // By position in Options::resources; empty for a node that is not known.
  std::vector<NodeFigures> Figures(NodeIndex node, Time now) const;
  // What makes up the peak of the week of a node that is known.
  struct Peak {
    std::optional<size_t> slot;  // nothing: it is as high all week, or not of one slot (sumOfPeaks)
    std::optional<NodeFigures::PodUse>
        largest;  // the pod with the highest peak of its own, of several the first by key
  };
  Peak PeakOf(NodeIndex node, size_t resource) const;
  size_t workloads() const { return workloads_.measured(); }  // with history
  // How often one that nobody used gave way to another, or one more was not taken in (Options::max_workloads).
  uint64_t displaced() const { return workloads_.displaced() + systems_.displaced(); }

 private:
  static constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

  struct PodHere {
    std::shared_ptr<const cluster::Pod> pod;
    History* history;
  };
  struct NodeHere {
    std::string name;                  // of its Node object; empty: there is none
    const History* history = nullptr;  // beyond its pods; null as above
    std::vector<PodHere> pods;
    bool relieved = false;
  };
  // One resource of one node.
  struct Sum {
    NodeUsage usage;
    int64_t capacity = 0;
    int64_t limit = kNoLimit;
    int64_t reserved = 0;
    struct {
      Time at = Time::min();
      int64_t pods = 0, system = 0;
    } moment;              // the newest
    uint64_t settled = 0;  // the change of the resource's histories that `usage` knows
  };
  struct ResourceState {
    uint64_t changes = 0;  // of histories
    bool by_node = false;  // the source reports nodes
    Time newest = Time::min();
    Curve covered;  // the slots of which anything was measured have a value
  };

  void MakeRoomFor(NodeIndex node);
  NodeFigures FiguresOf(NodeIndex node, size_t resource, Time now) const;
  Sum& At(NodeIndex node, size_t resource) { return sums_[node * resources_.size() + resource]; }
  const Sum& At(NodeIndex node, size_t resource) const { return sums_[node * resources_.size() + resource]; }
  Time& MeasuredOn(NodeIndex node, size_t resource) { return measured_[node * resources_.size() + resource]; }
  Time LastMeasured(NodeIndex node, size_t resource) const {
    return resources_[resource].by_node ? measured_[node * resources_.size() + resource] : resources_[resource].newest;
  }
  Profile ProfileOf(NodeIndex node, const PodHere& pod, size_t resource) const;
  Profile SystemProfile(NodeIndex node, size_t resource) const;
  std::string WorkloadHere(NodeIndex node, const cluster::Pod& pod) const;
  void Rename(NodeIndex node, std::string_view name);
  NodeUsage Count(NodeIndex node, size_t resource) const;
  void SettleNode(NodeIndex node);
  void Add(NodeIndex node, const std::shared_ptr<const cluster::Pod>& pod);
  void Remove(NodeIndex node, std::vector<PodHere>::iterator pod);
  // After each change of the Sum's use or limit.
  void TellCeilings(NodeIndex node, size_t resource);
  // By a clock that was wrong.
  bool IsAhead(Time measured, Time now) const { return measured > now + options_.stale_after; }
  bool IsFresh(Time measured, Time now) const {
    return measured + options_.stale_after >= now && !IsAhead(measured, now);
  }
  MetricState StateOf(NodeIndex node, size_t resource, Time now) const {
    const Time last = LastMeasured(node, resource);
    if (IsFresh(last, now)) return MetricState::kFresh;
    return last == Time::min() ? MetricState::kAbsent : MetricState::kStale;
  }
  int64_t Predicted(const Sum& sum) const;
  int64_t Left(const Sum& sum) const { return sum.limit - Predicted(sum); }
  // Of fresh figures.
  Verdict JudgeUse(NodeIndex node, size_t resource, const Demand& demand, const Known& known) const;
  Verdict JudgeByRequests(const Sum& sum, size_t resource, const ResourceDemand& demand, MetricState state) const;
  bool FitsAlone(NodeIndex node, size_t resource, const ResourceDemand& demand) const;

  Options options_;
  size_t day_;  // slots of a day
  Histories workloads_;
  Histories systems_;
  std::vector<ResourceState> resources_;
  std::vector<NodeHere> nodes_;
  TextMap<NodeIndex> node_index_;  // of those with a Node object
  std::vector<Sum> sums_;          // resource by resource, node by node
  std::vector<Time> measured_;     // likewise: the node's newest reading
  NodeIndex settle_next_ = 0;
  size_t unsettled_ = 0;  // nodes that Settle has yet to look at
  struct Freshness {
    std::chrono::sys_seconds at;
    ResourceMask aside;
    int64_t share = 0;
    Time from, until;  // no figure that is fresh at `from` ceases to be so before `until`
    bool HoldsAt(Time now) const { return now >= from && now <= until; }
  };
  const Freshness& FreshnessAt(Time now) const;
  mutable std::optional<Freshness> freshness_;  // the last one, while it holds
  mutable CeilingIndex ceilings_;               // of that time
};

}  // namespace huygens::usage
