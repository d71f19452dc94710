#include "device_plugins/register_call.h"

#include <chrono>
#include <utility>

#include "base/text.h"

namespace huygens::device_plugins {
namespace {

// Kubelet itself gives up on a plug-in that does not serve after 10 s.
constexpr std::chrono::seconds kDeadline(15);

Status FromGrpc(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  return Status(static_cast<absl::StatusCode>(status.error_code()), ToAbsl(status.error_message()));
}

}  // namespace

CallbackThreads::CallbackThreads() {
  grpc::ServerBuilder builder;
  builder.RegisterService(&service_);
  server_ = builder.BuildAndStart();
}

CallbackThreads::~CallbackThreads() {
  if (server_ != nullptr) server_->Shutdown(std::chrono::system_clock::now());
}

RegisterCall::RegisterCall(const std::string& socket, v1beta1::RegisterRequest request,
                           std::function<void(const Status&)> done)
    : request_(std::move(request)) {
  grpc::ChannelArguments arguments;
  // A connection of its own: one that is shared would wait a second after kubelet was not there yet.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  stub_ = v1beta1::Registration::NewStub(
      grpc::CreateCustomChannel(Concat("unix://", socket), grpc::InsecureChannelCredentials(), arguments));
  context_.set_deadline(std::chrono::system_clock::now() + kDeadline);
  stub_->async()->Register(&context_, &request_, &reply_, [this, done = std::move(done)](const grpc::Status& status) {
    done(FromGrpc(status));
    const std::lock_guard lock(mutex_);
    done_ = true;
    changed_.notify_all();
  });
}

RegisterCall::~RegisterCall() {
  context_.TryCancel();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return done_; });
}

}  // namespace huygens::device_plugins
