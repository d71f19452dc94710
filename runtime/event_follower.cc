#include "runtime/event_follower.h"

#include <algorithm>
#include <utility>

#include "runtime/containerd_events.grpc.pb.h"
#include "runtime/cri_client.h"
#include "runtime/cri_values.h"
#include "runtime/event_stream.h"
#include "runtime/listed_changes.h"

namespace huygens::runtime {

namespace v1 = ::runtime::v1;
namespace containerd = ::containerd::services::events::v1;

namespace {

using std::chrono::milliseconds;

// A stream is open some time after it was asked for, and no runtime says when: what happened meanwhile is looked up.
constexpr Duration kSettle = std::chrono::seconds(1);
// How soon a runtime says that it has no such events.
constexpr Duration kRefusal = milliseconds(50);
// containerd tells of a start before its CRI says that the container runs, and an update in that gap would change the
// spec alone. Of sandboxes it tells, too, which are never found.
constexpr Duration kPendingEvery = milliseconds(4);
constexpr int kMostTries = 20;
// On a machine under load the gap between a start and CRI's word of it is long; after 4 s it is told all the same.
constexpr int kMostTriesToRun = 1000;

template <typename Packed>
std::optional<Packed> Unpack(const containerd::Envelope& envelope) {
  Packed out;
  if (!out.ParseFromString(envelope.event().value())) return std::nullopt;
  return out;
}

}  // namespace

EventFollower::EventFollower(FollowOptions options, CriRuntime& runtime, EventSink& sink,
                             std::unique_ptr<Waiter> waiter, Random random)
    : options_(options),
      runtime_(runtime),
      sink_(sink),
      waiter_(std::move(waiter)),
      backoff_(options.first_retry, options.last_retry, std::move(random)),
      thread_([this] { Run(); }) {}

EventFollower::~EventFollower() {
  waiter_->Interrupt();
  {
    const std::lock_guard lock(mutex_);
    if (cancel_) cancel_();
  }
  thread_.join();
}

void EventFollower::Run() {
  while (!waiter_->interrupted()) {
    const Status lost = Follow();
    if (waiter_->interrupted()) return;
    if (connected_ || told_ != Message(lost)) {
      connected_ = false;
      told_ = Message(lost);
      sink_.OnConnection(false, told_);
    }
    pending_.clear();  // the next resync finds them
    waiter_->Wait(backoff_.Next());
  }
}

Status EventFollower::Follow() {
  HUYGENS_ASSIGN_OR_RETURN(const RuntimeVersion version, runtime_.client().Version());
  version_ = Concat(version.name, " ", version.version, " at ", runtime_.client().socket());
  if (version.name == "containerd" && version.major() < 2) return FollowContainerdEvents();
  const Status ended = FollowCriEvents();
  return absl::IsUnimplemented(ended) ? FollowLists() : ended;
}

void EventFollower::Connected(std::string_view how) {
  const std::string what = Concat(version_, ", ", how);
  if (connected_ && told_ == what) return;
  connected_ = true;
  told_ = what;
  sink_.OnConnection(true, told_);
}

void EventFollower::Resync(std::string_view why) {
  sink_.OnResync(why);
  next_resync_ = waiter_->Now() + options_.resync_period;
}

template <typename Received>
Status EventFollower::FollowStream(std::string_view how, std::string call, const auto& prepare) {
  EventStream<Received> stream(std::move(call), runtime_.client().socket(), prepare);
  struct Cancellable {
    EventFollower& follower;
    ~Cancellable() {
      const std::lock_guard lock(follower.mutex_);
      follower.cancel_ = nullptr;
    }
  } const cancellable{*this};
  {
    const std::lock_guard lock(mutex_);
    cancel_ = [&stream] { stream.Cancel(); };
  }
  HUYGENS_ASSIGN_OR_RETURN(std::optional<Received> received, stream.Next(kRefusal));
  const Duration begun = waiter_->Now();
  bool settled = false;
  Connected(how);
  Resync("connected");
  while (!waiter_->interrupted()) {
    if (received) Handle(*received);
    TellPending();
    if (!settled && waiter_->Now() >= begun + kSettle) {
      settled = true;
      backoff_.Reset();
      Resync("events have begun");
    } else if (settled && waiter_->Now() >= next_resync_) {
      Resync("period");
    }
    Duration patience = (settled ? next_resync_ : begun + kSettle) - waiter_->Now();
    if (!pending_.empty()) patience = std::min(patience, kPendingEvery);
    HUYGENS_ASSIGN_OR_RETURN(received, stream.Next(std::max(patience, Duration(0))));
  }
  return absl::OkStatus();
}

Status EventFollower::FollowCriEvents() {
  return FollowStream<v1::ContainerEventResponse>(
      "events by CRI", "CRI GetContainerEvents", [this](grpc::ClientContext* context, grpc::CompletionQueue* queue) {
        return runtime_.client().stub().PrepareAsyncGetContainerEvents(context, v1::GetEventsRequest(), queue);
      });
}

void EventFollower::Handle(const v1::ContainerEventResponse& event) {
  std::shared_ptr<const Pod> pod;
  if (event.has_pod_sandbox_status()) pod = runtime_.known().Remember(PodOf(event.pod_sandbox_status()));
  if (event.container_id() == event.pod_sandbox_status().id()) return;  // the sandbox's own
  const bool ended = event.container_event_type() == v1::CONTAINER_STOPPED_EVENT ||
                     event.container_event_type() == v1::CONTAINER_DELETED_EVENT;
  const auto status = std::ranges::find(event.containers_statuses(), event.container_id(), &v1::ContainerStatus::id);
  if (status == event.containers_statuses().end() || pod == nullptr) {
    if (ended) return TellStopped(event.container_id());
    return Tell({.id = event.container_id(), .started = event.container_event_type() == v1::CONTAINER_STARTED_EVENT});
  }
  Container container = ContainerOf(*status);
  container.pod = pod;
  runtime_.known().RememberState(container);
  if (ended) {
    sink_.OnStopped(container);
  } else if (event.container_event_type() == v1::CONTAINER_STARTED_EVENT) {
    sink_.OnStarted(container);
  } else {
    sink_.OnCreated(container);
  }
}

Status EventFollower::FollowContainerdEvents() {
  const auto stub = containerd::Events::NewStub(runtime_.client().channel());
  return FollowStream<containerd::Envelope>(
      "events by containerd", "containerd's Events/Subscribe",
      [&](grpc::ClientContext* context, grpc::CompletionQueue* queue) {
        containerd::SubscribeRequest request;
        request.add_filters("namespace==\"k8s.io\",topic==\"/containers/delete\"");
        request.add_filters("namespace==\"k8s.io\",topic==\"/tasks/start\"");
        request.add_filters("namespace==\"k8s.io\",topic==\"/tasks/exit\"");
        return stub->PrepareAsyncSubscribe(context, request, queue);
      });
}

void EventFollower::Handle(const containerd::Envelope& event) {
  if (event.topic() == "/containers/delete") {
    if (const auto change = Unpack<containerd::ContainerChange>(event)) TellStopped(change->id());
  } else if (event.topic() == "/tasks/start") {
    if (const auto start = Unpack<containerd::TaskStart>(event)) Tell({.id = start->container_id(), .started = true});
  } else if (event.topic() == "/tasks/exit") {
    const auto exit = Unpack<containerd::TaskExit>(event);
    if (exit && (exit->id().empty() || exit->id() == exit->container_id())) TellStopped(exit->container_id());
  }
}

void EventFollower::Tell(Pending what) {
  // What was created and has started is told as started.
  std::erase_if(pending_, [&](const Pending& other) { return other.id == what.id; });
  if (!TryTell(what)) pending_.push_back(std::move(what));
}

bool EventFollower::TryTell(Pending& what) {
  const StatusOr<Container> container = runtime_.Get(what.id);
  ++what.tries;
  if (!container.ok()) return what.tries >= kMostTries;
  if (what.started && container->state == ContainerState::kCreated && what.tries < kMostTriesToRun) return false;
  if (what.started) {
    sink_.OnStarted(*container);
  } else {
    sink_.OnCreated(*container);
  }
  return true;
}

void EventFollower::TellPending() {
  for (Pending& what : std::exchange(pending_, {})) {
    if (!TryTell(what)) pending_.push_back(std::move(what));
  }
}

void EventFollower::TellStopped(std::string_view id) {
  std::erase_if(pending_, [&](const Pending& other) { return other.id == id; });
  const std::optional<KnownContainers::Entry> known = runtime_.known().Find(id);
  if (!known || known->last.state == ContainerState::kExited) return;  // a sandbox, or told before
  Container container = known->last;
  container.state = ContainerState::kExited;
  runtime_.known().RememberState(container);
  sink_.OnStopped(container);
}

Status EventFollower::FollowLists() {
  ListedChanges changes;
  HUYGENS_ASSIGN_OR_RETURN(std::vector<Container> containers, runtime_.List());
  changes.Begin(containers);
  Connected("which has no events: lists are compared");
  Resync("connected");
  backoff_.Reset();
  while (true) {
    waiter_->Wait(options_.poll_period);
    if (waiter_->interrupted()) return absl::OkStatus();
    HUYGENS_ASSIGN_OR_RETURN(containers, runtime_.List());
    changes.Next(containers, sink_);
    if (waiter_->Now() >= next_resync_) Resync("period");
  }
}

}  // namespace huygens::runtime
