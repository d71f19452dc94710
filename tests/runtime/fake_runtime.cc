#include "tests/runtime/fake_runtime.h"

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>

#include <chrono>
#include <stdexcept>
#include <utility>

#include "base/text.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
// gRPC comes from Debian, not built for ThreadSanitizer, which then does not see what gRPC's threads wait for: every
// message that it hands over would be a race. Our own code is looked at as ever.
extern "C" const char* __tsan_default_options() { return "ignore_noninstrumented_modules=1"; }  // NOLINT
#endif
#endif

namespace huygens::runtime {

namespace v1 = ::runtime::v1;
namespace containerd = ::containerd::services::events::v1;

FakeRuntime::FakeRuntime(std::string socket, Kind kind) : socket_(std::move(socket)), kind_(std::move(kind)) {
  Start();
}

FakeRuntime::~FakeRuntime() { Stop(); }

void FakeRuntime::Start() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = false;
  }
  grpc::ServerBuilder builder;
  builder.AddListeningPort("unix:" + socket_, grpc::InsecureServerCredentials());
  builder.RegisterService(static_cast<v1::RuntimeService::Service*>(this));
  builder.RegisterService(static_cast<containerd::Events::Service*>(this));
  server_ = builder.BuildAndStart();
  if (server_ == nullptr) throw std::runtime_error("the fake runtime does not start at " + socket_);
}

void FakeRuntime::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (server_ != nullptr) server_->Shutdown(std::chrono::system_clock::now());
  server_.reset();
}

void FakeRuntime::Add(std::string_view name, std::string_view result) {
  const std::lock_guard lock(mutex_);
  Entry& entry = entries_[std::string(name)];
  entry.pod.set_id(Concat("sandbox-", name));
  entry.pod.mutable_metadata()->set_name(std::string(name));
  entry.pod.mutable_metadata()->set_uid(Concat("uid-", name));
  entry.pod.mutable_metadata()->set_namespace_("default");
  (*entry.pod.mutable_annotations())["result"] = std::string(result);
  entry.container.set_id(std::string(name));
  entry.container.set_pod_sandbox_id(entry.pod.id());
  entry.container.mutable_metadata()->set_name("main");
  (*entry.container.mutable_annotations())["io.kubernetes.container.restartCount"] = "2";
  entry.container.set_state(v1::CONTAINER_CREATED);
  entry.resources.set_cpu_shares(2048);
  entry.resources.set_cpu_quota(200000);
  entry.resources.set_cpu_period(100000);
  entry.resources.set_cpuset_cpus("0-7");
}

void FakeRuntime::SetState(std::string_view name, v1::ContainerState state) {
  const std::lock_guard lock(mutex_);
  entries_.find(name)->second.container.set_state(state);
}

void FakeRuntime::Remove(std::string_view name) {
  const std::lock_guard lock(mutex_);
  entries_.erase(entries_.find(name));
}

void FakeRuntime::FailUpdates(grpc::Status status) {
  const std::lock_guard lock(mutex_);
  update_result_ = std::move(status);
}

std::string FakeRuntime::CpusOf(std::string_view name) {
  const std::lock_guard lock(mutex_);
  return entries_.find(name)->second.resources.cpuset_cpus();
}

void FakeRuntime::SendCriEvent(std::string_view name, v1::ContainerEventType type, bool with_status) {
  const std::lock_guard lock(mutex_);
  v1::ContainerEventResponse event;
  event.set_container_id(std::string(name));
  event.set_container_event_type(type);
  if (const auto found = entries_.find(name); found != entries_.end() && with_status) {
    v1::PodSandboxStatus& pod = *event.mutable_pod_sandbox_status();
    pod.set_id(found->second.pod.id());
    *pod.mutable_metadata() = found->second.pod.metadata();
    *pod.mutable_annotations() = found->second.pod.annotations();
    *event.add_containers_statuses() = StatusOf(found->second);
  }
  cri_events_.push_back(std::move(event));
  changed_.notify_all();
}

void FakeRuntime::SendContainerdEvent(std::string_view topic, const google::protobuf::MessageLite& event) {
  const std::lock_guard lock(mutex_);
  containerd::Envelope& envelope = containerd_events_.emplace_back();
  envelope.set_namespace_("k8s.io");
  envelope.set_topic(std::string(topic));
  envelope.mutable_event()->set_value(event.SerializeAsString());
  changed_.notify_all();
}

void FakeRuntime::AwaitStreams(size_t count) {
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, std::chrono::seconds(30), [&] { return streams_ >= count; }))
    throw std::runtime_error("nobody follows the events");
}

size_t FakeRuntime::Calls(std::string_view call) {
  const std::lock_guard lock(mutex_);
  const auto found = calls_.find(call);
  return found == calls_.end() ? 0 : found->second;
}

std::vector<std::string> FakeRuntime::filters() {
  const std::lock_guard lock(mutex_);
  return filters_;
}

void FakeRuntime::Count(std::string_view call) { ++calls_[std::string(call)]; }

template <typename Message>
grpc::Status FakeRuntime::Stream(grpc::ServerContext* context, grpc::ServerWriter<Message>* writer,
                                 const std::deque<Message>& messages) {
  std::unique_lock lock(mutex_);
  size_t next = messages.size();
  ++streams_;
  changed_.notify_all();
  while (!stopping_ && !context->IsCancelled()) {
    // The end of the other side wakes nobody.
    changed_.wait_for(lock, std::chrono::milliseconds(20), [&] { return stopping_ || next < messages.size(); });
    while (next < messages.size()) {
      const Message message = messages[next++];
      lock.unlock();
      writer->Write(message);
      lock.lock();
    }
  }
  return grpc::Status::OK;
}

v1::ContainerStatus FakeRuntime::StatusOf(const Entry& entry) const {
  v1::ContainerStatus status;
  status.set_id(entry.container.id());
  *status.mutable_metadata() = entry.container.metadata();
  *status.mutable_annotations() = entry.container.annotations();
  status.set_state(entry.container.state());
  if (kind_.status_has_resources) *status.mutable_resources()->mutable_linux() = entry.resources;
  return status;
}

grpc::Status FakeRuntime::Version(grpc::ServerContext*, const v1::VersionRequest*, v1::VersionResponse* answer) {
  answer->set_runtime_name(kind_.name);
  answer->set_runtime_version(kind_.version);
  return grpc::Status::OK;
}

grpc::Status FakeRuntime::ListPodSandbox(grpc::ServerContext*, const v1::ListPodSandboxRequest* request,
                                         v1::ListPodSandboxResponse* answer) {
  const std::lock_guard lock(mutex_);
  Count("ListPodSandbox");
  for (const auto& [name, entry] : entries_) {
    if (request->filter().id().empty() || request->filter().id() == entry.pod.id()) *answer->add_items() = entry.pod;
  }
  return grpc::Status::OK;
}

grpc::Status FakeRuntime::ListContainers(grpc::ServerContext*, const v1::ListContainersRequest* request,
                                         v1::ListContainersResponse* answer) {
  const std::lock_guard lock(mutex_);
  Count("ListContainers");
  for (const auto& [name, entry] : entries_) {
    if (request->filter().id().empty() || request->filter().id() == name) *answer->add_containers() = entry.container;
  }
  return grpc::Status::OK;
}

grpc::Status FakeRuntime::ContainerStatus(grpc::ServerContext*, const v1::ContainerStatusRequest* request,
                                          v1::ContainerStatusResponse* answer) {
  const std::lock_guard lock(mutex_);
  Count("ContainerStatus");
  const auto found = entries_.find(request->container_id());
  if (found == entries_.end()) return {grpc::StatusCode::NOT_FOUND, "an error occurred when try to find container"};
  *answer->mutable_status() = StatusOf(found->second);
  if (request->verbose()) {
    (*answer->mutable_info())["info"] =
        Concat(R"({"pid":0,"runtimeSpec":{"linux":{"cgroupsPath":"/kubepods/)", found->first,
               R"(","resources":{"cpu":{"shares":2048,"cpus":")", found->second.resources.cpuset_cpus(), R"("}}}}})");
  }
  return grpc::Status::OK;
}

grpc::Status FakeRuntime::UpdateContainerResources(grpc::ServerContext*,
                                                   const v1::UpdateContainerResourcesRequest* request,
                                                   v1::UpdateContainerResourcesResponse*) {
  const std::lock_guard lock(mutex_);
  Count("UpdateContainerResources");
  const auto found = entries_.find(request->container_id());
  if (found == entries_.end()) return {grpc::StatusCode::NOT_FOUND, "failed to find container"};
  if (update_result_.ok() && !request->linux().cpuset_cpus().empty()) {
    found->second.resources.set_cpuset_cpus(request->linux().cpuset_cpus());
  }
  return update_result_;
}

grpc::Status FakeRuntime::GetContainerEvents(grpc::ServerContext* context, const v1::GetEventsRequest*,
                                             grpc::ServerWriter<v1::ContainerEventResponse>* writer) {
  if (!kind_.cri_events) return {grpc::StatusCode::UNIMPLEMENTED, "unknown method GetContainerEvents"};
  return Stream(context, writer, cri_events_);
}

grpc::Status FakeRuntime::Subscribe(grpc::ServerContext* context, const containerd::SubscribeRequest* request,
                                    grpc::ServerWriter<containerd::Envelope>* writer) {
  {
    const std::lock_guard lock(mutex_);
    filters_.assign(request->filters().begin(), request->filters().end());
  }
  return Stream(context, writer, containerd_events_);
}

}  // namespace huygens::runtime
