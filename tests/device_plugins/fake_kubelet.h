// Kubelet's device manager in this process, as far as a plug-in can see it: it deletes every socket in its folder when it
// starts, then serves Registration there; within the call of Register it dials the plug-in and asks for its options, and
// then follows its list. Source: k8s.io/kubernetes v1.36.3, pkg/kubelet/cm/devicemanager.
#pragma once

#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "device_plugins/device_plugin.grpc.pb.h"

namespace huygens::device_plugins {

// A socket at which nobody listens, as a process leaves it that is killed.
void LeaveSocket(const std::string& path);

std::vector<std::string> SocketsIn(const std::string& folder);

class FakeKubelet final : private v1beta1::Registration::Service {
 public:
  explicit FakeKubelet(std::string folder) : folder_(std::move(folder)) {}
  ~FakeKubelet() override { Stop(); }

  // `socket`: where it listens, if not in its folder.
  void Start(std::string socket = "");
  // Killed: its socket stays, and so do those of plug-ins.
  void Stop();
  void Restart() {
    Stop();
    Start();
  }
  // What Register answers from now on; "" = takes them.
  void Refuse(std::string text);
  // Gives up on a plug-in, as when another one of that name comes.
  void Drop(const std::string& resource);

  // The list that the plug-in of `resource` told last, "id health zone" for each device, once `enough` says so.
  std::vector<std::string> Wait(const std::string& resource,
                                const std::function<bool(const std::vector<std::string>&)>& enough);
  std::vector<std::string> Wait(const std::string& resource, size_t devices);
  int registrations() const;
  // What the plug-in of `resource` registered last.
  v1beta1::RegisterRequest request(const std::string& resource) const;
  std::unique_ptr<v1beta1::DevicePlugin::Stub> Dial(const std::string& resource) const;

 private:
  struct Followed {
    v1beta1::RegisterRequest request;
    std::unique_ptr<v1beta1::DevicePlugin::Stub> stub;
    grpc::ClientContext context;
    std::thread thread;
  };

  std::unique_ptr<v1beta1::DevicePlugin::Stub> DialEndpoint(const std::string& endpoint) const;
  grpc::Status Register(grpc::ServerContext* context, const v1beta1::RegisterRequest* request,
                        v1beta1::Empty* reply) override;
  void Follow(Followed& each);

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
