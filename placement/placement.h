// The decision core: owns the cluster state, the accounts, the checks and the terms, and answers one plain call per
// question. No I/O, no clock, no thread, no log; the same events and calls always give the same answers. One thread at
// a time.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "base/status.h"
#include "base/time.h"
#include "cluster/state.h"
#include "cluster/zone_share.h"
#include "kubelet/account.h"
#include "kubelet/settings.h"
#include "placement/gang_holds.h"
#include "placement/move_holds.h"
#include "placement/node_lookup.h"
#include "placement/nominated_pods.h"
#include "placement/waiting_pods.h"
#include "policy/check.h"
#include "policy/pod_quota.h"
#include "policy/sources.h"
#include "quota/account.h"
#include "quota/options.h"
#include "scoring/weighted_mean.h"
#include "topology/node_kinds.h"
#include "topology/options.h"
#include "topology/zone_account.h"
#include "usage/account.h"

namespace huygens::placement {

using cluster::NodeIndex;
using cluster::ZoneShare;
using policy::Reason;

struct WeightedTerm {
  std::string name;
  double weight = 1;                // 0 = off
  ResourceVector resource_weights;  // only for terms that weigh resources (scoring/registry.h)
  bool dominant = false;            // only for terms that have such a form
  std::shared_ptr<const policy::RuleOptions> options = nullptr;  // its own; null: those that its entry makes
};

// By its name alone a check is enforced.
struct CheckSetting {
  CheckSetting() = default;
  CheckSetting(const char* check) : name(check) {}             // NOLINT(google-explicit-constructor): {"a", "b"}
  CheckSetting(std::string check) : name(std::move(check)) {}  // NOLINT(google-explicit-constructor)
  CheckSetting(std::string check, policy::CheckMode as) : name(std::move(check)), mode(as) {}
  friend bool operator==(const CheckSetting&, const CheckSetting&) = default;

  std::string name;
  policy::CheckMode mode = policy::CheckMode::kEnforce;
  std::shared_ptr<policy::RuleOptions> options = nullptr;  // its own; null: those that its entry makes
};

struct Options {
  std::vector<CheckSetting> checks = {"topology"};  // a Placement keeps none that is off
  std::vector<WeightedTerm> terms = {{"FewestZones", 1}};
  int64_t max_score = 10;
  size_t narrow_to = 0;  // filter returns only this many of the best feasible nodes; 0 = all
  topology::Options topology;
  kubelet::Options kubelet =
      kubelet::Defaults();  // assumed of a node that kubelet pins, where nobody says (kubelet/settings.h)
  usage::Options usage;     // resources are dropped where no check or term needs usage
  quota::Options quota;
  // Must outlive Placement. For who needs quota, and for pods that name a resource before any node has it.
  const ResourceNames* resource_names = nullptr;
  size_t waiting_pods = 0;  // so many rejected pods are remembered for waking; 0 = none
};

// What each check that is on, and each term that has a weight, needs (policy/sources.h).
void ForEachNeeds(const Options& options, absl::FunctionRef<void(const policy::Needs&)> visit);
// Whether any of them needs this.
using Need = bool policy::Needs::*;
bool Asks(const Options& options, Need need);
// The strictest mode of the checks that need this; kOff where there is none.
policy::CheckMode ModeOf(std::span<const CheckSetting> checks, Need need);
// Whether real use is looked at.
inline bool LooksAtUsage(const Options& options) { return Asks(options, &policy::Needs::usage); }

// What a check that only reports would have refused of the nodes that no check has refused.
struct CheckReport {
  std::string_view check;
  std::vector<Reason> reasons;   // by position in the request; kFits = not refused by it
  std::vector<NodeIndex> nodes;  // that it would have refused, one or more
  bool everywhere = false;       // those are all
};

// What a pod of a gang is promised: this node, and these zones of it.
struct Promise {
  NodeIndex node = 0;
  std::vector<cluster::ZoneAmount> zones;
  Time made;
};

// Answer to "which nodes".
struct FilterAnswer {
  std::vector<NodeIndex> nodes;        // the known ones of the request, in its order
  std::vector<Reason> reasons;         // by position in the request; kFits = feasible
  std::vector<uint32_t> feasible;      // positions to return, in the order of the request; only the best when narrowed
  bool narrowed = false;               // feasible nodes were left out: no reason list is due
  bool may_repeat = false;             // a known name came twice, or more than one name is unknown
  std::string quota;                   // why the pod's group refuses it, with figures; empty if it does not
  bool quota_used_up = false;          // it does for want of budget or hours, and nothing else
  bool quota_everywhere = false;       // it does whatever the node
  std::vector<uint32_t> quota_models;  // on nodes of which alone it does: VerdictsByModel::Refused
  std::string models;                  // what other models nodes are of, where the pod names one and fits nowhere
  std::vector<CheckReport> reports;    // of the checks that have any, in the order in which they were asked
  bool reports_leave_none = false;     // together they would have refused every node that fits
  std::string quota_report;            // as `quota`, where the check only reports
  std::optional<Promise> promise;      // of a pod of a gang, where a node is feasible: there is no other
};

// How one term judged, by position; NaN = no opinion.
struct TermScores {
  std::string name;
  double weight = 1;
  std::vector<float> scores;
};

// A check that only reports would have refused the node at hand.
struct NodeReport {
  std::string_view check;
  Reason reason = Reason::kFits;
};

struct Reservation {
  // Not kFits: the node cannot take the pod now, and nothing was reserved.
  Reason reason = Reason::kFits;
  std::string quota;  // as in FilterAnswer, or else its `models`
  NodeIndex node = 0;
  std::vector<ZoneShare> zones;     // cluster::NameZones; empty: no result is to be written
  bool existed = false;             // the pod was reserved or placed on this very node before; `zones` is what it holds
  std::vector<NodeReport> reports;  // checks that only report and would have refused the node, if no other does
  bool Accepted() const { return reason == Reason::kFits; }
};

// A node on which kube-scheduler would preempt pods, and the UIDs of those it chose; since Kubernetes 1.38 none
// perhaps.
struct PreemptionCandidate {
  std::string_view node;
  std::vector<std::string_view> victims;
};

// What became of a candidate.
struct Preemption {
  std::vector<std::string_view> victims;  // UIDs; empty: the node is out
  Reason reason = Reason::kFits;          // why the node is out; kFits if nobody has to leave
};

// A node as /debug/nodes shows it.
using topology::ZoneDescription;
struct NodeDescription {
  std::string name;
  std::string_view mode;  // topology::NodeZones::Name
  bool single_numa = false;
  bool lost_topology = false;  // its topology object went while the node stayed; what it said still counts
  std::string defect;
  std::string unknown_setting;            // kubelet::UnknownSetting
  std::vector<kubelet::Setting> kubelet;  // what it is predicted by; empty: it is not
  std::vector<ZoneDescription> zones;
  struct PodOnNode {
    std::string key;
    std::string uid;
    std::vector<ZoneShare> zones;
    std::optional<cluster::ReservationState> reservation;  // empty: the watch showed it bound
    // Of nodes that kubelet pins, where the pod takes anything for itself.
    std::optional<kubelet::Account::PodFigures> kubelet;
  };
  std::vector<PodOnNode> pods;            // ordered by UID
  std::vector<usage::NodeFigures> usage;  // by position in usage::Options::resources
};

class Placement {
 public:
  // Fails on names that no check or term bears, on duplicates, and on options out of range.
  //
  // A check that only reports changes no answer of any call but what FilterAnswer and Reservation say it would have
  // refused. Its account counts all the same, or there would be nothing to report by: groups are charged, and where
  // "topology" only reports a pod is given the zones that it would get, and bound without any where it fits none.
  //
  // `kinds`: of nodes, besides those that are managed and those that kubelet pins, which they are asked before.
  using NodeKindList = std::vector<std::unique_ptr<topology::NodeZones>>;
  static StatusOr<std::unique_ptr<Placement>> Create(Options options, NodeKindList kinds = {});
  Placement(const Placement&) = delete;
  Placement& operator=(const Placement&) = delete;

  void Apply(const cluster::WatchEvent& event);
  bool Sweep(cluster::Kind kind, size_t limit) { return state_.Sweep(kind, limit); }
  // As State's; the nodes that it names may take other pods than before.
  cluster::State::Losses AgeLosses(Duration now) { return state_.AgeLosses(now); }
  const cluster::State& state() const { return state_; }
  const Options& options() const { return options_; }
  // What answers for the zones of this node.
  const topology::NodeZones& Zones(NodeIndex node) const { return kinds_.Of(node); }
  const usage::Account& usage() const { return usage_; }
  size_t OvercommittedZones(NodeIndex node, Time now) const { return Zones(node).Overcommitted(node, now); }
  // Those of its pods that were resized in place and hold more of its zones than they were bound with.
  std::vector<std::shared_ptr<const cluster::Pod>> OutgrownPods(NodeIndex node) const;
  // kOff where it is not listed. A check that is enforced may all the same only report at times
  // (policy::Candidates::OnlyReport).
  policy::CheckMode ModeOf(std::string_view check) const;
  // The strictest mode of the checks that need this; kOff where there is none.
  policy::CheckMode ModeOf(Need need) const;
  bool Enforces(Need need) const { return ModeOf(need) == policy::CheckMode::kEnforce; }
  bool ChecksUsage() const { return ModeOf(&policy::Needs::ceilings) != policy::CheckMode::kOff; }
  // The tree of business groups and what they use; null where no check or term that is on needs it.
  const quota::Account* quota() const { return quota_.get(); }
  // Whether the pod's group has room for it beside `others`; also if it holds its room already, or nobody checks.
  quota::Verdict CheckQuota(const cluster::Pod& pod, const quota::Amounts& others = {}) const;
  // What its group says besides of nodes of some models.
  quota::VerdictsByModel CheckQuotaByModel(const cluster::Pod& pod, const quota::Amounts& others = {}) const;
  // The models (VerdictsByModel::Refused) on whose nodes alone it refuses the pod; none where the check only reports.
  std::vector<uint32_t> RefusedModels(const cluster::Pod& pod, const quota::Amounts& others) const {
    return EnforcesQuota() ? CheckQuotaByModel(pod, others).Refused() : std::vector<uint32_t>();
  }
  // Whether it has, or does not matter since the check only reports.
  bool GroupLets(const cluster::Pod& pod, const quota::Amounts& others = {}) const {
    return !EnforcesQuota() || CheckQuota(pod, others).fits();
  }
  // Whether objects of this kind are looked at: those of a kind that nobody asks about need not be delivered.
  bool Follows(cluster::Kind kind) const {
    return quota_ || (kind != cluster::Kind::kBizGroupQuota && kind != cluster::Kind::kResourceClaim &&
                      kind != cluster::Kind::kDeviceClass);
  }
  // As quota::Account's: pods that ask for devices wait while their groups have budgets of such.
  void SetUnreadable(std::string claims, std::string classes);
  // Grows with each change of the state and of usage; names what a decision was made on.
  uint64_t revision() const { return state_.revision() + usage_revision_; }

  // Has `account` told of all pods that are placed or leave. It must outlive this object; before the first Apply.
  void Observe(cluster::Account& account) { state_.AddAccount(account); }

  // Takes in what was measured. It counts on all nodes once SettleUsage says false: call that, for so many nodes at a
  // time, when no more readings wait.
  void ApplyUsage(const usage::Readings& readings, Time now);
  bool SettleUsage(size_t nodes = std::numeric_limits<size_t>::max());

  // Which nodes can take the pod. Pure: asking changes nothing. Unknown names are rejected with kUnknownNode;
  // duplicates are answered each. Narrowed to K, nodes whose score equals the K-th best take turns: the first to be
  // kept depends on the pod and the state's revision. A pod of a gang is answered one node (gang_holds.h).
  FilterAnswer Filter(const cluster::Pod& pod, std::span<const std::string_view> node_names, Time now);

  // Before Filter, where kube-scheduler asks: a gang of which a pod is asked about once more is tried anew.
  void NoteQuestion(const cluster::Pod& pod, Time now) { gangs_.Asked(pod, now); }
  // After Filter, of its answer for this pod: if no node was feasible the pod waits from now on, else not any more. A
  // pod of a gang holds what it was promised.
  void Remember(const std::shared_ptr<const cluster::Pod>& pod, const FilterAnswer& answer);
  // Gives back what is held for gangs that nobody asks about any more.
  void ExpireHolds(Time now) { gangs_.Expire(now); }
  // How many pods of the pod's gang hold what filter promised them.
  size_t HeldForGang(const cluster::Pod& pod) const { return gangs_.HeldByGang(pod); }
  // How many pods of the pod's gang are not bound, itself among them.
  size_t UnboundOfGang(const cluster::Pod& pod) const { return gangs_.Unbound(pod); }
  WaitingPods& waiting() { return waiting_; }
  // The first of these nodes that passes every check, if any, were `others` charged to the pod's group, too. Pure, as
  // Filter.
  std::optional<NodeIndex> FirstFit(const cluster::Pod& pod, std::span<const NodeIndex> nodes, Time now,
                                    const quota::Amounts& others = {});
  // Whether the node, once it took the first of these pods, could take any of the others, too; where kubelet pins, this
  // is taken for granted. Changes nothing.
  bool FitsTogether(std::span<const std::shared_ptr<const cluster::Pod>> pods, NodeIndex node, Time now);

  // Whether the node passes every check for the pod and has room for its requests, once it took all these others, too,
  // one after the other. Where the order of pods matters (topology::NodeZones) it is not known what others would leave:
  // then no. Changes nothing. For moves that are planned (rescheduling/).
  bool TakesBeside(const cluster::Pod& pod, NodeIndex node, std::span<const std::shared_ptr<const cluster::Pod>> others,
                   Time now);

  // As OvercommittedZones, were these pods of the node gone. Changes nothing.
  size_t OvercommittedWithout(NodeIndex node, std::span<const cluster::PlacedPod* const> gone, Time now);

  // One score from 0 to max_score per name; unknown names and nodes that no term judges get 0. `explain`, if given,
  // receives what each term said.
  std::vector<int64_t> Prioritize(const cluster::Pod& pod, std::span<const std::string_view> node_names, Time now,
                                  std::vector<TermScores>* explain = nullptr);

  // Which pods have to leave each candidate so that the pod fits there, by position (placement/preempt.cc has the
  // rules). Pure: asking changes nothing. The UIDs are those of the request, or of State's pods.
  std::vector<Preemption> Preempt(const cluster::Pod& pod, std::span<const PreemptionCandidate> candidates, Time now);

  // Decides again for this one node on the current state, and if it fits holds the capacity from now on. A node that
  // cannot take the pod is an answer, not an error. Errors: no UID (InvalidArgument), the pod finished or is being
  // deleted (FailedPrecondition), it already holds capacity on another node (Aborted).
  StatusOr<Reservation> Reserve(const std::shared_ptr<const cluster::Pod>& pod, std::string_view node_name, Time now) {
    return ReserveAs(pod, node_name, now, cluster::ReservationState::kReserved);
  }
  // Likewise for the stand-in of a pod that is to move there (placement/move_holds.h); moves().Release gives it back.
  StatusOr<Reservation> HoldForMove(const std::shared_ptr<const cluster::Pod>& stand_in, std::string_view node_name,
                                    Time now);
  MoveHolds& moves() { return moves_; }
  // The API server said yes / no. A UID without a reservation is ignored: the watch was faster.
  void Assume(std::string_view uid, Time now) { state_.Assume(uid, now); }
  void Release(std::string_view uid) { state_.Release(uid); }

  // Recounts the accounts of up to `limit` nodes, going round; returns how many differed (drift) and were repaired.
  size_t Reconcile(size_t limit) { return state_.Reconcile(limit); }

  // Nothing if there is no Node of this name.
  std::optional<NodeDescription> Describe(std::string_view node_name, Time now) const;

 private:
  Placement(Options options, NodeKindList kinds);
  StatusOr<Reservation> ReserveAs(const std::shared_ptr<const cluster::Pod>& pod, std::string_view node_name, Time now,
                                  cluster::ReservationState as);
  Status Build();
  Status BuildChecks();
  Status BuildTerms();
  // Has State tell what the rules count.
  void BuildAccounts();
  policy::Sources SourcesFor(const policy::Needs& needs, const policy::RuleOptions* options);
  std::shared_ptr<const cluster::Pod> AsKnown(const std::shared_ptr<const cluster::Pod>& pod) const;
  policy::PodQuery Query(const cluster::Pod& pod, Time now) const;
  // An enforced check is asked in any case, one that only reports if somebody wants to know.
  enum class Reports : uint8_t { kWanted, kUnwanted };
  // With what the checks prepare.
  policy::PodQuery QueryForChecks(const cluster::Pod& pod, Time now, Reports reports,
                                  const quota::Amounts& others = {}) const;
  bool EnforcesQuota() const { return Enforces(&policy::Needs::budgets); }
  // What the pod's group says of it; that it fits where no check asks.
  const policy::PodQuota& Quota(const policy::PodQuery& query) const;
  std::string OtherModels(const policy::PodQuery& query, std::span<const NodeIndex> nodes) const;  // of these
  // Why its group refuses the pod, everywhere or on these nodes.
  std::string WhyRefused(const policy::PodQuery& query, std::span<const NodeIndex> nodes) const;
  // Of these nodes, into candidates_.
  void RunChecks(const policy::PodQuery& query, std::span<const NodeIndex> nodes, Reports reports);
  // What else an answer says of its nodes, by candidates_ and positions_.
  void CollectReports(FilterAnswer& answer) const;
  void ExplainQuota(const policy::PodQuery& query, FilterAnswer& answer) const;
  Reason Judge(const policy::PodQuery& query, NodeIndex node, Reports reports);
  Preemption PreemptOn(const policy::PodQuery& query, const PreemptionCandidate& candidate, size_t more_questions);
  void Narrow(const policy::PodQuery& query, size_t wanted, FilterAnswer& answer);
  // Whether the pod belongs to a gang, and any check judges what its members take from each other.
  bool SharesWithGang(const policy::PodQuery& query) const;
  // An empty list where no result is due, nothing if the zones cannot hold the pod: where the check "topology" is
  // enforced that would be after all, else the pod goes without.
  std::optional<std::vector<cluster::ZoneAmount>> ChooseZones(const policy::PodQuery& query, NodeIndex node) const;

  Options options_;
  // Before state_, which tells of changes whatever counts.
  topology::NodeKinds kinds_;
  kubelet::Account& kubelet_;  // of kinds_, as is the next
  topology::ZoneAccount& zones_;
  usage::Account usage_;
  uint64_t usage_revision_ = 0;
  std::unique_ptr<quota::Account> quota_;  // null: nobody needs it
  WaitingPods waiting_;
  struct AskedCheck {
    std::string name;
    policy::CheckMode mode;
    const policy::Needs* needs;  // of its entry
    // Those that its entry made, where the configuration has none. They outlive the check.
    std::shared_ptr<const policy::RuleOptions> options;
    std::unique_ptr<policy::Check> check;
  };
  // Those that only report come last: they are asked about what the others leave.
  std::vector<AskedCheck> checks_;
  std::vector<std::shared_ptr<const policy::RuleOptions>> options_of_terms_;  // outlive these
  scoring::WeightedMean mean_;
  cluster::State state_;
  size_t names_known_ = 0;  // of options_.resource_names
  NominatedPods nominated_{state_, kinds_};
  GangHolds gangs_{state_};
  MoveHolds moves_{state_};
  // Those whose figures the rules go by and a pod's coming and going changes: a budget is checked as it stands.
  std::vector<cluster::Account*> accounts_;
  std::span<cluster::Account* const> accounts_of_victims_;  // of these the ones that an enforced check goes by
  std::optional<size_t> zones_check_;                       // in checks_: for its sake zones are chosen

  // Scratch, kept from call to call so that a call over thousands of nodes allocates nothing per node.
  std::vector<NodeIndex> nodes_;     // of a call that are scored
  std::vector<uint32_t> positions_;  // where in the request each known node stands
  NodeLookup lookup_;
  std::vector<uint32_t> asked_in_;  // by node: the call of Filter that last named it
  uint32_t filter_calls_ = 0;
  policy::Candidates candidates_;
  std::vector<double> means_;
  std::vector<double> ranking_;
};

}  // namespace huygens::placement
