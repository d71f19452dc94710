// The calls of CRI to one socket, each blocking with a limit of its own. Any thread, several calls at a time. The
// connection is made by the first call and again after each loss, without anybody's doing.
#pragma once

#include <grpcpp/channel.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "runtime/container_runtime.h"
#include "runtime/cri.grpc.pb.h"

namespace huygens::runtime {

struct RuntimeVersion {
  std::string name;     // "containerd", "cri-o"
  std::string version;  // "v2.3.4", "1.6.20~ds1"
  // 0: unknown
  int major() const;
};

class CriClient {
 public:
  // `socket`: the path of a unix socket.
  explicit CriClient(std::string socket);

  StatusOr<RuntimeVersion> Version();
  // All, or the one of that ID if there is one.
  StatusOr<::runtime::v1::ListPodSandboxResponse> Pods(std::string_view id = "");
  StatusOr<::runtime::v1::ListContainersResponse> Containers(std::string_view id = "");
  // `verbose`: with the runtime's own description as JSON (container_info.h).
  StatusOr<::runtime::v1::ContainerStatusResponse> ContainerStatus(std::string_view id, bool verbose);
  Status UpdateCpuset(std::string_view id, const Cpuset& to);

  const std::string& socket() const { return socket_; }
  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }
  ::runtime::v1::RuntimeService::Stub& stub() { return *stub_; }

 private:
  std::string socket_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<::runtime::v1::RuntimeService::Stub> stub_;
};

}  // namespace huygens::runtime
