// What an NRI plugin says on one connection, from its registration on: bytes in, bytes out, and calls of CreationHooks
// in between. No socket and no clock here. Not thread-safe.
//
// Order: we register with a name and a two-digit index; the runtime asks to be told which events we want (Configure),
// tells all pods and containers, in parts where they are many (Synchronize), and then each event, for whose answer it
// waits. Older runtimes tell of sandboxes by StateChange. We never send UpdateContainers: it can deadlock containerd
// against an update by CRI (containerd#13733). Source: github.com/containerd/nri v0.12.0, pkg/api, pkg/adaptation.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "runtime/container_runtime.h"
#include "runtime/nri.pb.h"
#include "runtime/nri_wire.h"

namespace huygens::runtime {

struct NriName {
  std::string name = "huygens";
  // Plugins are asked in this order. Two that set a container's CPUs make its creation fail.
  std::string index = "90";
};

class NriSession {
 public:
  // `send` is called with bytes for the runtime during Begin and Receive. `hooks` must outlive it; its OnConnection is
  // called when all pods and containers were told.
  NriSession(NriName name, CreationHooks& hooks, std::function<void(std::string)> send);

  void Begin();
  // The next bytes of the runtime. An error ends the connection: the runtime has refused us, ends, or does not speak
  // NRI.
  Status Receive(std::string_view bytes);
  // Whether the runtime asks us about containers.
  bool ready() const { return ready_; }

 private:
  Status Take(NriConnection connection, const TtrpcMessage& message);
  Status TakeAnswer(const TtrpcMessage& message);
  void TakeQuestion(const TtrpcMessage& message);
  void Answer(uint32_t stream, const google::protobuf::MessageLite& payload);
  void Refuse(uint32_t stream, int code, std::string_view text);

  void Configure(uint32_t stream, const ::nri::pkg::api::v1alpha1::ConfigureRequest& request);
  void Synchronize(uint32_t stream, const ::nri::pkg::api::v1alpha1::SynchronizeRequest& request);
  void Create(uint32_t stream, const ::nri::pkg::api::v1alpha1::CreateContainerRequest& request);
  void Update(uint32_t stream, const ::nri::pkg::api::v1alpha1::UpdateContainerRequest& request);
  void Stop(uint32_t stream, const ::nri::pkg::api::v1alpha1::StopContainerRequest& request);
  void Change(uint32_t stream, const ::nri::pkg::api::v1alpha1::StateChangeEvent& event);

  NriName name_;
  CreationHooks& hooks_;
  std::function<void(std::string)> send_;
  NriReader reader_;
  std::string runtime_;  // its name and version
  // What Synchronize has told so far.
  ::nri::pkg::api::v1alpha1::SynchronizeRequest told_;
  bool ready_ = false;
  Status ended_;  // the runtime says goodbye
};

}  // namespace huygens::runtime
