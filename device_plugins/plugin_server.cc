#include "device_plugins/plugin_server.h"

#include <sys/un.h>

#include <chrono>
#include <utility>

#include "base/text.h"

namespace huygens::device_plugins {
namespace {

// absl's codes are gRPC's.
grpc::Status ToGrpc(const Status& status) {
  return {static_cast<grpc::StatusCode>(status.code()), std::string(Message(status))};
}

grpc::ServerUnaryReactor* Answer(grpc::CallbackServerContext* context, const Status& status) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(ToGrpc(status));
  return reactor;
}

}  // namespace

StatusOr<std::unique_ptr<PluginServer>> PluginServer::Start(const std::string& path, Answers& answers,
                                                            std::function<void()> ended) {
  if (path.size() >= sizeof(sockaddr_un::sun_path)) return Invalid(Concat(path, ": too long for the path of a socket"));
  auto server = std::unique_ptr<PluginServer>(new PluginServer(path, answers, std::move(ended)));
  server->streams_.Set(answers.devices());
  grpc::ServerBuilder builder;
  builder.AddListeningPort(Concat("unix://", path), grpc::InsecureServerCredentials());
  builder.RegisterService(server.get());
  server->server_ = builder.BuildAndStart();
  if (server->server_ == nullptr) return Unavailable(Concat("cannot listen at ", path));
  return server;
}

PluginServer::~PluginServer() {
  streams_.End();
  // It unlinks its path, at which by then nobody else listens: each server has a name of its own.
  if (server_ != nullptr) server_->Shutdown(std::chrono::system_clock::now());
}

grpc::ServerUnaryReactor* PluginServer::GetDevicePluginOptions(Context* context, const v1beta1::Empty*,
                                                               v1beta1::DevicePluginOptions* reply) {
  *reply = answers_.options();
  return Answer(context, absl::OkStatus());
}

grpc::ServerWriteReactor<v1beta1::ListAndWatchResponse>* PluginServer::ListAndWatch(Context*, const v1beta1::Empty*) {
  return streams_.Open();
}

grpc::ServerUnaryReactor* PluginServer::GetPreferredAllocation(Context* context,
                                                               const v1beta1::PreferredAllocationRequest* request,
                                                               v1beta1::PreferredAllocationResponse* reply) {
  *reply = answers_.Prefer(*request);
  return Answer(context, absl::OkStatus());
}

grpc::ServerUnaryReactor* PluginServer::Allocate(Context* context, const v1beta1::AllocateRequest* request,
                                                 v1beta1::AllocateResponse* reply) {
  auto answer = answers_.Allocate(*request);
  if (!answer.ok()) return Answer(context, answer.status());
  *reply = *std::move(answer);
  return Answer(context, absl::OkStatus());
}

grpc::ServerUnaryReactor* PluginServer::PreStartContainer(Context* context,
                                                          const v1beta1::PreStartContainerRequest* request,
                                                          v1beta1::PreStartContainerResponse*) {
  return Answer(context, answers_.Prepare(*request));
}

}  // namespace huygens::device_plugins
