// Kubelet's device manager in this process, as far as a plug-in can see it: it deletes every socket in its folder when it
// starts, then serves Registration there; within the call of Register it dials the plug-in and asks for its options, and
// then follows its list. Source: k8s.io/kubernetes v1.36.3, pkg/kubelet/cm/devicemanager.
#pragma once

#include <grpcpp/grpcpp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/text.h"
#include "device_plugins/device_plugin.grpc.pb.h"

namespace huygens::device_plugins {

// A socket at which nobody listens, as a process leaves it that is killed.
inline void LeaveSocket(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  unlink(path.c_str());
  if (bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) std::abort();
  close(descriptor);
}

inline std::vector<std::string> SocketsIn(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& each : std::filesystem::directory_iterator(folder)) {
    if (each.is_socket()) names.push_back(each.path().filename().string());
  }
  return names;
}

class FakeKubelet final : private v1beta1::Registration::Service {
 public:
  explicit FakeKubelet(std::string folder) : folder_(std::move(folder)) {}
  ~FakeKubelet() override { Stop(); }

  // `socket`: where it listens, if not in its folder.
  void Start(std::string socket = "") {
    if (socket.empty()) {
      for (const std::string& name : SocketsIn(folder_)) std::filesystem::remove(Concat(folder_, "/", name));
      socket = Concat(folder_, "/kubelet.sock");
    }
    grpc::ServerBuilder builder;
    builder.AddListeningPort(Concat("unix://", socket), grpc::InsecureServerCredentials());
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
    if (server_ == nullptr) std::abort();
  }
  // Killed: its socket stays, and so do those of plug-ins.
  void Stop() {
    if (server_ == nullptr) return;
    server_->Shutdown(std::chrono::system_clock::now());
    server_.reset();
    {
      const std::lock_guard lock(mutex_);
      for (auto& each : followed_) each->context.TryCancel();
    }
    for (auto& each : followed_) each->thread.join();
    const std::lock_guard lock(mutex_);
    followed_.clear();
    lists_.clear();
    LeaveSocket(Concat(folder_, "/kubelet.sock"));
  }
  void Restart() {
    Stop();
    Start();
  }
  // What Register answers from now on; "" = takes them.
  void Refuse(std::string text) {
    const std::lock_guard lock(mutex_);
    refusal_ = std::move(text);
  }
  // Gives up on a plug-in, as when another one of that name comes.
  void Drop(const std::string& resource) {
    const std::lock_guard lock(mutex_);
    for (auto& each : followed_) {
      if (each->request.resource_name() == resource) each->context.TryCancel();
    }
  }

  // The list that the plug-in of `resource` told last, "id healthy zone" for each device, once `enough` says so.
  std::vector<std::string> Wait(const std::string& resource,
                                const std::function<bool(const std::vector<std::string>&)>& enough) {
    std::unique_lock lock(mutex_);
    const bool came = changed_.wait_for(lock, std::chrono::seconds(30),
                                        [&] { return lists_.contains(resource) && enough(lists_[resource]); });
    return came ? lists_[resource] : std::vector<std::string>{"nothing came in 30 s"};
  }
  std::vector<std::string> Wait(const std::string& resource, size_t devices) {
    return Wait(resource, [devices](const auto& list) { return list.size() == devices; });
  }
  int registrations() const {
    const std::lock_guard lock(mutex_);
    return registrations_;
  }
  // What the plug-in of `resource` registered last.
  v1beta1::RegisterRequest request(const std::string& resource) const {
    const std::lock_guard lock(mutex_);
    return requests_.at(resource);
  }
  std::unique_ptr<v1beta1::DevicePlugin::Stub> Dial(const std::string& resource) const {
    return DialEndpoint(request(resource).endpoint());
  }

 private:
  struct Followed {
    v1beta1::RegisterRequest request;
    std::unique_ptr<v1beta1::DevicePlugin::Stub> stub;
    grpc::ClientContext context;
    std::thread thread;
  };

  std::unique_ptr<v1beta1::DevicePlugin::Stub> DialEndpoint(const std::string& endpoint) const {
    return v1beta1::DevicePlugin::NewStub(
        grpc::CreateChannel(Concat("unix://", folder_, "/", endpoint), grpc::InsecureChannelCredentials()));
  }

  grpc::Status Register(grpc::ServerContext*, const v1beta1::RegisterRequest* request, v1beta1::Empty*) override {
    {
      const std::lock_guard lock(mutex_);
      if (!refusal_.empty()) return {grpc::StatusCode::UNKNOWN, refusal_};
    }
    if (request->version() != "v1beta1") return {grpc::StatusCode::UNKNOWN, "requested API version is not supported"};
    auto followed = std::make_unique<Followed>();
    followed->request = *request;
    followed->stub = DialEndpoint(request->endpoint());
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
    v1beta1::DevicePluginOptions options;
    const grpc::Status status = followed->stub->GetDevicePluginOptions(&context, {}, &options);
    if (!status.ok()) return {grpc::StatusCode::UNKNOWN, "failed to dial device plugin: " + status.error_message()};
    const std::lock_guard lock(mutex_);
    ++registrations_;
    requests_[request->resource_name()] = *request;
    followed->thread = std::thread([this, &each = *followed] { Follow(each); });
    followed_.push_back(std::move(followed));
    return grpc::Status::OK;
  }

  void Follow(Followed& each) {
    auto reader = each.stub->ListAndWatch(&each.context, {});
    v1beta1::ListAndWatchResponse list;
    while (reader->Read(&list)) {
      const std::lock_guard lock(mutex_);
      std::vector<std::string>& told = lists_[each.request.resource_name()];
      told.clear();
      for (const v1beta1::Device& device : list.devices()) {
        told.push_back(
            Concat(device.id(), " ", device.health(), " ",
                   device.topology().nodes().empty() ? "-" : std::to_string(device.topology().nodes(0).id())));
      }
      changed_.notify_all();
    }
    static_cast<void>(reader->Finish());
  }

  const std::string folder_;
  std::unique_ptr<grpc::Server> server_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string refusal_;
  int registrations_ = 0;
  std::map<std::string, v1beta1::RegisterRequest> requests_;
  std::map<std::string, std::vector<std::string>> lists_;
  std::vector<std::unique_ptr<Followed>> followed_;
};

}  // namespace huygens::device_plugins
