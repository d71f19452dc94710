#include "pod_resources/client.h"

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <filesystem>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "pod_resources/pod_resources.grpc.pb.h"

namespace huygens::pod_resources {
namespace {

constexpr int kMostBytes = 16 << 20;  // as kubelet's own clients allow

// Of one resource: the devices that were given, by their ids.
using Given = std::map<std::string, std::set<std::string>>;

Given GivenIn(const v1::ListPodResourcesResponse& list) {
  Given given;
  for (const v1::PodResources& pod : list.pod_resources()) {
    for (const v1::ContainerResources& container : pod.containers()) {
      for (const v1::ContainerDevices& devices : container.devices()) {
        given[devices.resource_name()].insert(devices.device_ids().begin(), devices.device_ids().end());
      }
    }
  }
  return given;
}

ZoneDevices Count(const v1::AllocatableResourcesResponse& allocatable, const Given& given) {
  ZoneDevices zones;
  for (const v1::ContainerDevices& devices : allocatable.devices()) {
    const auto taken = given.find(devices.resource_name());
    for (const v1::NUMANode& node : devices.topology().nodes()) {
      DeviceCount& count = zones[node.id()][devices.resource_name()];
      for (const std::string& id : devices.device_ids()) {
        ++count.allocatable;
        if (taken == given.end() || !taken->second.contains(id)) ++count.available;
      }
    }
  }
  return zones;
}

}  // namespace

struct Client::Connection {
  std::unique_ptr<v1::PodResourcesLister::Stub> stub;  // null: to be made anew
  std::mutex mutex;                                    // guards the two below
  grpc::ClientContext* context = nullptr;              // of the call under way
  bool cancelled = false;

  void Open(const std::string& socket) {
    grpc::ChannelArguments arguments;
    // A connection of its own: one that is shared would wait after kubelet was not there.
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    arguments.SetMaxReceiveMessageSize(kMostBytes);
    stub = v1::PodResourcesLister::NewStub(
        grpc::CreateCustomChannel(Concat("unix://", socket), grpc::InsecureChannelCredentials(), arguments));
  }

  template <typename Call>
  grpc::Status Do(Call call, Duration timeout) {
    grpc::ClientContext own;
    own.set_deadline(std::chrono::system_clock::now() + timeout);
    {
      const std::lock_guard lock(mutex);
      if (cancelled) return {grpc::StatusCode::CANCELLED, "the agent ends"};
      context = &own;
    }
    grpc::Status status = call(own);
    const std::lock_guard lock(mutex);
    context = nullptr;
    return status;
  }
};

Client::Client(std::string socket) : socket_(std::move(socket)), connection_(std::make_unique<Connection>()) {}
Client::~Client() = default;

void Client::Cancel() {
  const std::lock_guard lock(connection_->mutex);
  connection_->cancelled = true;
  if (connection_->context != nullptr) connection_->context->TryCancel();
}

StatusOr<std::optional<ZoneDevices>> Client::Read(Duration timeout) {
  std::error_code error;
  if (!std::filesystem::exists(socket_, error)) return std::optional<ZoneDevices>();
  if (connection_->stub == nullptr) connection_->Open(socket_);
  v1::ListPodResourcesResponse list;
  v1::AllocatableResourcesResponse allocatable;
  grpc::Status status = connection_->Do(
      [&](grpc::ClientContext& context) {
        return connection_->stub->GetAllocatableResources(&context, v1::AllocatableResourcesRequest(), &allocatable);
      },
      timeout);
  if (status.ok()) {
    status = connection_->Do(
        [&](grpc::ClientContext& context) {
          return connection_->stub->List(&context, v1::ListPodResourcesRequest(), &list);
        },
        timeout);
  }
  if (status.ok()) return std::optional(Count(allocatable, GivenIn(list)));
  connection_->stub.reset();  // kubelet's next socket is another
  const bool disabled = status.error_code() == grpc::StatusCode::UNIMPLEMENTED ||
                        status.error_message().find("disabled") != std::string::npos;
  if (disabled) return std::optional<ZoneDevices>();
  return Status(static_cast<absl::StatusCode>(status.error_code()),
                ToAbsl(Concat(socket_, ": ", status.error_message())));
}

}  // namespace huygens::pod_resources
