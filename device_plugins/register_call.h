// One call of Register, under way on gRPC's threads. For device_plugins.cc.
#pragma once

#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "base/status.h"
#include "device_plugins/device_plugin.grpc.pb.h"

namespace huygens::device_plugins {

// Keeps gRPC's threads for callbacks while it lives. gRPC 1.51 ends them with whatever used them last and begins others
// with what comes next; it waits for their end, some 100 ms, and if that happens on one of them, the process crashes.
// Whoever owns calls and servers has one of these that outlives them.
class CallbackThreads {
 public:
  CallbackThreads();
  ~CallbackThreads();

 private:
  v1beta1::DevicePlugin::CallbackService service_;
  std::unique_ptr<grpc::Server> server_;  // reached by nobody
};

class RegisterCall {
 public:
  // Kubelet at `socket` (a path) is told the plug-in. `done` is called once, on a thread of gRPC. Unavailable: nobody is
  // there (yet). Other errors have kubelet's own words.
  RegisterCall(const std::string& socket, v1beta1::RegisterRequest request, std::function<void(const Status&)> done);
  // Ends it, and waits for that if `done` was not called yet. On no thread of gRPC.
  ~RegisterCall();
  RegisterCall(const RegisterCall&) = delete;
  RegisterCall& operator=(const RegisterCall&) = delete;

  // Does not wait: `done` comes soon.
  void Cancel() { context_.TryCancel(); }

 private:
  std::unique_ptr<v1beta1::Registration::Stub> stub_;
  grpc::ClientContext context_;
  v1beta1::RegisterRequest request_;
  v1beta1::Empty reply_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
};

}  // namespace huygens::device_plugins
