#include "extender/kubernetes_backend.h"

#include <algorithm>

#include "base/duration_text.h"
#include "base/steady_now.h"
#include "base/waiter.h"
#include "extender/cluster_updates.h"
#include "kube/api_call.h"
#include "wire/pod.h"

namespace huygens::extender {

using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

// How long the pod watch may take to reach what the previous holder wrote before a LIST is asked for instead.
constexpr auto kCatchUp = milliseconds(300);
constexpr auto kGetTimeout = seconds(3);
constexpr auto kWakeTimeout = seconds(3);

BindReport ReportOf(const kube::BindOutcome& outcome) {
  switch (outcome.verdict) {
    case kube::BindVerdict::kBound:
      return {.result = BindResult::kBound};
    // It holds a node, and the watch will show which and what: until then the zones here must not look free.
    case kube::BindVerdict::kBoundOtherwise:
    case kube::BindVerdict::kBoundElsewhere:
    case kube::BindVerdict::kUnknown:
      return {.result = BindResult::kUnknown, .message = outcome.message};
    default:
      return {.result = BindResult::kRefused, .message = outcome.message, .worth_event = outcome.by_api_server};
  }
}

}  // namespace

struct KubernetesBackend::Worker {
  std::unique_ptr<net::Client> client;
  SteadyWaiter waiter;
  std::unique_ptr<kube::Binder> binder;
  std::thread thread;
};

KubernetesBackend::KubernetesBackend(Context& context, net::EventLoop& loop, informer::WatchEventQueue& queue,
                                     KubernetesOptions options)
    : context_(context),
      loop_(loop),
      queue_(queue),
      options_(std::move(options)),
      reflectors_(context.resources, queue),
      events_(context.clock, SystemRandom(), {.instance = options_.identity}) {}

KubernetesBackend::~KubernetesBackend() { Stop(); }

Status KubernetesBackend::Start() {
  for (size_t i = 0; i < options_.binders; ++i) {
    auto worker = std::make_unique<Worker>();
    HUYGENS_ASSIGN_OR_RETURN(worker->client, net::Client::Create(options_.api_server));
    worker->binder = std::make_unique<kube::Binder>(*worker->client, worker->waiter, SystemRandom(),
                                                    kube::BindOptions{.retries = options_.retries});
    workers_.push_back(std::move(worker));
  }
  for (auto& worker : workers_) worker->thread = std::thread([this, &worker = *worker] { Work(worker); });
  if (context_.placement.options().waiting_pods > 0) AskVersion();
  if (options_.lease) HUYGENS_RETURN_IF_ERROR(StartLease());
  return reflectors_.Start(options_.api_server, KindsToFollow(context_.placement));
}

Status KubernetesBackend::StartLease() {
  HUYGENS_ASSIGN_OR_RETURN(auto client, net::Client::Create(options_.api_server));
  BindLease::Options lease;
  lease.lease = options_.lease_options;
  lease.lease.identity = options_.identity;
  lease.patience = options_.lease_patience;
  lease_ = std::make_unique<BindLease>(
      std::move(client), std::make_unique<SteadyWaiter>(), context_.clock, lease,
      [this](const BindLease::View& view) { loop_.Post([this, view] { LeaseChanged(view); }); });
  lease_->Start();
  queue_.OnProgress([this](cluster::Kind kind) {
    if (kind != cluster::Kind::kPod) return;
    LookForOthers();
    AnswerWaiting();
  });
  return absl::OkStatus();
}

void KubernetesBackend::AskVersion() {
  Enqueue([this](Worker& worker) {
    loop_.Post([this, wakes_all = kube::NodeWriteWakesAll(*worker.client, kGetTimeout)] {
      if (wakes_all.ok()) {
        node_write_wakes_all_ = *wakes_all;
        return;
      }
      context_.log.Info("cannot read the API server's version yet; pods that were rejected before the start wait",
                        {{"why", Message(wakes_all.status())}});
      ask_version_ = loop_.After(version_pause_, [this] { AskVersion(); });
      version_pause_ = std::min<Duration>(2 * version_pause_, seconds(30));
    });
  });
}

std::string KubernetesBackend::OtherBinder() const {
  const BindLease::View view = lease_ ? lease_->Now() : BindLease::View();
  return view.held ? std::string() : view.holder;
}

void KubernetesBackend::LeaseChanged(const BindLease::View& view) {
  context_.metrics.SetLeaseHeld(view.held);
  if (view.incidents > incidents_) {
    context_.metrics.LeaseIncident(view.incidents - incidents_);
    context_.log.Warn("somebody meddled with the bind Lease",
                      {{"what", view.incident}, {"times", view.incidents - incidents_}});
    incidents_ = view.incidents;
  }
  LookForOthers();
  AnswerWaiting();
}

void KubernetesBackend::LookForOthers() {
  const cluster::State& state = context_.placement.state();
  if (looked_for_others_ || !lease_->Now().first || !state.Synced(cluster::Kind::kPod)) return;
  looked_for_others_ = true;
  for (cluster::NodeIndex node = 0; node < state.NodeSlots(); ++node) {
    for (const cluster::PlacedPod* placed : state.PodsOn(node)) {
      if (placed->pod->placement_mark) return;
    }
  }
  lease_->NobodyElse();
}

void KubernetesBackend::Stop() {
  reflectors_.Stop();
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  cancel_ = true;
  filled_.notify_all();
  for (auto& worker : workers_) {
    worker->waiter.Interrupt();
    worker->client->Cancel();
    if (worker->thread.joinable()) worker->thread.join();
  }
  if (lease_) lease_->Stop();
}

void KubernetesBackend::Drain() {
  if (lease_) lease_->Drain();
}

void KubernetesBackend::Enqueue(Task task) {
  {
    std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  filled_.notify_one();
}

void KubernetesBackend::Work(Worker& worker) {
  while (true) {
    Task task;
    {
      std::unique_lock lock(mutex_);
      filled_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task(worker);
  }
}

void KubernetesBackend::Admit(std::function<void(StatusOr<uint64_t>)> done) {
  if (!lease_) return done(uint64_t{0});
  lease_->Want();
  waiting_.push_back({std::move(done), context_.monotonic() + options_.lease_patience});
  if (!patience_.pending()) patience_ = loop_.After(options_.lease_patience, [this] { EndPatience(); });
  AnswerWaiting();
}

void KubernetesBackend::AnswerWaiting() {
  if (waiting_.empty()) return;
  BindLease::View view = lease_->Now();
  // Not refused at once: kube-scheduler would write each failure into the pod's status and ask again, and all that work
  // keeps an API server busy while nobody may bind. The Lease may be free before the patience ends.
  if (!view.held) return;
  if (queue_.Seen(cluster::Kind::kPod) < view.must_have_seen) {
    if (!relist_.pending())
      relist_ = loop_.After(kCatchUp, [this] {
        reflectors_.CatchUp(cluster::Kind::kPod, lease_->Now().must_have_seen);
        lease_->Want();  // else it would be given up as idle meanwhile
        AnswerWaiting();
      });
    return;
  }
  relist_.Cancel();
  patience_.Cancel();
  auto waiting = std::move(waiting_);
  waiting_.clear();
  for (Waiting& each : waiting) each.done(view.term);
}

void KubernetesBackend::EndPatience() {
  const Duration now = context_.monotonic();
  const BindLease::View view = lease_->Now();
  std::string trouble = view.trouble;
  if (trouble.empty()) trouble = "the bind Lease could not be had in time; try again";
  // Without the seconds that are left: kube-scheduler writes each text that differs into the pod.
  if (view.settling > Duration::zero()) {
    trouble = Concat("the bind Lease was created just now (first start in this cluster, or it was deleted): for up to ",
                     SecondsText(options_.lease_options.duration),
                     " nobody binds, as another huygens might still do so; try again");
  }
  std::vector<Waiting> ended;
  while (!waiting_.empty() && waiting_.front().until <= now) {
    ended.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  if (!waiting_.empty()) patience_ = loop_.After(waiting_.front().until - now, [this] { EndPatience(); });
  for (Waiting& each : ended) each.done(Unavailable(trouble));
}

void KubernetesBackend::Bind(BindOrder order, Duration budget, std::function<void(BindReport)> done) {
  Duration deadline = SteadyNow() + budget;
  Enqueue([this, order = std::move(order), deadline, done = std::move(done)](Worker& worker) {
    auto answer = [&](BindReport report) { loop_.Post([done, report = std::move(report)] { done(report); }); };
    Duration left = deadline - worker.waiter.Now();
    if (left <= Duration::zero()) {
      return answer({.result = BindResult::kRefused,
                     .message = "all binders were busy until requestDeadline; raise bind.binders"});
    }
    if (lease_) {
      if (Status held = lease_->Begin(order.term, left); !held.ok()) {
        return answer({.result = BindResult::kRefused, .message = std::string(Message(held))});
      }
    }
    auto start = std::chrono::steady_clock::now();
    kube::BindOutcome outcome = worker.binder->Bind(order.request, deadline, cancel_);
    const bool in_doubt = outcome.verdict == kube::BindVerdict::kUnknown;
    if (lease_ && in_doubt) lease_->EndInDoubt(order.request.uid, kube::BindOptions().in_flight);
    if (lease_ && !in_doubt) lease_->End();
    BindReport report = ReportOf(outcome);
    context_.metrics.BindApi(Name(report.result), std::chrono::steady_clock::now() - start);
    answer(std::move(report));
  });
}

void KubernetesBackend::Settled(std::string_view pod_uid) {
  if (lease_) lease_->Settled(pod_uid);
}

void KubernetesBackend::Settle(BindOrder order, std::function<void(BindReport)> done) {
  Enqueue([this, order = std::move(order), done = std::move(done)](Worker& worker) {
    kube::BindOutcome outcome =
        worker.binder->Settle(order.request, context_.monotonic() - order.last_sent, kGetTimeout);
    if (lease_ && outcome.verdict != kube::BindVerdict::kUnknown) lease_->Settled(order.request.uid);
    loop_.Post([done, report = ReportOf(outcome)] { done(report); });
  });
}

void KubernetesBackend::FetchPod(std::string_view namespace_name, std::string_view name,
                                 std::function<void(StatusOr<std::shared_ptr<const cluster::Pod>>)> done) {
  if (!kube::IsObjectName(namespace_name) || !kube::IsObjectName(name)) {
    return done(Invalid("the pod's name or namespace is not a Kubernetes name"));
  }
  std::string path = Concat("/api/v1/namespaces/", namespace_name, "/pods/", name);
  Enqueue([this, path = std::move(path), done = std::move(done)](Worker& worker) {
    auto fetch = [&]() -> StatusOr<std::shared_ptr<const cluster::Pod>> {
      HUYGENS_ASSIGN_OR_RETURN(net::HttpReply reply, worker.client->Call("GET", path, "", {}, kGetTimeout));
      if (reply.code == 404) return NotFound(Concat("the API server knows no pod at ", path));
      if (reply.code != 200)
        return Unavailable(Concat("GET ", path, " was answered with ", std::to_string(reply.code)));
      HUYGENS_ASSIGN_OR_RETURN(cluster::Pod pod, wire::DecodePod(reply.body, context_.resources));
      return std::make_shared<const cluster::Pod>(std::move(pod));
    };
    loop_.Post([done, pod = fetch()] { done(pod); });
  });
}

void KubernetesBackend::Warn(const cluster::Pod& pod, const kube::PodWarning& warning) {
  WarnOf(pod.namespace_name, pod.name, pod.uid, warning);
}

void KubernetesBackend::WarnOfNode(const cluster::Node& node, const kube::PodWarning& warning) {
  WarnOf("", node.name, node.uid, warning);
}

void KubernetesBackend::WarnOf(const std::string& namespace_name, const std::string& name, const std::string& uid,
                               const kube::PodWarning& warning) {
  // Asked here: what will not be sent keeps no binder, and no bind waits behind it.
  if (!events_.Allow(uid, warning)) return;
  Enqueue([this, namespace_name, name, uid, reason = std::string(warning.reason),
           text = std::string(warning.message)](Worker& worker) {
    const std::string_view kind = namespace_name.empty() ? "Node" : "Pod";
    Status sent = events_.Send(*worker.client, {"v1", kind, namespace_name, name, uid}, reason, text);
    if (sent.ok()) return;
    loop_.Post([this, object = namespace_name.empty() ? name : Concat(namespace_name, "/", name),
                why = std::string(Message(sent))] {
      if (auto left_out = event_warnings_.Allow(context_.clock.Now()))
        context_.log.Warn("event not sent", {{"object", object}, {"why", why}, {"leftOut", *left_out}});
    });
  });
}

void KubernetesBackend::Wake(std::vector<kube::WakeTarget> targets,
                             std::function<void(const std::vector<kube::WakeReport>&)> done) {
  // One task, so that one binder at most is kept from binding.
  Enqueue([this, targets = std::move(targets), done = std::move(done)](Worker& worker) {
    const std::string mark = FormatRfc3339Micro(context_.clock.Now());
    std::vector<kube::WakeReport> reports;
    for (const kube::WakeTarget& target : targets) {
      const bool unavailable = !reports.empty() && reports.back().unavailable;
      reports.push_back(unavailable ? reports.back() : kube::Wake(*worker.client, target, mark, kWakeTimeout));
    }
    loop_.Post([done, reports = std::move(reports)] { done(reports); });
  });
}

std::vector<observe::Readiness::Item> KubernetesBackend::Details() const {
  if (!lease_) return {};
  BindLease::View view = lease_->Now();
  std::string trouble = view.trouble.empty() ? "" : Concat(": ", view.trouble);
  if (view.settling > Duration::zero()) trouble += Concat("; ", SecondsText(view.settling), " more");
  observe::Readiness::Item item{.name = "bind-lease"};
  item.detail = view.held              ? "held"
                : !view.holder.empty() ? Concat("held by ", view.holder)
                                       : Concat("not held", trouble);
  item.warning = !view.held && view.holder.empty() && !trouble.empty();
  if (!view.held && view.excess > Duration::zero()) {
    item.warning = true;
    item.detail +=
        Concat(", which claims it for ", SecondsText(view.excess), "; ", SecondsText(options_.lease_options.duration),
               " (bind.lease.duration) after its last renewal it counts as dead");
  }
  return {std::move(item)};
}

}  // namespace huygens::extender
