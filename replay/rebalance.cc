#include "replay/rebalance.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "placement/placement.h"
#include "rescheduling/planner.h"
#include "usage/workload.h"

namespace huygens::replay {

namespace {

using rescheduling::Move;

constexpr Duration kPoint = std::chrono::minutes(15);
constexpr int64_t kFirstSlot = int64_t{20'170} * static_cast<int64_t>(kPoints);  // some time in 2026
constexpr Time kEnd{(kFirstSlot + static_cast<int64_t>(kPoints)) * kPoint};
// Fine enough that what rounding up adds to a machine's sum stays below what the benchmark allows (0.001 cores), and
// coarse enough for 16 bits a point.
constexpr double kUnits = 1'000'000;
constexpr double kTolerance = 0.001;  // cores
constexpr double kSlack = 0.01;       // GB, for rounding; the raw data says whether memory really suffices
constexpr size_t kMostPlans = 20;

int64_t Units(double amount) { return static_cast<int64_t>(std::ceil(amount * kUnits - 1e-6)); }

// The trace's rules of who disturbs whom, which stand for what kube-scheduler would refuse, and exact memory.
class TraceFacts final : public rescheduling::Facts {
 public:
  TraceFacts(const RebalanceState& state, const MachineUse& use) : state_(state), use_(use) {}
  // Of the nodes by index.
  std::vector<uint32_t> machines;

  bool IsOpen(cluster::NodeIndex node) const override { return state_.exists[machines[node]]; }
  bool MayTakeBeside(const cluster::Pod& pod, cluster::NodeIndex node,
                     std::span<const std::shared_ptr<const cluster::Pod>> arrivals) const override {
    std::vector<uint32_t> more;
    more.reserve(arrivals.size());
    for (const auto& each : arrivals) more.push_back(AppOf(*each));
    return use_.Takes(AppOf(pod), machines[node], more);
  }
  uint32_t AppOf(const cluster::Pod& pod) const { return state_.trace.instances[InstanceOf(pod)]; }
  static uint32_t InstanceOf(const cluster::Pod& pod) {
    return static_cast<uint32_t>(std::stoul(pod.name.substr(pod.name.rfind('-') + 1)));
  }

 private:
  const RebalanceState& state_;
  const MachineUse& use_;
};

class Runner {
 public:
  explicit Runner(RebalanceState& state)
      : state_(state), use_(state), facts_(state, use_), moves_of_(state.trace.instances.size()) {}

  StatusOr<RebalanceOutcome> Run(const rescheduling::LimitOptions* limits) {
    HUYGENS_RETURN_IF_ERROR(Build());
    rescheduling::Planner planner(*placement_, facts_);
    const auto machines = static_cast<uint32_t>(state_.trace.machines.size());
    for (uint32_t m = 0; m < machines; ++m) hot_.push_back(use_.IsHot(m));
    if (limits) limits_.emplace(*limits);
    while (outcome_.plans < kMostPlans) {
      Plan(planner);
      if (planner.queue().empty()) break;
      HUYGENS_RETURN_IF_ERROR(limits ? CarryOutUnderLimits(planner) : CarryOut(planner));
    }
    for (const rescheduling::Stuck& each : planner.stuck()) ++outcome_.stuck[each.reason];
    Sum();
    return outcome_;
  }

 private:
  Status Build() {
    placement::Options options;
    options.checks = {"usage"};
    options.terms = {};
    options.usage.slot = kPoint;
    options.usage.slots = kPoints;
    options.usage.stale_after = std::chrono::hours(24 * 365);
    for (size_t r = 0; r < kTraceResources.size(); ++r) {
      HUYGENS_ASSIGN_OR_RETURN(const ResourceId id, names_.Intern(kTraceResources[r]));
      const double ceiling = r == kTraceCpu ? state_.cpu_ceiling : 1;
      options.usage.resources.push_back({.name = kTraceResources[r],
                                         .resource = id,
                                         .ceiling = static_cast<int64_t>(std::llround(ceiling * usage::kMillion))});
    }
    resources_ = options.usage.resources;
    HUYGENS_ASSIGN_OR_RETURN(placement_, placement::Placement::Create(std::move(options)));
    for (cluster::Kind kind : cluster::kKinds) placement_->Apply(cluster::ListBegin{kind});
    AddMachines();
    TellHistory();
    for (size_t i = 0; i < state_.on.size(); ++i) {
      if (state_.on[i]) Bind(static_cast<uint32_t>(i), *state_.on[i]);
    }
    for (cluster::Kind kind : cluster::kKinds) placement_->Apply(cluster::ListEnd{kind});
    return absl::OkStatus();
  }

  void AddMachines() {
    const auto machines = static_cast<uint32_t>(state_.trace.machines.size());
    for (uint32_t m = 0; m < machines; ++m) {
      const Machine& machine = state_.trace.machines[m];
      ResourceVector allocatable;
      for (size_t r = 0; r < resources_.size(); ++r) {
        const double more = r == kTraceCpu ? kTolerance / state_.cpu_ceiling : r == kTraceMemory ? kSlack : 0;
        allocatable.Set(resources_[r].resource, Units(machine.capacity[r] + more));
      }
      allocatable.Set(kPodSlots, 100'000);
      placement_->Apply(cluster::NodeSet{{.name = machine.name, .uid = machine.name, .allocatable = allocatable}});
      const auto node = placement_->state().FindNode(machine.name);
      facts_.machines.resize(std::max<size_t>(facts_.machines.size(), *node + 1));
      facts_.machines[*node] = m;
      machine_of_[machine.name] = m;
    }
  }

  // As a source that fills in a week: slot by slot, in pieces.
  void TellHistory() {
    const auto& apps = state_.trace.apps;
    for (size_t r = 0; r < resources_.size(); ++r) {
      for (size_t point = 0; point < kPoints; ++point) {
        usage::Readings readings{.resource = r, .slot = kFirstSlot + static_cast<int64_t>(point), .measured = kEnd};
        for (size_t app = 0; app < apps.size(); ++app) {
          readings.workloads.push_back(
              {usage::WorkloadOf("trace", "", "Application", apps[app].name, ""), Units(apps[app].use[r][point])});
          if (readings.workloads.size() < usage::kReadingsPerBatch && app + 1 < apps.size()) continue;
          placement_->ApplyUsage(readings, kEnd);
          readings.workloads.clear();
        }
      }
    }
    placement_->SettleUsage();
  }

  void Bind(uint32_t instance, uint32_t machine) {
    auto pod = std::make_shared<cluster::Pod>();
    const std::string& app = state_.trace.apps[state_.trace.instances[instance]].name;
    pod->name = Concat(app, "-", std::to_string(instance));
    pod->uid = pod->name;
    pod->namespace_name = "trace";
    pod->owner_kind = "Application";
    pod->owner_name = app;
    pod->node_name = state_.trace.machines[machine].name;
    pod->phase = cluster::PodPhase::kRunning;
    placement_->Apply(cluster::PodSet{pod, ++version_});
  }

  void Plan(rescheduling::Planner& planner) {
    using Clock = std::chrono::steady_clock;
    std::chrono::duration<double> all{}, longest{};
    bool more = true;
    planner.Begin(now_);
    while (more) {
      const auto begin = Clock::now();
      more = planner.Step(now_);
      const std::chrono::duration<double> step = Clock::now() - begin;
      all += step;
      longest = std::max(longest, step);
    }
    if (outcome_.plans++ == 0) outcome_.plan_seconds = all.count();
    outcome_.longest_step_seconds = std::max(outcome_.longest_step_seconds, longest.count());
  }

  Status CarryOut(rescheduling::Planner& planner) {
    while (!planner.queue().empty()) {
      const Move move = planner.queue().front();
      planner.Remove(move.number);
      if (planner.Recheck(move, now_) == rescheduling::Readiness::kReady) HUYGENS_RETURN_IF_ERROR(Do(move));
    }
    return absl::OkStatus();
  }

  Status CarryOutUnderLimits(rescheduling::Planner& planner) {
    while (!planner.queue().empty()) {
      now_ += std::chrono::minutes(1);
      End();
      const std::deque<Move> queue = planner.queue();
      bool began = false, again = false;
      for (const Move& move : queue) {
        rescheduling::Candidate candidate{.move = move, .replicas = Replicas(move), .unavailable = InFlight(move)};
        if (limits_->Check(candidate, {}, now_) != rescheduling::Limit::kNone) continue;
        const rescheduling::Readiness readiness = planner.Recheck(move, now_);
        if (readiness == rescheduling::Readiness::kWait) continue;
        planner.Remove(move.number);
        again = again || readiness == rescheduling::Readiness::kReplan;
        if (readiness != rescheduling::Readiness::kReady) continue;
        HUYGENS_RETURN_IF_ERROR(Do(move));
        began = true;
        under_way_.push_back(
            {.uid = std::to_string(move.number), .move = move, .replicas = Replicas(move), .created = now_});
        limits_->Begin(under_way_.back());
      }
      outcome_.rounds += began ? 1 : 0;
      if (again) planner.Clear();
      if (now_ > kEnd + std::chrono::hours(24 * 60)) return Internal("sixty days were not enough for the plan");
    }
    return absl::OkStatus();
  }

  void End() {
    for (rescheduling::Migration& each : under_way_) {
      each.finished = now_;
      each.outcome = rescheduling::Outcome::kSucceeded;
      limits_->End(each);
    }
    under_way_.clear();
    limits_->Forget(now_);
  }

  size_t InFlight(const Move& move) const {
    return static_cast<size_t>(
        std::ranges::count_if(under_way_, [&](const auto& each) { return each.move.workload == move.workload; }));
  }
  size_t Replicas(const Move& move) {
    if (replicas_.empty()) {
      for (size_t i = 0; i < state_.on.size(); ++i) {
        if (state_.on[i]) ++replicas_[state_.trace.apps[state_.trace.instances[i]].name];
      }
    }
    // The contest knows no singletons: an instance alone is taken for one of two.
    return std::max<size_t>(2, replicas_[move.owner.name]);
  }

  Status Do(const Move& move) {
    const auto pod = placement_->state().FindPod(move.pod.uid);
    if (!pod || pod->node_name != move.source)
      return Internal(Concat("a move of a pod that is not there: ", move.pod.Text()));
    const uint32_t instance = TraceFacts::InstanceOf(*pod), app = state_.trace.instances[instance];
    const uint32_t source = machine_of_.at(move.source), target = machine_of_.at(move.target);
    if (!state_.exists[target] || !use_.Takes(app, target)) ++outcome_.rules_broken;
    use_.Take(app, source);
    use_.Put(app, target);
    if (!hot_[target] && use_.IsHot(target)) made_hot_.insert({target, true});
    hot_[source] = use_.IsHot(source);
    ++outcome_.moves;
    if (++moves_of_[instance] == 2) ++outcome_.moved_twice;
    outcome_.most_of_app = std::max(outcome_.most_of_app, ++moves_of_app_[app]);
    state_.on[instance] = target;
    Bind(instance, target);
    return absl::OkStatus();
  }

  void Sum() {
    const auto machines = static_cast<uint32_t>(state_.trace.machines.size());
    for (uint32_t m = 0; m < machines; ++m) {
      const size_t points = use_.HotPoints(m);
      outcome_.hot_left += points > 0 ? 1 : 0;
      outcome_.hot_points_left += points;
      outcome_.made_hot_end += points > 0 && made_hot_.contains(m) ? 1 : 0;
    }
    outcome_.made_hot = made_hot_.size();
  }

  RebalanceState& state_;
  MachineUse use_;
  TraceFacts facts_;
  ResourceNames names_;
  std::vector<usage::ResourceOptions> resources_;
  std::unique_ptr<placement::Placement> placement_;
  std::map<std::string, uint32_t> machine_of_;
  std::optional<rescheduling::Limits> limits_;
  std::vector<rescheduling::Migration> under_way_;
  std::map<std::string, size_t> replicas_;
  std::map<uint32_t, bool> made_hot_;
  std::map<uint32_t, size_t> moves_of_app_;
  std::vector<size_t> moves_of_;  // by instance
  std::vector<bool> hot_;
  uint64_t version_ = 0;
  Time now_ = kEnd;
  RebalanceOutcome outcome_;
};

}  // namespace

StatusOr<RebalanceOutcome> RunRebalance(RebalanceState& state, const rescheduling::LimitOptions* limits) {
  return Runner(state).Run(limits);
}

}  // namespace huygens::replay
