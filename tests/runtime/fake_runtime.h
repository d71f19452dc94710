// A container runtime on a unix socket, as far as CRI and containerd's events go: what it has is what a test puts there.
#pragma once

#include <grpcpp/server.h>

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/containerd_events.grpc.pb.h"
#include "runtime/cri.grpc.pb.h"

namespace huygens::runtime {

class FakeRuntime final : private ::runtime::v1::RuntimeService::Service,
                          private ::containerd::services::events::v1::Events::Service {
 public:
  // What it says of itself, and which calls it has.
  struct Kind {
    std::string name = "containerd";
    std::string version = "v2.3.4";
    bool cri_events = true;
    bool status_has_resources = true;  // else only in the verbose text
  };

  FakeRuntime(std::string socket, Kind kind);
  ~FakeRuntime() override;

  // Ends the server; what it has stays. Start makes it again.
  void Stop();
  void Start();

  // A pod NAME with the sandbox sandbox-NAME, annotated result=RESULT, and a container of the same name that is created.
  void Add(std::string_view name, std::string_view result = "node0");
  void SetState(std::string_view name, ::runtime::v1::ContainerState state);
  void Remove(std::string_view name);
  // From now on UpdateContainerResources answers so.
  void FailUpdates(grpc::Status status);
  std::string CpusOf(std::string_view name);

  // Events go to each stream that is open.
  void SendCriEvent(std::string_view name, ::runtime::v1::ContainerEventType type, bool with_status = true);
  void SendContainerdEvent(std::string_view topic, const google::protobuf::MessageLite& event);
  // Blocks until `count` streams have been opened in all.
  void AwaitStreams(size_t count);
  // How often a call was made, by its name.
  size_t Calls(std::string_view call);
  std::vector<std::string> filters();

 private:
  struct Entry {
    ::runtime::v1::PodSandbox pod;
    ::runtime::v1::Container container;
    ::runtime::v1::LinuxContainerResources resources;
  };
  // What is sent to streams, from the first on.
  template <typename Message>
  grpc::Status Stream(grpc::ServerContext* context, grpc::ServerWriter<Message>* writer,
                      const std::deque<Message>& messages);
  ::runtime::v1::ContainerStatus StatusOf(const Entry& entry) const;
  void Count(std::string_view call);

  grpc::Status Version(grpc::ServerContext*, const ::runtime::v1::VersionRequest*,
                       ::runtime::v1::VersionResponse*) override;
  grpc::Status ListPodSandbox(grpc::ServerContext*, const ::runtime::v1::ListPodSandboxRequest*,
                              ::runtime::v1::ListPodSandboxResponse*) override;
  grpc::Status ListContainers(grpc::ServerContext*, const ::runtime::v1::ListContainersRequest*,
                              ::runtime::v1::ListContainersResponse*) override;
  grpc::Status ContainerStatus(grpc::ServerContext*, const ::runtime::v1::ContainerStatusRequest*,
                               ::runtime::v1::ContainerStatusResponse*) override;
  grpc::Status UpdateContainerResources(grpc::ServerContext*, const ::runtime::v1::UpdateContainerResourcesRequest*,
                                        ::runtime::v1::UpdateContainerResourcesResponse*) override;
  grpc::Status GetContainerEvents(grpc::ServerContext*, const ::runtime::v1::GetEventsRequest*,
                                  grpc::ServerWriter<::runtime::v1::ContainerEventResponse>*) override;
  grpc::Status Subscribe(grpc::ServerContext*, const ::containerd::services::events::v1::SubscribeRequest*,
                         grpc::ServerWriter<::containerd::services::events::v1::Envelope>*) override;

  const std::string socket_;
  const Kind kind_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Entry, std::less<>> entries_;
  std::map<std::string, size_t, std::less<>> calls_;
  std::vector<std::string> filters_;
  std::deque<::runtime::v1::ContainerEventResponse> cri_events_;
  std::deque<::containerd::services::events::v1::Envelope> containerd_events_;
  size_t streams_ = 0;
  bool stopping_ = false;
  grpc::Status update_result_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace huygens::runtime
