// One device plug-in as kubelet sees it: a gRPC server of v1beta1.DevicePlugin on a socket of its own.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/status.h"
#include "device_plugins/device_plugin.grpc.pb.h"
#include "device_plugins/device_source.h"
#include "device_plugins/list_streams.h"
#include "device_plugins/preferred_devices.h"

namespace huygens::device_plugins {

// What kubelet's calls are answered by, and what became of them. It outlives the servers of its plug-in, which come and
// go with kubelet. Any thread.
class Answers {
 public:
  // `source` must outlive it. `waiting` tells the pods that wait on this node and ask for the resource; it may block for
  // some 100 ms, and kubelet admits nothing meanwhile.
  using WaitingPods = std::function<std::vector<WaitingPod>()>;
  Answers(DeviceSource& source, WaitingPods waiting) : source_(source), waiting_(std::move(waiting)) {}

  void SetDevices(std::vector<Device> devices);
  std::vector<Device> devices() const;

  v1beta1::DevicePluginOptions options() const;
  v1beta1::PreferredAllocationResponse Prefer(const v1beta1::PreferredAllocationRequest& request) const;
  // The first device that cannot be given is an error with its id.
  StatusOr<v1beta1::AllocateResponse> Allocate(const v1beta1::AllocateRequest& request);
  Status Prepare(const v1beta1::PreStartContainerRequest& request);

  uint64_t allocated() const { return allocated_; }  // containers that got devices
  uint64_t refused() const { return refused_; }

 private:
  StatusOr<v1beta1::AllocateResponse> Give(const v1beta1::AllocateRequest& request);

  DeviceSource& source_;
  const WaitingPods waiting_;
  mutable std::mutex mutex_;  // guards devices_
  std::vector<Device> devices_;
  std::atomic<uint64_t> allocated_ = 0;
  std::atomic<uint64_t> refused_ = 0;
};

class PluginServer final : private v1beta1::DevicePlugin::CallbackService {
 public:
  // Serves when this returns. A file at `path` is replaced. `ended`: ListStreams. Unavailable where nobody can listen at
  // `path`, InvalidArgument where it is too long for a socket.
  static StatusOr<std::unique_ptr<PluginServer>> Start(const std::string& path, Answers& answers,
                                                       std::function<void()> ended);
  // Ends all calls, frees all that the server had, and removes its socket. Blocks until then.
  ~PluginServer() override;

  const std::string& path() const { return path_; }
  void SetDevices(const std::vector<Device>& devices) { streams_.Set(devices); }
  bool followed() const { return streams_.open() > 0; }

 private:
  PluginServer(std::string path, Answers& answers, std::function<void()> ended)
      : path_(std::move(path)), answers_(answers), streams_(std::move(ended)) {}

  using Context = grpc::CallbackServerContext;
  grpc::ServerUnaryReactor* GetDevicePluginOptions(Context* context, const v1beta1::Empty* request,
                                                   v1beta1::DevicePluginOptions* reply) override;
  grpc::ServerWriteReactor<v1beta1::ListAndWatchResponse>* ListAndWatch(Context* context,
                                                                        const v1beta1::Empty* request) override;
  grpc::ServerUnaryReactor* GetPreferredAllocation(Context* context, const v1beta1::PreferredAllocationRequest* request,
                                                   v1beta1::PreferredAllocationResponse* reply) override;
  grpc::ServerUnaryReactor* Allocate(Context* context, const v1beta1::AllocateRequest* request,
                                     v1beta1::AllocateResponse* reply) override;
  grpc::ServerUnaryReactor* PreStartContainer(Context* context, const v1beta1::PreStartContainerRequest* request,
                                              v1beta1::PreStartContainerResponse* reply) override;

  const std::string path_;
  Answers& answers_;
  ListStreams streams_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace huygens::device_plugins
