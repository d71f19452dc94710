#include "tests/simulation/world.h"

#include <utility>

#include "base/text.h"
#include "wire/quota_transfer.h"

namespace huygens::simulation {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kSlice = milliseconds(50);
// The end of reservations, of a Lease and of what is retried with a pause.
constexpr Duration kRest = minutes(6);

observe::Log& NoLog() {
  static const SystemClock clock;
  static observe::Log log(clock, observe::LogLevel::kError, observe::LogFormat::kText);
  return log;
}

observe::Metrics& AnyMetrics() {
  static observe::Metrics metrics{observe::Metrics::Options()};
  return metrics;
}

std::string Told(const cluster::BizGroupQuota& group, bool gone) {
  std::string reserved;
  for (const auto& each : group.reservations) {
    reserved += Concat(reserved.empty() ? "" : ", ", each.uid, " ", Text(PlainOf(each.amounts)));
  }
  return Concat("bizrq ", group.name, " ", group.uid, "@", group.resource_version, gone ? " gone" : "",
                group.deleting ? " deleting" : "", ": hard ", Text(PlainOf(group.hard)), "; used ",
                Text(PlainOf(group.used)), "; reserved ", reserved);
}

std::string Told(const Workload& workload, bool gone) {
  return Concat(workload.kind, " ", workload.name, " ", workload.uid, "@", std::to_string(workload.version),
                gone ? " gone" : "", workload.deleting ? " deleting" : "", ": of ", workload.group, ", ",
                std::to_string(workload.replicas), " x ", std::to_string(workload.milli_cores), "m",
                workload.node.empty() ? "" : " on ", workload.node, workload.finished() ? " finished" : "");
}

std::string Told(const cluster::QuotaTransfer& transfer, bool gone) {
  return Concat("transfer ", transfer.name, " ", transfer.uid, gone ? " gone" : "",
                transfer.deleting ? " deleting" : "", ": ", transfer.from, " to ", transfer.to, " ",
                Text(PlainOf(transfer.amounts)), ", ", wire::PhaseText(transfer.phase), " ", transfer.message);
}

std::string Numbered(std::string_view what, int number) { return Concat(what, std::to_string(number)); }

}  // namespace

Tally& Tally::operator+=(const Tally& other_tally) {
  stored += other_tally.stored;
  denied += other_tally.denied;
  unavailable += other_tally.unavailable;
  other += other_tally.other;
  conflicts += other_tally.conflicts;
  restarts += other_tally.restarts;
  advanced += other_tally.advanced;
  recalls += other_tally.recalls;
  settled += other_tally.settled;
  expired += other_tally.expired;
  superseded += other_tally.superseded;
  hours += other_tally.hours;
  return *this;
}

World::World(const Plan& plan, bool tells)
    : plan_(plan),
      tells_(tells),
      random_(plan.seed ^ 0x5eed),
      requests_(time_, server_, plan.settings.webhooks, request_faults_,
                [this](int webhook, std::string review, std::function<void(std::string)> answer) {
                  WebhookInstance* asked = webhooks_[static_cast<size_t>(webhook)].get();
                  if (asked == nullptr) return false;
                  asked->Ask(std::move(review), seconds(10), std::move(answer));
                  return true;
                }),
      kube_(time_, server_, requests_, random_.Fork(++streams_),
            {.finished_pods_stay = plan.settings.finished_pods_stay, .at_half_seconds = plan.settings.exact_hours},
            {.reserve =
                 [this](const Workload& pod, const std::string& node) {
                   return !plan_.settings.extender || (extender_ != nullptr && extender_->Reserve(pod, node));
                 },
             .settled =
                 [this](const Workload& pod, bool bound) {
                   if (extender_ != nullptr) extender_->Settled(pod, bound);
                 }}) {
  server_.OnChange([this](std::string_view kind) { Changed(kind); });
  webhooks_.resize(static_cast<size_t>(plan_.settings.webhooks));
  controllers_.resize(2);
  for (size_t i = 0; i < webhooks_.size(); ++i) StartWebhook(i);
  for (size_t i = 0; i < controllers_.size(); ++i) StartController(i);
  if (plan_.settings.extender) extender_ = std::make_unique<ExtenderInstance>(Given(), NextStream());
  controllers_[0]->Lead();
}

Surroundings World::Given() {
  return {
      .time = time_,
      .server = server_,
      .log = NoLog(),
      .metrics = AnyMetrics(),
      .faults = call_faults_,
      .lag = plan_.settings.lag,
      .set_budget = [this](const cluster::BizGroupQuota& changed, Duration until, std::function<void(Status)> done) {
        requests_.SetBudget(changed, until, NextStream(), [done](Outcome outcome, const std::string& said) {
          done(outcome == Outcome::kStored     ? absl::OkStatus()
               : outcome == Outcome::kConflict ? absl::AbortedError("the object has been modified")
               : outcome == Outcome::kNotFound ? absl::AbortedError("it is not as it was read")
               : outcome == Outcome::kDenied   ? absl::FailedPreconditionError(said)
                                               : absl::UnavailableError("no webhook, or lost"));
        });
      }};
}

void World::StartWebhook(size_t which) {
  Stream random = NextStream();
  const Duration offset = random.Between(-plan_.settings.clock_offset, plan_.settings.clock_offset);
  advances::AdvanceOptions advance = plan_.settings.advance;
  advance.instance = Numbered("instance-", ++instances_);
  webhooks_[which] = std::make_unique<WebhookInstance>(
      Given(), random, offset, advance,
      [this](const cluster::BizGroupQuota& before, const cluster::BizGroupQuota& after) {
        if (std::string why = Truth::WithinBudget(before, after); !why.empty()) Fail(why);
      });
}

void World::CountWebhook(const WebhookInstance& webhook) {
  tally_.conflicts += webhook.counts().conflicts;
  tally_.advanced += webhook.counts().advanced;
  tally_.recalls += webhook.counts().recalls;
}

void World::StartController(size_t which) {
  controllers_[which] = std::make_unique<ControllerInstance>(Given(), NextStream(), plan_.settings.resync);
}

void World::Fail(const std::string& why) {
  if (failure_.empty()) failure_ = why;
}

void World::Note(const std::string& what) {
  if (!tells_) return;
  events_.push_back(
      Concat(std::to_string(std::chrono::duration_cast<milliseconds>(time_.Monotonic()).count()), " ms: ", what));
}

void World::Changed(std::string_view kind) {
  const Change& change = server_.Log(kind).back();
  if (tells_) {
    Note(change.group != nullptr      ? Told(*change.group, change.gone)
         : change.transfer != nullptr ? Told(*change.transfer, change.gone)
                                      : Told(*change.workload, change.gone));
  }
  if (kind == kPods && change.workload->scheduled) {
    const auto [paid, is_new] = paid_.try_emplace(change.workload->uid);
    if (is_new) paid->second.group = truth_.PayerOf(*change.workload);
    paid->second.pod = *change.workload;
  }
  if (std::string why = truth_.NothingUncharged(); !why.empty()) Fail(why);
}

void World::Insist(std::function<void(Requests::Done)> ask, int tries, std::string what) {
  ask([this, ask, tries, what](Outcome outcome, const std::string& said) {
    const size_t message = said.find(R"("message":)");
    if (tells_)
      Note(Concat(what, ": ", Name(outcome), message == std::string::npos ? "" : " ",
                  message == std::string::npos ? "" : said.substr(message, 200)));
    ++(outcome == Outcome::kStored        ? tally_.stored
       : outcome == Outcome::kDenied      ? tally_.denied
       : outcome == Outcome::kUnavailable ? tally_.unavailable
                                          : tally_.other);
    if (outcome != Outcome::kUnavailable || tries <= 1) return;
    time_.After(seconds(1), [this, ask, tries, what] { Insist(ask, tries - 1, what); });
  });
}

void World::Execute(const Operation& operation) {
  switch (operation.verb) {
    case Verb::kCreateGroup:
    case Verb::kSetBudget:
    case Verb::kToggleKey:
    case Verb::kDeleteGroup:
      return ExecuteOnGroups(operation);
    case Verb::kKillWebhook:
    case Verb::kKillController:
    case Verb::kKillExtender:
      return Kill(operation);
    case Verb::kChangeLeader:
    case Verb::kCutWatch:
    case Verb::kCutCalls:
      return ExecuteFault(operation);
    case Verb::kTransfer:
    case Verb::kEndTransfer:
      return ExecuteOnTransfers(operation);
    default:
      return ExecuteOnWorkloads(operation);
  }
}

std::string World::Group(int which) const {
  const auto& groups = server_.groups();
  if (groups.empty()) return {};
  return std::next(groups.begin(), which % static_cast<int>(groups.size()))->first;
}

std::string World::Object(std::string_view kind, int which) const {
  std::vector<std::string> names;
  if (const auto found = server_.workloads().find(kind); found != server_.workloads().end()) {
    for (const auto& [name, each] : found->second) {
      if (each.owner_uid.empty() && !each.deleting && !each.finished()) names.push_back(name);
    }
  }
  return names.empty() ? std::string() : names[static_cast<size_t>(which) % names.size()];
}

void World::ExecuteOnGroups(const Operation& operation) {
  const bool created = operation.verb == Verb::kCreateGroup;
  const std::string name = created ? Numbered("g", operation.target) : Group(operation.target);
  if (name.empty()) return;
  const Stream random = random_.Fork(static_cast<uint64_t>(operation.number) + 100000);
  const auto way = operation.flavour % 2 == 0 ? Requests::Way::kPatch : Requests::Way::kPut;
  const int64_t cores = operation.amount * 1000;
  if (created) {
    cluster::BizGroupQuota group;
    group.name = name;
    if (operation.target > 0 && operation.group != operation.target) group.parent = Numbered("g", operation.group);
    Plain hard = {{"limits.cpu", cores}};
    if (plan_.settings.models) hard["limits.cpu.A4"] = cores / 2;
    if (plan_.settings.hours) {
      const bool few = !plan_.settings.exact_hours && operation.flavour == 0;
      hard["cash/limits.cpu"] = operation.target == 0 ? 1'000'000'000 : few ? 50 : 1'000'000;
    }
    group.hard = AmountsOf(hard);
    if (plan_.settings.periods) {
      group.cash_policy =
          cluster::CashPolicy{.period = cluster::CashPolicy::Period::kDay,
                              .anchor = std::chrono::floor<seconds>(time_.Now() - time_.Monotonic()) +
                                        std::chrono::duration_cast<seconds>(plan_.settings.period_begins)};
    }
    return Insist([this, group, random](Requests::Done done) { requests_.CreateGroup(group, random, std::move(done)); },
                  3, Text(operation));
  }
  if (operation.verb == Verb::kDeleteGroup) {
    deleted_ = true;
    return Insist([this, name, random](Requests::Done done) { requests_.DeleteGroup(name, random, std::move(done)); },
                  2, Text(operation));
  }
  const bool toggle = operation.verb == Verb::kToggleKey;
  const auto change = [toggle, cores](Plain& hard) {
    if (!toggle) {
      hard["limits.cpu"] = cores;
      if (hard.contains("limits.cpu.A4")) hard["limits.cpu.A4"] = cores / 2;
    } else if (hard.erase("pods") == 0) {
      hard["pods"] = cores;
    }
  };
  Insist([this, name, way, change,
          random](Requests::Done done) { requests_.ChangeGroup(name, way, change, random, std::move(done)); },
         2, Text(operation));
}

// Some are loans.
void World::ExecuteOnTransfers(const Operation& operation) {
  const std::string name = Numbered("t", operation.target % 4);
  if (operation.verb == Verb::kEndTransfer) return server_.DeleteTransfer(name);
  cluster::QuotaTransfer transfer;
  transfer.name = name;
  transfer.from = Group(operation.group);
  transfer.to = Group(operation.target);
  transfer.amounts = AmountsOf({{"limits.cpu", (operation.amount + 1) * 500}});
  if (operation.flavour > 0) {
    transfer.until = std::chrono::floor<seconds>(time_.Now()) + seconds(20 * operation.flavour);
  }
  server_.CreateTransfer(std::move(transfer));
}

void World::ExecuteOnWorkloads(const Operation& operation) {
  const bool pod = operation.verb == Verb::kCreatePod || operation.verb == Verb::kEndPod;
  const bool job = operation.verb == Verb::kCreateJob || operation.verb == Verb::kScaleJob;
  const std::string_view kind = pod ? kPods : job ? kJobs : kDeployments;
  const bool created = operation.verb == Verb::kCreatePod || operation.verb == Verb::kCreateDeployment ||
                       operation.verb == Verb::kCreateJob;
  const std::string name = created ? Numbered(pod   ? "p"
                                              : job ? "j"
                                                    : "d",
                                              operation.target)
                                   : Object(kind, operation.target);
  if (name.empty()) return;
  const Stream random = random_.Fork(static_cast<uint64_t>(operation.number) + 100000);
  const auto way = operation.flavour % 2 == 0 ? Requests::Way::kPatch : Requests::Way::kPut;
  const std::string text = Text(operation);
  const auto update = [&](std::function<void(Workload&)> change) {
    Insist([this, kind, name, way, change = std::move(change),
            random](Requests::Done done) { requests_.Update(kind, name, way, change, random, std::move(done)); },
           2, text);
  };
  switch (operation.verb) {
    case Verb::kScaleJob:
      return update([replicas = operation.amount](Workload& now) { now.replicas = replicas; });
    case Verb::kCreateDeployment:
    case Verb::kCreateJob:
    case Verb::kCreatePod: {
      Workload workload{.kind = std::string(kind), .name = name};
      if (job) workload.completions = operation.amount + operation.flavour;
      workload.group = Group(operation.group);
      if (plan_.settings.models && operation.flavour >= 2) workload.model = "A4";
      workload.replicas = pod ? 1 : operation.amount;
      workload.milli_cores = operation.milli_cores;
      return Insist(
          [this, workload, random](Requests::Done done) { requests_.Create(workload, random, std::move(done)); }, 3,
          text);
    }
    case Verb::kScale:
      return Insist(
          [this, name, way, replicas = operation.amount, random](Requests::Done done) {
            requests_.Scale(kDeployments, name, way, replicas, random, std::move(done));
          },
          2, text);
    case Verb::kResize:
      return update([milli = operation.milli_cores](Workload& now) { now.milli_cores = milli; });
    case Verb::kMove:
      moved_ = true;
      return update([group = Group(operation.group)](Workload& now) { now.group = group; });
    case Verb::kDeleteDeployment:
      if (const Workload* found = server_.Find(kDeployments, name)) {
        Workload deleting = *found;
        deleting.deleting = true;
        (void)server_.Update(deleting);
      }
      return;
    default:
      kube_.End(name);
  }
}

std::string World::Run() {
  Duration end{};
  for (const Operation& each : plan_.operations) {
    time_.After(each.at, [this, &each] { Execute(each); });
    end = std::max(end, each.at);
  }
  end += seconds(20);
  time_.After(plan_.settings.faults_from, [this] {
    call_faults_ = plan_.settings.calls;
    request_faults_ = plan_.settings.requests;
  });
  time_.After(end, [this] { Heal(); });
  const Duration rest = end + kRest + plan_.settings.finished_pods_stay;
  for (Duration at{}; at < rest && failure_.empty(); at += kSlice) time_.Run(at);
  if (failure_.empty()) failure_ = CheckAtRest();
  for (const auto& each : webhooks_) {
    if (each != nullptr) CountWebhook(*each);
  }
  for (const auto& each : controllers_) {
    if (each == nullptr) continue;
    tally_.settled += each->counts().settled;
    tally_.expired += each->counts().expired;
    tally_.superseded += each->counts().superseded;
  }
  return failure_;
}

}  // namespace huygens::simulation
