// The cluster as the API server last told it, plus the ledger's reservations. Owned and touched by the decision thread
// alone: no locks.
//
// Events may come late, twice and in any order across kinds (a pod before its node, a topology object before both);
// nothing is lost or counted twice. A pod holds capacity while it is bound and not finished, or while it has a ledger
// entry; deletionTimestamp alone frees nothing.
//
// Which zones a bound pod holds is read from its annotations once, when it is first seen bound: they were written with
// the Binding, and whoever may patch the pod can change them later. A topology-result counts beside a
// huygens.dev/placement that names this pod and this node; one without was written by who knows whom.
//
// A topology object that goes while its Node stays is lost, not absent: it stays in force, marked as lost, until it
// comes back or Options::loss_grace has passed.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "base/status.h"
#include "base/text.h"
#include "base/time.h"
#include "cluster/account.h"
#include "cluster/ledger.h"
#include "cluster/watch_event.h"

namespace huygens::cluster {

class State {
 public:
  struct Options {
    bool trust_unmarked_results = false;  // believe a topology-result without huygens.dev/placement, as crane writes it
    Duration loss_grace = Duration::zero();  // 0: a topology object that goes is absent at once
  };

  State() = default;
  explicit State(const Options& options) : options_(options) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  // Accounts must outlive State and be added before the first event.
  void AddAccount(Account& account) { accounts_.push_back(&account); }

  void Apply(const WatchEvent& event);
  // Takes away some of the objects that the LIST of this kind, which is about to end, did not name: after looking at
  // `limit` of them at most. Whether there may be more. Apply(ListEnd) does what is left of it.
  bool Sweep(Kind kind, size_t limit);
  // Whether a full LIST of this kind has been applied.
  bool Synced(Kind kind) const { return kinds_[static_cast<size_t>(kind)].synced; }
  // Grows with each change; names the state that a decision was made on.
  uint64_t revision() const { return revision_; }
  // Grows when a node appears or goes: as long as it stays the same, so does what FindNode says.
  uint64_t node_set_revision() const { return node_set_revision_; }

  // Nodes. Indexes run from 0 to NodeSlots() - 1; a slot without a Node object is not a node of the cluster (yet).
  std::optional<NodeIndex> FindNode(std::string_view name) const;
  size_t NodeSlots() const { return nodes_.size(); }
  size_t NodeCount() const { return node_count_; }
  const Node* GetNode(NodeIndex index) const { return nodes_[index].node ? &*nodes_[index].node : nullptr; }
  std::string_view NodeName(NodeIndex index) const { return nodes_[index].name; }
  // The topology object in force: crane's where the node's agent pins, else the community's, else crane's (whatever it
  // says). An object that belongs to an earlier Node of the same name is not in force. Null if there is none.
  const NodeTopology* Topology(NodeIndex index) const;
  // Whether that object was lost.
  bool TopologyLost(NodeIndex index) const { return lost_ > 0 && in_force_lost_[index]; }
  // How much longer an object that was lost holds, as of the last AgeLosses; nothing where none was.
  std::optional<Duration> LossLeft(NodeIndex index) const;
  // Whether the node has none since a lost one did not come back in time.
  bool TopologyGivenUp(NodeIndex index) const { return nodes_[index].gave_up_topology && Topology(index) == nullptr; }
  // On how many nodes it was. Walks all nodes if any object was lost.
  size_t LostTopologies() const;
  struct Losses {
    std::vector<NodeIndex> begun;     // of whose loss no call has told before
    std::vector<NodeIndex> given_up;  // whose object counts as absent from now on
    Duration longest{};               // of those that last
  };
  // To be called now and then: dates what was lost since the last call, and gives up what was lost loss_grace ago.
  // `now`: of a clock that never jumps, since whenever.
  Losses AgeLosses(Duration now);
  std::span<const PlacedPod* const> PodsOn(NodeIndex index) const { return nodes_[index].pods; }
  // What they take of the node's allocatable (cluster/pod_requests.h), pod slots included, but for the pod of this UID.
  // Adds them up: a sum that is kept would have to outlive amounts that overflow it.
  ResourceVector RequestedOn(NodeIndex index, std::string_view but_uid = {}) const;

  // Pods known from the watch or the ledger. FindPod by name gives the newest pod of that name.
  std::shared_ptr<const Pod> FindPod(std::string_view uid) const;
  std::shared_ptr<const Pod> FindPod(std::string_view namespace_name, std::string_view name) const;
  size_t PodCount() const { return pods_.size(); }
  // Those that wait for a node, by UID: neither bound nor reserved, nor finished, nor being deleted. Walks all pods.
  std::vector<std::shared_ptr<const Pod>> Unplaced() const;
  // Pods, by UID, for which kube-scheduler has made room on a node (status.nominatedNodeName) and that the watch has
  // not shown bound, finished or deleted.
  const std::map<InternedString, std::shared_ptr<const Pod>>& Nominated() const { return nominated_; }
  // Those of one node, in no particular order.
  std::span<const std::shared_ptr<const Pod>> NominatedTo(NodeIndex index) const { return nominated_to_[index]; }
  // Where the pod holds capacity, null if nowhere.
  const PlacedPod* FindPlaced(std::string_view uid) const;

  // The ids from `first` on were given to names just now: pods that ask for such a resource get them.
  void ResourcesKnown(const ResourceNames& names, ResourceId first);

  // The life of a reservation. Reserve fails (kAlreadyExists) when the pod already holds capacity anywhere. Assume and
  // Release on a UID without an entry do nothing: the watch was faster.
  // `state`: kHeld of a pod that nobody binds yet.
  Status Reserve(const std::shared_ptr<const Pod>& pod, NodeIndex node, std::vector<ZoneAmount> zones, Time now,
                 ReservationState state = ReservationState::kReserved);
  void Assume(std::string_view uid, Time now);
  void Release(std::string_view uid);
  const Ledger& ledger() const { return ledger_; }

  // Recounts the accounts of up to `limit` nodes, going round; returns how many (account, node) pairs differed and were
  // repaired.
  size_t Reconcile(size_t limit);

 private:
  struct NodeSlot {
    std::string name;
    std::optional<Node> node;
    std::array<std::optional<NodeTopology>, 2> topology;  // by TopologySource
    std::vector<const PlacedPod*> pods;
    uint32_t node_list = 0;  // the LIST that last named each object
    std::array<uint32_t, 2> topology_list{};
    struct Loss {
      size_t source = 0;              // of the object, which is still in `topology`
      std::optional<Duration> since;  // by AgeLosses
    };
    std::optional<Loss> lost;
    bool gave_up_topology = false;  // a lost one did not come back, and none has come since
    uint64_t node_version = 0;
    std::array<uint64_t, 2> topology_version{};
  };
  struct PodRecord {
    std::shared_ptr<const Pod> pod;  // changed by SetPod alone
    std::optional<PlacedPod> placed;
    uint64_t version = 0;
    uint32_t list = 0;
    bool watched = false;  // the API server showed it; otherwise only a reservation knows it
    // Watched pods in the order in which they were last named.
    PodRecord* before = nullptr;
    PodRecord* after = nullptr;
  };
  // The texts that pods are looked up by are those of the pods themselves.
  struct ByUid {
    using is_transparent = void;
    size_t operator()(std::string_view uid) const { return TextHash()(uid); }
    size_t operator()(const std::unique_ptr<PodRecord>& record) const { return TextHash()(record->pod->uid); }
  };
  struct SameUid {
    using is_transparent = void;
    static std::string_view Of(std::string_view uid) { return uid; }
    static std::string_view Of(const std::unique_ptr<PodRecord>& record) { return record->pod->uid; }
    bool operator()(const auto& a, const auto& b) const { return Of(a) == Of(b); }
  };
  using PodName = std::pair<std::string_view, std::string_view>;  // namespace and name
  static PodName NameOf(const Pod& pod) { return {pod.namespace_name, pod.name}; }
  struct ByName {
    using is_transparent = void;
    size_t operator()(const PodName& name) const { return TextHash()(name.second) + 31 * TextHash()(name.first); }
    size_t operator()(const PodRecord* record) const { return (*this)(NameOf(*record->pod)); }
  };
  struct SameName {
    using is_transparent = void;
    static PodName Of(const PodName& name) { return name; }
    static PodName Of(const PodRecord* record) { return NameOf(*record->pod); }
    bool operator()(const auto& a, const auto& b) const { return Of(a) == Of(b); }
  };
  struct KindState {
    uint32_t list = 0;
    NodeIndex swept = 0;     // nodes looked at since the LIST began
    std::string swept_name;  // likewise of what accounts keep: the last that was looked at
    bool synced = false;
  };
  // What accounts keep: State knows only which there are, and of what a controller writes often what it says.
  template <typename Object>
  struct Kept {
    uint32_t list = 0;
    uint64_t version = 0;
    Object object{};
  };
  template <typename Object>
  using KeptObjects = std::map<std::string, Kept<Object>, std::less<>>;
  struct Nothing {};

  // Notes the resource version, and says whether it is the one known: a LIST names again what nobody has changed, and
  // no account need hear of it.
  static bool IsKnown(uint64_t& known, uint64_t news) { return std::exchange(known, news) == news && news != 0; }
  void On(const ListBegin& event);
  void On(const ListEnd& event);
  void On(const NodeSet& event);
  void On(const NodeGone& event);
  void On(const PodSet& event);
  void On(const PodKept& event);
  void On(const PodGone& event);
  void On(const TopologySet& event);
  void On(const TopologyGone& event);
  void On(const BizGroupQuotaSet& event);
  void On(const BizGroupQuotaGone& event);
  void On(const ResourceClaimSet& event);
  void On(const ResourceClaimGone& event);
  void On(const DeviceClassSet& event);
  void On(const DeviceClassGone& event);
  // Workloads are nothing that a pod is placed by.
  void On(const WorkloadSet&) const {}
  void On(const WorkloadKept&) const {}
  void On(const WorkloadGone&) const {}

  std::vector<ZoneAmount> TrustedResult(const Pod& pod) const;
  // Keeps in `unknown_` by which names the record's pod is to be found.
  void IndexUnknown(const PodRecord& record, bool present);
  void DropTopology(NodeIndex index, size_t source);
  void DropLost(NodeIndex index);
  void FoundAgain(NodeSlot& slot);
  NodeIndex Slot(std::string_view name);
  void Tidy(NodeIndex index);
  void NodeChanged(NodeIndex index);
  // The record of the pod's UID; a new one holds this pod and has no name yet.
  PodRecord& RecordOf(const std::shared_ptr<const Pod>& pod);
  PodRecord* FindRecord(std::string_view uid) const;
  void SetPod(PodRecord& record, const std::shared_ptr<const Pod>& pod);
  void TakeName(PodRecord& record);
  void DropName(PodRecord& record);
  void Place(PodRecord& record, NodeIndex node, std::vector<ZoneAmount> zones);
  void Leave(PodRecord& record);
  void Forget(PodRecord& record);
  void Nominate(const std::shared_ptr<const Pod>& pod);
  // Whether it was nominated.
  bool EndNomination(const InternedString& uid);
  // Makes it the watched pod that was named last; takes it out of that order.
  void Name(PodRecord& record);
  void Unlink(PodRecord& record);
  bool SweepPods(size_t limit);
  template <typename Gone, typename Object>
  bool SweepKept(Kind kind, const KeptObjects<Object>& objects, size_t limit);
  KindState& Of(Kind kind) { return kinds_[static_cast<size_t>(kind)]; }

  const Options options_;
  std::vector<Account*> accounts_;
  std::vector<NodeSlot> nodes_;
  size_t lost_ = 0;  // of the slots, in force or not
  Duration aged_{};  // the last time of AgeLosses
  // What TopologyLost says, apart from nodes_: a filter asks it of each of its nodes.
  std::vector<char> in_force_lost_;
  std::vector<NodeIndex> free_slots_;
  TextMap<NodeIndex> node_index_;
  size_t node_count_ = 0;
  absl::flat_hash_set<std::unique_ptr<PodRecord>, ByUid, SameUid> pods_;
  absl::flat_hash_set<PodRecord*, ByName, SameName> pod_names_;  // of each name the newest pod
  std::map<InternedString, std::shared_ptr<const Pod>> nominated_;
  // The same by node, apart from nodes_ as well: nearly all are empty.
  std::vector<std::vector<std::shared_ptr<const Pod>>> nominated_to_;
  TextMap<std::set<InternedString>>
      unknown_;  // UIDs of the pods that ask for a resource of this name, which is unknown
  PodRecord* first_named_ = nullptr;
  PodRecord* last_named_ = nullptr;
  KeptObjects<Nothing> groups_;                               // by name
  KeptObjects<std::shared_ptr<const ResourceClaim>> claims_;  // by namespace/name
  KeptObjects<DeviceClass> classes_;                          // by name
  Ledger ledger_;
  std::array<KindState, kKindCount> kinds_;
  uint64_t revision_ = 0;
  uint64_t node_set_revision_ = 1;
  NodeIndex reconcile_next_ = 0;
};

}  // namespace huygens::cluster
