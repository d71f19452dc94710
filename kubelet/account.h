// What is free on each node whose kubelet pins and that has a topology object of the community: what the object says is
// available, less what pods hold that it does not contain yet, plus what pods held that have left since. Fed by State;
// decision thread only. Judges all nodes that kubelet pins; those with an object of crane's that says no more than that
// take every pod, save one that asks for cores.
//
// An object with the attribute huygens.dev/init-containers, "counted", shows of the pods it contains all that they hold;
// others leave out what their init containers left behind (kubelet/holding.h).
//
// Which pods an object contains is told by its pod fingerprint (cluster/pod_fingerprint.h): the set of pods it names
// is looked up among the last kRemembered sets of the node, so a lagging object is recognised as an earlier one. Where
// no set has that fingerprint, time tells: the zones were written kExporterMargin or more after kubelet had seen the
// pod (status.startTime). An object that no API server has stored contains every pod that kubelet has seen.
//
// What a pod holds: kubelet/holding.h. Observed zones (huygens.dev/placement-observed) go before predicted
// ones. The latter are not believed any more once another pod left, or was told to leave, before kubelet saw the pod.
// What left is given back only where the fingerprint shows that the object contains it, and the zones of all pods it
// contains add up to what it says is in use.
//
// Devices of no zone are in no object. How many there are and how many are free follows from the Node and from what all
// pods on it hold, wherever: so all that is free of a resource is never more than no pod holds.
//
// Everything is worked out anew from the object and the pods whenever one of them changed, so nothing can drift.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "cluster/pod_fingerprint.h"
#include "kubelet/admission.h"
#include "kubelet/holding.h"
#include "kubelet/request.h"
#include "kubelet/shared_pods.h"
#include "topology/node_zones.h"

namespace huygens::kubelet {

using cluster::NodeIndex;

class Account final : public topology::NodeZones {
 public:
  static constexpr size_t kRemembered = 16;
  // From an exporter's reading to its writing, and by how much the clocks of node and API server may differ.
  static constexpr Duration kExporterMargin = std::chrono::seconds(10);

  explicit Account(const Options& defaults) : defaults_(defaults) {}

  // Whether there is an object from which kubelet can be predicted.
  bool Predicts(NodeIndex node) const { return node < nodes_.size() && nodes_[node].predicts; }
  // Whether there is an object that cannot be used.
  bool Unusable(NodeIndex node) const { return node < nodes_.size() && nodes_[node].unusable; }

  // The following are for nodes that Predicts.

  // What is free now; negative amounts count as 0. Holds until the account changes.
  const Machine& Free(NodeIndex node) const;
  // Whether kubelet surely admits the pod, and, if it has one container, in one zone; false if that takes Predict.
  bool SurelyFitsOne(NodeIndex node, const Request& request) const;
  // What kubelet will say, whatever of what is in doubt is in use: a yes is one in either case.
  Prediction Predict(NodeIndex node, const Request& request) const;
  // The zones that kubelet will take for a pod that it admits. Nothing if they are not certain: were what is not known
  // for sure to be in use free, it would take others.
  std::vector<cluster::ZoneAmount> PredictZones(NodeIndex node, const Request& request) const;
  // What would be free if the pods for which `gone` holds had left.
  Machine FreeWithout(NodeIndex node, absl::FunctionRef<bool(const cluster::Pod&)> gone) const;
  // What kubelet would say were no pod there.
  Prediction PredictEmpty(NodeIndex node, const Request& request) const;

  struct PodFigures {
    std::string uid;
    bool contained = false;                     // in the published figures
    bool known = false;                         // its zones
    std::vector<cluster::ZoneAmount> observed;  // they, where known from the node
  };
  // Pods that hold something exclusively, ordered by UID; of other nodes none.
  std::vector<PodFigures> Pods(NodeIndex node) const;
  // As the object says, for comparison with Free; of other nodes null.
  const Machine* Published(NodeIndex node) const { return Predicts(node) ? &nodes_[node].published : nullptr; }

  bool Claims(NodeIndex node) const override { return node < nodes_.size() && nodes_[node].pinned; }
  std::unique_ptr<topology::PreparedPod> Prepare(const cluster::Pod& pod) const override;
  void Check(const topology::PreparedPod& pod, std::span<const NodeIndex> nodes, bool lost, Time now,
             std::span<topology::Fit> fits) const override;
  void ZonesTaken(const topology::PreparedPod& pod, std::span<const NodeIndex> nodes, Time now,
                  std::span<std::optional<topology::ZoneSet>> taken) const override;
  std::optional<std::vector<cluster::ZoneAmount>> Assign(NodeIndex node, const topology::PreparedPod& pod,
                                                         Time now) const override;
  bool OrderMatters() const override { return true; }
  bool LeavesRoom(NodeIndex node, const topology::PreparedPod& pod, std::span<const cluster::Pod* const> nominated,
                  Gone gone, bool others_leave) const override;
  size_t CostOfCheck(NodeIndex node) const override;
  std::string_view Name(NodeIndex /*node*/) const override { return "kubelet"; }
  std::optional<std::vector<topology::ZoneDescription>> Describe(NodeIndex node, const cluster::NodeTopology* topology,
                                                                 Time now) const override;
  std::string WhyNoZones(NodeIndex node, std::string_view name, const cluster::NodeTopology* topology,
                         const cluster::Pod& pod) const override;

  void Place(const cluster::PlacedPod& pod) override;
  void Leave(const cluster::PlacedPod& pod) override;
  void NodeObjectChanged(NodeIndex node, const cluster::Node* object) override;
  void NodeChanged(NodeIndex node, const cluster::NodeTopology* topology) override;
  bool Recount(NodeIndex node, std::span<const cluster::PlacedPod* const> pods) override;

  struct Room {
    int64_t cpus = -1;
    int64_t memory = -1;
  };

 private:
  struct Entry {
    std::shared_ptr<const cluster::Pod> pod;
    std::vector<cluster::ZoneAmount> reservation;  // its zones until it is bound
    bool all_shown = false;                        // once contained, it needs no further look
    bool reserved = false;                         // known here before anywhere else
    bool doubtful = false;             // what its zones were predicted from has changed before kubelet saw the pod
    std::shared_ptr<const Pod> wants;  // null: it takes nothing exclusively
    uint64_t name_hash = 0;
    uint64_t since = 0;  // the number of the set with which it came ...
    uint64_t until = 0;  // ... and of the one with which it was gone
    bool takes() const { return wants != nullptr; }
    // Empty: unknown.
    const std::vector<cluster::ZoneAmount>& Observed() const;
    const std::vector<cluster::ZoneAmount>& Predicted() const;
  };
  struct Set {
    uint64_t number = 0;
    uint64_t fingerprint = 0;
  };
  // The sets, among those remembered, that have the fingerprint of the object.
  struct Matched {
    uint64_t first = 0;
    uint64_t last = 0;
  };
  struct NodeBook {
    const cluster::NodeTopology* object = nullptr;  // to tell whether it is the same, no more
    bool same_labels = false;                       // the Node was updated, but not its labels
    ResourceVector devices;                         // that the Node has
    bool pinned = false;                            // by kubelet
    bool predicts = false;
    bool unusable = false;
    bool exclusive_only = false;  // the fingerprint leaves out pods that hold nothing exclusively
    bool shows_init = false;      // the figures contain what init containers leave behind
    std::optional<uint64_t> fingerprint;
    std::optional<Time> written;
    std::vector<std::pair<std::string, std::string>> labels;  // of the Node object
    Machine published;

    std::vector<Entry> here;
    // Left, but nothing else has happened on the node since: a pod that comes back was never away. State takes a pod
    // off and puts it back on every change of the pod.
    std::vector<Entry> leaving;
    std::vector<Entry> gone;  // the last that left
    cluster::HashedPods set;  // of those here and leaving
    std::vector<Set> sets;    // the last kRemembered, in order
    uint64_t number = 0;      // of the current set
    uint64_t arrived = 0;     // the set with which the object came

    bool counted = false;  // the following are up to date
    Machine free;          // at most what is free in truth; of devices of no zone together with those of the zones
    Room roomiest;
    bool most_counted = false;  // the following is, too
    // At least what is free in truth, devices of no zone aside; nothing: the same as `free`.
    std::optional<Machine> most_free;
  };

  struct Prepared;
  topology::Fit Judge(NodeIndex node, const Prepared& pod, bool lost) const;
  std::optional<topology::ZoneSet> ZonesTakenOn(NodeIndex node, const Request& request) const;
  NodeBook& At(NodeIndex node);
  const NodeBook& Counted(NodeIndex node) const;
  // Null: the same as what is free at least.
  const Machine* MostFree(NodeIndex node) const;
  static void Count(NodeBook& node);
  static std::optional<Matched> Match(const NodeBook& node);
  static Machine CountMost(const NodeBook& node);
  static bool Contained(const NodeBook& node, const std::optional<Matched>& matched, const Entry& entry);
  // Sets what is free of the devices of no zone; of zones it is settled.
  static void CountOfNoZone(const NodeBook& node, Machine& machine);
  // `before`: the entry of the same pod as it was; null if there is none.
  Entry EntryOf(const cluster::PlacedPod& placed, const Entry* before);
  static Holding HoldingOf(const NodeBook& node, const Entry& entry);
  static bool InSet(const NodeBook& node, const Entry& entry);
  static bool Confirmed(const NodeBook& node, const Matched& matched);
  static void Settle(NodeBook& node);
  static void NextSet(NodeBook& node);
  static void StartSets(NodeBook& node);

  Options defaults_;
  AssumedLayouts layouts_;
  SharedPods wanted_;
  mutable std::vector<NodeBook> nodes_;  // what is free is counted when somebody asks
};

}  // namespace huygens::kubelet
