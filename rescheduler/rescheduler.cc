#include "rescheduler/rescheduler.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/steady_now.h"
#include "kube/call_pool.h"
#include "kube/leader_election.h"
#include "kube/object_call.h"
#include "observe/move_metrics.h"
#include "rescheduler/cluster_facts.h"
#include "rescheduler/diary.h"
#include "rescheduler/document.h"
#include "rescheduler/migration_calls.h"
#include "rescheduler/mover.h"
#include "rescheduler/moves_object.h"
#include "rescheduler/options.h"
#include "rescheduler/rounds.h"
#include "rescheduler/steering.h"
#include "rescheduler/totals.h"
#include "rescheduler/workload_pods.h"

namespace huygens::rescheduler {

using migration_api::PodMigration;
using settings::ReschedulerMode;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr Duration kTick = milliseconds(200);
constexpr size_t kCalls = 8;               // of the mover at once
constexpr Duration kRelist = seconds(30);  // while another instance leads
constexpr Duration kAskStop = seconds(2);
constexpr Duration kCollect = std::chrono::minutes(10);
constexpr Duration kReport = std::chrono::minutes(5);
constexpr Duration kOtherBinds = seconds(60);  // after another instance bound pods it is left to it to move them
constexpr Duration kElectAgain = seconds(30);  // after this instance could not do what it was elected for

class RunningRescheduler final : public Rescheduler {
 public:
  RunningRescheduler(const settings::ReschedulerConfiguration& configuration, Environment environment,
                     rescheduling::LimitOptions limits)
      : configuration_(configuration),
        environment_(std::move(environment)),
        events_(environment_.clock, SystemRandom(), {.reporter = "huygens", .instance = environment_.identity}),
        limits_(std::move(limits)),
        calls_(environment_.loop, environment_.api_server, kCalls),
        reads_(environment_.loop) {
    environment_.placement.Observe(workloads_);
  }
  ~RunningRescheduler() override { Stop(); }

  Status Start() override;
  void Stop() override;
  std::string NotReady() const override;
  void Asked(const cluster::Pod& pod, Time now) override {
    if (Moves()) steering_.Asked(pod, now);
  }
  bool Steer(const cluster::Pod& pod, std::span<const std::string_view> names, placement::FilterAnswer& answer,
             Time now) override {
    return Moves() && steering_.Steer(pod, names, answer, now);
  }
  observe::Readiness::Item Describe() const override;
  void RefreshMetrics() override;
  admin_api::RescheduleDocument Document() const override;

 private:
  bool Moves() const { return configuration_.mode == ReschedulerMode::kMove; }
  void Tick();
  void List();
  void Listed(const StatusOr<std::vector<PodMigration>>& listed, bool for_duty);
  void StandForElection();
  Status Elect();
  void Lead();
  void EndLeading(std::string_view why);
  void AskStop();
  void Collect(Time now);
  void Note(Time now);
  void WriteReport(const rescheduling::DailyReport& report, Time day);
  void Reported(const Status& status);
  std::vector<rescheduling::Migration> Migrations();
  rescheduling::Health Health() const;
  std::string State() const;

  const settings::ReschedulerConfiguration configuration_;
  const Environment environment_;
  kube::EventRecorder events_;
  WorkloadPods workloads_;
  rescheduling::Limits limits_;
  MovesUnderWay moves_{environment_.placement};
  reconcile::LeaderCalls calls_;
  kube::CallPool reads_;
  Mover mover_{
      {environment_.placement, environment_.clock, environment_.log, calls_, limits_, events_, reads_, workloads_},
      moves_,
      PatienceOf(configuration_)};
  ClusterFacts facts_{environment_.placement, moves_,
                      mover_.settled(),       NeverOptionsOf(configuration_),
                      environment_.clock,     configuration_.pod_cool_down};
  Steering steering_{moves_, [this](UnderWay& move, const cluster::Pod& pod) { mover_.Nominate(move, pod); }};
  Rounds rounds_{{environment_.placement, environment_.loop, environment_.clock, environment_.log, limits_, workloads_,
                  mover_.settled(), [this] { return Health(); },
                  Moves() ? [this](const rescheduling::Move& move, size_t replicas,
                                   Time now) { return mover_.Begin(move, replicas, now); }
                          : std::function<Status(const rescheduling::Move&, size_t, Time)>()},
                 facts_,
                 configuration_.plan_interval,
                 configuration_.move_interval};
  std::unique_ptr<kube::LeaderElection> election_;  // null: nobody is to be moved
  std::optional<std::string> other_binder_;         // as of the last look
  std::optional<Duration> other_seen_;
  bool leads_ = false;  // and what is under way is known
  bool elected_ = false;
  bool listed_ = false;  // room is held for all that is under way
  bool listing_ = false;
  std::string list_trouble_;  // why moves cannot be read
  Duration next_list_{}, next_stop_{}, next_collect_{};
  std::string stopped_;
  bool asking_stop_ = false;
  uint64_t ended_ = 0;
  Diary diary_;
  bool restored_ = false;  // what was written of the day before this process began
  bool writing_report_ = false;
  Duration next_note_{}, next_report_{};
  std::string report_trouble_;
  net::Timer tick_, elect_;
};

}  // namespace

StatusOr<std::unique_ptr<Rescheduler>> Rescheduler::Create(const settings::ReschedulerConfiguration& configuration,
                                                           Environment environment) {
  HUYGENS_ASSIGN_OR_RETURN(rescheduling::LimitOptions limits, LimitOptionsOf(configuration));
  return std::unique_ptr<Rescheduler>(
      std::make_unique<RunningRescheduler>(configuration, std::move(environment), std::move(limits)));
}

namespace {

Status RunningRescheduler::Start() {
  HUYGENS_RETURN_IF_ERROR(reads_.Start(environment_.api_server, 1));
  Tick();
  return absl::OkStatus();
}

// Replacements are steered where kube-scheduler asks: who does not bind must not evict.
void RunningRescheduler::StandForElection() {
  const std::string other = environment_.other_binder();
  // The first that is seen may be dead for long. A live one comes and goes.
  if (other_binder_ && *other_binder_ != other && !other.empty()) other_seen_ = SteadyNow();
  other_binder_ = other;
  const bool stands = !other_seen_ || SteadyNow() > *other_seen_ + kOtherBinds;
  if (stands == (election_ != nullptr) || elect_.pending()) return;
  if (!stands) {
    environment_.log.Info("another instance binds pods, so it is to move them, too", {});
    return election_.reset();
  }
  if (const Status status = Elect(); !status.ok()) {
    environment_.log.Error("cannot call the API server, so that no pod is moved", {{"why", Message(status)}});
    elect_ = environment_.loop.After(kElectAgain, [] {});
  }
}

Status RunningRescheduler::Elect() {
  HUYGENS_ASSIGN_OR_RETURN(std::unique_ptr<net::Client> client, net::Client::Create(environment_.api_server));
  election_ = std::make_unique<kube::LeaderElection>(
      std::move(client), std::make_unique<SteadyWaiter>(), environment_.clock, environment_.loop,
      kube::LeaderElection::Options{.lease = {.namespace_name = configuration_.namespace_name,
                                              .name = configuration_.lease,
                                              .identity = environment_.identity,
                                              .duration = configuration_.lease_duration},
                                    .end_before = std::min<Duration>(seconds(2), configuration_.lease_duration / 4)},
      kube::LeaderElection::Duties{.begin = [this](uint64_t) { Lead(); },
                                   .end = [this](std::string_view why) { EndLeading(why); }});
  election_->Start();
  return absl::OkStatus();
}

void RunningRescheduler::Lead() {
  const Status began = calls_.Begin([this] { return election_ == nullptr ? Duration::zero() : election_->Left(); });
  if (!began.ok()) {
    // Whoever can call the API server is to have the Lease instead.
    environment_.log.Error("cannot call the API server, so that no pod is moved", {{"why", Message(began)}});
    elect_ = environment_.loop.After(Duration::zero(), [this] {
      election_.reset();
      elect_ = environment_.loop.After(kElectAgain, [] {});  // and then stands again
    });
    return;
  }
  environment_.log.Info("this instance moves pods", {{"identity", environment_.identity}});
  elected_ = true;
  // The last leader may have begun moves since the last list: they are read before any begins.
  next_list_ = Duration::zero();
}

void RunningRescheduler::EndLeading(std::string_view why) {
  calls_.End();
  mover_.StopLeading();
  if (std::exchange(elected_, false)) environment_.log.Info("this instance moves pods no more", {{"why", why}});
  leads_ = false;
}

void RunningRescheduler::Stop() {
  tick_.Cancel();
  elect_.Cancel();
  if (election_ != nullptr) election_->Stop();
  EndLeading("stopping");
  reads_.Stop();
}

std::string RunningRescheduler::NotReady() const {
  return !Moves() || listed_ ? "" : "waiting for the first list of podmigrations.huygens.dev";
}

void RunningRescheduler::Tick() {
  tick_ = environment_.loop.After(kTick, [this] { Tick(); });
  if (!environment_.synced()) return;
  const Time now = environment_.clock.Now();
  const Duration steady = SteadyNow();
  if (Moves()) {
    StandForElection();
    if (!leads_ && steady >= next_list_ && !listing_) List();
    if (!listed_ || elected_ != leads_) return;  // what the last leader did is not known yet
    mover_.Look(now);
    if (std::exchange(ended_, mover_.ended()) != mover_.ended()) rounds_.GoAlong();
    if (!leads_) return;
    if (steady >= next_stop_ && !asking_stop_) AskStop();
    if (steady >= next_collect_) Collect(now);
  }
  rounds_.Tick(now);
  if (steady >= next_note_) Note(now);
}

void RunningRescheduler::List() {
  listing_ = true;
  next_list_ = SteadyNow() + kRelist;
  reads_.Post([this, for_duty = elected_](net::Client& client) {
    int64_t left_out = 0;
    auto listed = ListMigrations(client, left_out);
    return [this, listed = std::move(listed), for_duty] { Listed(listed, for_duty); };
  });
}

void RunningRescheduler::Listed(const StatusOr<std::vector<PodMigration>>& listed, bool for_duty) {
  listing_ = false;
  if (!listed.ok()) {
    const bool absent = absl::IsNotFound(listed.status());
    list_trouble_ = absent ? "podmigrations.huygens.dev are not installed (kubectl apply -f config/crd)"
                           : Concat("PodMigrations cannot be listed: ", Message(listed.status()));
    // Without the kind, or the right to read it, there is nothing to wait for: nobody is moved.
    listed_ = listed_ || absent || absl::IsPermissionDenied(listed.status());
    if (!listed_) next_list_ = SteadyNow() + seconds(1);
    return;
  }
  list_trouble_.clear();
  mover_.Load(*listed, environment_.clock.Now());
  listed_ = true;
  if (elected_ && for_duty) {
    leads_ = true;
  } else if (elected_) {
    next_list_ = Duration::zero();  // it was asked for before this instance was elected
  }
}

void RunningRescheduler::AskStop() {
  asking_stop_ = true;
  next_stop_ = SteadyNow() + kAskStop;
  reads_.Post([this](net::Client& client) {
    auto stopped = StopReason(client, configuration_.namespace_name);
    return [this, stopped = std::move(stopped)] {
      asking_stop_ = false;
      if (!stopped.ok() || *stopped == stopped_) return;  // as it was said last
      stopped_ = *stopped;
      environment_.log.Warn(stopped_.empty() ? "moves may begin again" : "somebody stopped all moves",
                            {{"why", stopped_}});
      rounds_.GoAlong();
    };
  });
}

void RunningRescheduler::Collect(Time now) {
  next_collect_ = SteadyNow() + kCollect;
  for (PodMigration& old : mover_.settled().TakeOld(now)) {
    calls_.Post([old = std::move(old)](net::Client& client, Duration longest) {
      (void)DeleteMigration(client, old, std::min<Duration>(longest, seconds(5)));  // else the next start does it
      return [] {};
    });
  }
}

std::vector<rescheduling::Migration> RunningRescheduler::Migrations() {
  std::vector<rescheduling::Migration> all;
  moves_.ForEach([&](const UnderWay& move) { all.push_back(MigrationOf(move.object)); });
  mover_.settled().ForEach([&](const PodMigration& move) { all.push_back(MigrationOf(move)); });
  return all;
}

void RunningRescheduler::Note(Time now) {
  next_note_ = SteadyNow() + seconds(1);
  if (diary_.DayEnds(now)) {
    rescheduling::DailyReport ended = diary_.Count(Migrations(), *diary_.noted());
    WriteReport(ended, *diary_.noted());
    diary_.NextDay(std::move(ended));
  }
  Diary::Now state{.selected = rounds_.counts().selected,
                   .refused = rounds_.counts().held,
                   .budgets = mover_.counts().budgets,
                   .hot_nodes = rounds_.planner().hot_nodes(),
                   .planned = rounds_.planned_at().has_value(),
                   .breaker_open = limits_.BreakerOpenUntil(now).has_value(),
                   .frozen = std::ranges::any_of(limits_.options().freezes, [now](const auto& window) {
                     return rescheduling::IsFrozen(window, now);
                   })};
  std::map<std::string, int64_t> stuck;
  for (const rescheduling::Stuck& each : rounds_.planner().stuck()) ++stuck[each.reason];
  state.stuck.assign(stuck.begin(), stuck.end());
  diary_.Note(state, now);
  if (!state.planned || SteadyNow() < next_report_) return;
  WriteReport(diary_.Count(Migrations(), now), now);
}

void RunningRescheduler::WriteReport(const rescheduling::DailyReport& report, Time day) {
  if (writing_report_) return;
  writing_report_ = true;
  next_report_ = SteadyNow() + kReport;
  // What an earlier process wrote of the day is read before it is written over.
  if (!restored_) {
    reads_.Post([this, day](net::Client& client) {
      auto earlier = ReadReport(client, configuration_.namespace_name, DayText(day));
      return [this, earlier = std::move(earlier)] {
        Reported(earlier.status());
        if (!earlier.ok()) return;
        restored_ = true;
        diary_.Restore(*earlier);
        next_report_ = Duration::zero();
      };
    });
    return;
  }
  reads_.Post([this, patch = diary_.Patch(report, day)](net::Client& client) {
    const Status written = PatchMoves(client, configuration_.namespace_name, patch);
    return [this, written] { Reported(written); };
  });
}

void RunningRescheduler::Reported(const Status& status) {
  writing_report_ = false;
  report_trouble_ = status.ok() ? "" : Concat("the daily report is not kept: ", Message(status));
}

rescheduling::Health RunningRescheduler::Health() const {
  return {.stopped = !stopped_.empty(),
          .not_ready_nodes = NotReadyNodes(environment_.placement.state()),
          .no_lease = Moves() && !leads_};
}

std::string RunningRescheduler::State() const {
  if (!Moves()) return report_trouble_;
  if (!list_trouble_.empty()) return list_trouble_;
  if (!mover_.trouble().empty()) return mover_.trouble();
  if (!leads_ && election_ != nullptr && !election_->trouble().empty())
    return Concat("another instance may move pods: ", election_->trouble());
  return report_trouble_;
}

observe::Readiness::Item RunningRescheduler::Describe() const {
  const std::string missing = NotReady();
  if (!missing.empty()) return {.ok = false, .name = "rescheduler", .detail = missing};
  const std::string state = State();
  const std::string mode = Moves() ? leads_ ? "moves pods" : "another instance moves pods" : "reports";
  if (!stopped_.empty())
    return {.ok = false, .warning = true, .name = "rescheduler", .detail = Concat("stopped: ", stopped_)};
  const bool trouble = !list_trouble_.empty() || !mover_.trouble().empty();
  return {.ok = !trouble, .warning = trouble, .name = "rescheduler", .detail = state.empty() ? mode : state};
}

admin_api::RescheduleDocument RunningRescheduler::Document() const {
  admin_api::RescheduleDocument document = DocumentOf(moves_, mover_.settled(), rounds_, environment_.placement);
  document.mode = Moves() ? "move" : "report";
  document.leads = leads_;
  document.state = State();
  document.stopped = stopped_;
  return document;
}

void RunningRescheduler::RefreshMetrics() {
  const Time now = environment_.clock.Now();
  observe::MoveTotals totals = TotalsOf(moves_, mover_, rounds_, environment_.placement.state(), now);
  totals.breaker_open = limits_.BreakerOpenUntil(now).has_value();
  totals.leads = leads_;
  environment_.metrics.moves().Set(totals);
}

}  // namespace

}  // namespace huygens::rescheduler
