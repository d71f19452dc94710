#include "tests/device_plugins/fake_kubelet.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/text.h"

namespace huygens::device_plugins {

void LeaveSocket(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  unlink(path.c_str());
  if (bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) std::abort();
  close(descriptor);
}

std::vector<std::string> SocketsIn(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& each : std::filesystem::directory_iterator(folder)) {
    if (each.is_socket()) names.push_back(each.path().filename().string());
  }
  return names;
}

void FakeKubelet::Start(std::string socket) {
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

void FakeKubelet::Stop() {
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

void FakeKubelet::Refuse(std::string text) {
  const std::lock_guard lock(mutex_);
  refusal_ = std::move(text);
}

void FakeKubelet::Drop(const std::string& resource) {
  const std::lock_guard lock(mutex_);
  for (auto& each : followed_) {
    if (each->request.resource_name() == resource) each->context.TryCancel();
  }
}

std::vector<std::string> FakeKubelet::Wait(const std::string& resource,
                                           const std::function<bool(const std::vector<std::string>&)>& enough) {
  std::unique_lock lock(mutex_);
  const bool came = changed_.wait_for(lock, std::chrono::seconds(30),
                                      [&] { return lists_.contains(resource) && enough(lists_[resource]); });
  return came ? lists_[resource] : std::vector<std::string>{"nothing came in 30 s"};
}

std::vector<std::string> FakeKubelet::Wait(const std::string& resource, size_t devices) {
  return Wait(resource, [devices](const auto& list) { return list.size() == devices; });
}

int FakeKubelet::registrations() const {
  const std::lock_guard lock(mutex_);
  return registrations_;
}

v1beta1::RegisterRequest FakeKubelet::request(const std::string& resource) const {
  const std::lock_guard lock(mutex_);
  return requests_.at(resource);
}

std::unique_ptr<v1beta1::DevicePlugin::Stub> FakeKubelet::Dial(const std::string& resource) const {
  return DialEndpoint(request(resource).endpoint());
}

std::unique_ptr<v1beta1::DevicePlugin::Stub> FakeKubelet::DialEndpoint(const std::string& endpoint) const {
  return v1beta1::DevicePlugin::NewStub(
      grpc::CreateChannel(Concat("unix://", folder_, "/", endpoint), grpc::InsecureChannelCredentials()));
}

grpc::Status FakeKubelet::Register(grpc::ServerContext*, const v1beta1::RegisterRequest* request, v1beta1::Empty*) {
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

void FakeKubelet::Follow(Followed& each) {
  auto reader = each.stub->ListAndWatch(&each.context, {});
  v1beta1::ListAndWatchResponse list;
  while (reader->Read(&list)) {
    const std::lock_guard lock(mutex_);
    std::vector<std::string>& told = lists_[each.request.resource_name()];
    told.clear();
    for (const v1beta1::Device& device : list.devices()) {
      told.push_back(Concat(device.id(), " ", device.health(), " ",
                            device.topology().nodes().empty() ? "-" : std::to_string(device.topology().nodes(0).id())));
    }
    changed_.notify_all();
  }
  static_cast<void>(reader->Finish());
}

}  // namespace huygens::device_plugins
