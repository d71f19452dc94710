// What the pods on each node hold of its zones, and what the zones can still give. Fed by State; decision thread only.
// The books are in zone_account.cc, whether a pod fits in zone_fit.cc, what people are shown in managed_nodes.cc.
// Judges managed nodes, and those without a topology object, or with one of crane's that has a defect. Of nodes that
// kubelet pins (kubelet/account.h) it only keeps what pods hold by their annotations, should such a node be managed.
//
// A zone's effective capacity is min(allocatable, offline capacity where that is known and fresh); free is effective
// minus used, at least 0. What pods hold of a zone that changes or vanishes stays on the books and counts again when
// the zone returns; a zone that shrinks below what is used has nothing free and evicts nobody. Where the object lists
// the zone's cores, the zone has no more CPUs than these, and the cpu used includes the threads that isolating pods
// keep idle (topology/core_use.h).
//
// A pod's annotation says which zones it holds, and how much of each. Whoever may patch the pod may write anything
// there: so no more than the pod requests of the node is believed of all zones together, and a CPU on top, since crane
// sometimes writes a little more; what is too much is left out of the last zones.
//
// A pod that was resized in place keeps its zones and has outgrown what the annotation says of them. What it asks more
// now is charged to its zones in even parts of whole CPUs, what is left over to the first; only where huygens bound the
// pod (huygens.dev/placement), so that the annotation had all that it asked: crane at times assigns in part.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.h"
#include "topology/core_use.h"
#include "topology/node_mode.h"
#include "topology/node_zones.h"
#include "topology/options.h"
#include "topology/zone_choice.h"
#include "topology/zone_offers.h"
#include "topology/zone_request.h"

namespace huygens::topology {

inline constexpr int64_t kMostPerZone = int64_t{1} << 50;

class ZoneAccount final : public NodeZones {
 public:
  // The name of a node whose object has a defect.
  static constexpr std::string_view kUnusable = "unusable";

  // `options.managed_resources` is put in order of id, so that cpu comes first.
  explicit ZoneAccount(Options options);

  const Options& options() const { return options_; }

  NodeMode Mode(NodeIndex node) const { return node < bounds_.size() ? bounds_[node].mode : NodeMode::kNoTopology; }
  bool SingleNuma(NodeIndex node) const { return node < bounds_.size() && bounds_[node].single_numa; }
  // Whether this pod must get one zone of this node: the pod's word, else the node's.
  bool OneZone(NodeIndex node, const ZoneRequest& request) const { return request.aware.value_or(SingleNuma(node)); }

  // For managed nodes and pods that ask something.
  Fit Check(NodeIndex node, const ZoneRequest& request, Time now) const;
  // Which zones the pod gets; nothing if they cannot hold it. A spread pod gets zones where no container has two
  // threads of a core, if there are any. Leaves in `offers` what the zones can give the pod: that refers to the account
  // and holds until it changes.
  std::optional<ZoneSet> Choose(NodeIndex node, const ZoneRequest& request, Time now, ZoneOffers& offers) const;

  // The same with what the pod gets of each zone, by zone id.
  std::optional<std::vector<cluster::ZoneAmount>> Assign(NodeIndex node, const ZoneRequest& request, Time now) const;

  struct ZoneFigures {
    int zone = -1;
    bool present = true;  // false: the topology object does not name it (any more), but pods do
    bool stale = false;
    Amounts allocatable, effective, used, free;
    int64_t cores = 0;        // full ones; 0 = unknown
    int64_t whole_cores = 0;  // of these that a pod could still have to itself
  };
  // Ordered by zone.
  std::vector<ZoneFigures> Figures(NodeIndex node, Time now) const;
  // Whether the pod has come to ask more than what it was bound with, and is charged for it.
  bool Outgrown(const cluster::PlacedPod& pod) const;

  // Every node, since it comes last of the kinds.
  bool Claims(NodeIndex /*node*/) const override { return true; }
  std::unique_ptr<PreparedPod> Prepare(const cluster::Pod& pod) const override;
  void Check(const PreparedPod& pod, std::span<const NodeIndex> nodes, bool lost, Time now,
             std::span<Fit> fits) const override;
  void ZonesTaken(const PreparedPod& pod, std::span<const NodeIndex> nodes, Time now,
                  std::span<std::optional<ZoneSet>> taken) const override;
  std::optional<std::vector<cluster::ZoneAmount>> Assign(NodeIndex node, const PreparedPod& pod,
                                                         Time now) const override;
  bool ReadsResult(NodeIndex node) const override { return Mode(node) == NodeMode::kManaged; }
  std::string_view Name(NodeIndex node) const override;
  std::optional<std::vector<ZoneDescription>> Describe(NodeIndex node, const cluster::NodeTopology* topology,
                                                       Time now) const override;
  // Zones that only pods name are among them.
  size_t Overcommitted(NodeIndex node, Time now) const override;
  std::string WhyNoZones(NodeIndex node, std::string_view name, const cluster::NodeTopology* topology,
                         const cluster::Pod& pod) const override;

  void Place(const cluster::PlacedPod& pod) override { Charge(pod, 1); }
  void Leave(const cluster::PlacedPod& pod) override { Charge(pod, -1); }
  void NodeChanged(NodeIndex node, const cluster::NodeTopology* topology) override;
  bool Recount(NodeIndex node, std::span<const cluster::PlacedPod* const> pods) override;

 private:
  struct Held {
    int zone = -1;
    Amounts used;
    std::vector<CoreClaim> claims;  // of pods that stay put, ordered
    bool Nothing() const;
    friend bool operator==(const Held&, const Held&) = default;
  };
  struct Zone {
    int64_t fresh_cpu = 0;  // effective cpu until stale_from, by when the offline capacity is out of date
    Time stale_from = Time::max();
    int64_t stale_cpu = 0;  // effective cpu after that
    Amounts allocatable;
    Amounts used;  // what is held, and what of the cores that keeps from others
    Held held;
    ZoneCores cores;
    CoreUse core_use;
  };
  // What of the cores of a zone counts.
  enum class CoreRule : uint8_t {
    kNone,
    kCounted,
    kDifferent,  // and no container of a spread pod may have two threads of one
  };
  // How to look at the zones of a node.
  struct View {
    Time now;
    bool claimed = false;  // zones whose real capacity is unknown give what they claim
    bool empty = false;    // as if no pod were there
    CoreRule cores = CoreRule::kCounted;
  };
  struct NodeBook {
    std::vector<Zone> zones;         // of a managed node, by id
    std::vector<uint16_t> distance;  // there and back, row by row
    int64_t nearest = 0;             // of two zones
    bool even = true;
    std::vector<Held> elsewhere;  // what pods hold of zones that `zones` does not have, by id; never nothing
  };

  // What answers most questions about a node without a look at its zones, side by side for all nodes. Exact where cpu
  // is all that is managed, until the first offline capacity goes out of date. "Whole": only whole CPUs of each zone's
  // capacity, less what is used.
  struct Bounds {
    NodeMode mode = NodeMode::kNoTopology;
    bool single_numa = false;
    Time until = Time::max();
    int64_t most_free = 0;  // of one zone
    int64_t most_whole = 0;
    int64_t all_whole = 0;   // of all zones
    int64_t most_empty = 0;  // of one zone, were nothing used
    int64_t all_empty = 0;   // of all zones, whole CPUs
  };

  NodeBook& At(NodeIndex node);
  void Rebound(NodeIndex node);
  bool Bounded(const ZoneRequest& request, const Bounds& bounds, Time now) const {
    return request.amounts.size() == 1 && request.smt == cluster::Smt::kUnset && now <= bounds.until;
  }
  Fit Judge(NodeIndex node, const ZoneRequest& request, Time now) const;
  Fit CheckExact(NodeIndex node, const ZoneRequest& request, Time now) const;
  bool Holds(NodeIndex node, const ZoneRequest& request, const View& view) const;
  int64_t Usable(const Zone& zone, size_t resource, const ZoneRequest& request, bool one_zone, const View& view) const;
  static int64_t UsableOfCores(const Zone& zone, const ZoneRequest& request, int64_t cpu, bool one_zone,
                               const View& view);
  void Offer(NodeIndex node, const ZoneRequest& request, const View& view, ZoneOffers& offers) const;
  void Charge(const cluster::PlacedPod& pod, int sign);
  std::vector<cluster::ZoneAmount> Counted(const cluster::PlacedPod& pod) const;
  // Adds what the pod has come to ask beyond `counted`, which is not empty.
  void AddGrowth(const cluster::Pod& pod, std::vector<cluster::ZoneAmount>& counted) const;
  void Add(NodeBook& node, const cluster::Pod& pod, const cluster::ZoneAmount& amount, int sign) const;
  static void CountUse(Zone& zone);
  Zone MakeZone(const cluster::Zone& zone) const;
  int64_t Effective(const Zone& zone, size_t resource, Time now) const;
  static std::vector<Held> AllHeld(const NodeBook& node);
  static void SetHeld(NodeBook& node, std::vector<Held> held, size_t resources);

  Options options_;
  std::vector<NodeBook> nodes_;
  std::vector<Bounds> bounds_;  // one for each of nodes_
};

}  // namespace huygens::topology
