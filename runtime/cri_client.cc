#include "runtime/cri_client.h"

#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include <charconv>
#include <chrono>
#include <utility>

#include "runtime/call_error.h"

namespace huygens::runtime {

namespace v1 = ::runtime::v1;

namespace {

using std::chrono::seconds;

constexpr seconds kAsk{5};
constexpr seconds kChange{10};  // runc on a loaded machine
constexpr int kMostBytes = 16 << 20;

std::shared_ptr<grpc::Channel> MakeChannel(const std::string& socket) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kMostBytes);
  // The runtime is on this machine: where it restarts it is back within a second.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(Concat("unix:", socket), grpc::InsecureChannelCredentials(), arguments);
}

// One blocking call. `call` is its name for errors.
template <typename Request, typename Response>
StatusOr<Response> Call(CriClient& client,
                        grpc::Status (v1::RuntimeService::Stub::*method)(grpc::ClientContext*, const Request&,
                                                                         Response*),
                        const Request& request, std::string_view call, seconds limit) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + limit);
  Response response;
  const grpc::Status status = (client.stub().*method)(&context, request, &response);
  if (!status.ok()) return CallError(status, Concat("CRI ", call), client.socket());
  return response;
}

}  // namespace

int RuntimeVersion::major() const {
  const std::string_view text = version.starts_with('v') ? std::string_view(version).substr(1) : version;
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

CriClient::CriClient(std::string socket)
    : socket_(std::move(socket)), channel_(MakeChannel(socket_)), stub_(v1::RuntimeService::NewStub(channel_)) {}

StatusOr<RuntimeVersion> CriClient::Version() {
  HUYGENS_ASSIGN_OR_RETURN(v1::VersionResponse answer,
                           Call(*this, &v1::RuntimeService::Stub::Version, v1::VersionRequest(), "Version", kAsk));
  return RuntimeVersion{.name = answer.runtime_name(), .version = answer.runtime_version()};
}

StatusOr<v1::ListPodSandboxResponse> CriClient::Pods(std::string_view id) {
  v1::ListPodSandboxRequest request;
  if (!id.empty()) request.mutable_filter()->set_id(std::string(id));
  return Call(*this, &v1::RuntimeService::Stub::ListPodSandbox, request, "ListPodSandbox", kAsk);
}

StatusOr<v1::ListContainersResponse> CriClient::Containers(std::string_view id) {
  v1::ListContainersRequest request;
  if (!id.empty()) request.mutable_filter()->set_id(std::string(id));
  return Call(*this, &v1::RuntimeService::Stub::ListContainers, request, "ListContainers", kAsk);
}

StatusOr<v1::ContainerStatusResponse> CriClient::ContainerStatus(std::string_view id, bool verbose) {
  v1::ContainerStatusRequest request;
  request.set_container_id(std::string(id));
  request.set_verbose(verbose);
  return Call(*this, &v1::RuntimeService::Stub::ContainerStatus, request, Concat("ContainerStatus of ", id), kAsk);
}

Status CriClient::UpdateCpuset(std::string_view id, const Cpuset& to) {
  v1::UpdateContainerResourcesRequest request;
  request.set_container_id(std::string(id));
  request.mutable_linux()->set_cpuset_cpus(to.cpus);
  request.mutable_linux()->set_cpuset_mems(to.mems);
  const std::string call =
      Concat("UpdateContainerResources of ", id, " to cpuset.cpus \"", to.cpus, "\", cpuset.mems \"", to.mems, "\"");
  return Call(*this, &v1::RuntimeService::Stub::UpdateContainerResources, request, call, kChange).status();
}

}  // namespace huygens::runtime
