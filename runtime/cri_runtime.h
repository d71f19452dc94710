// ContainerRuntime by CRI alone: what works with every runtime.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "runtime/cgroup_cpuset.h"
#include "runtime/container_runtime.h"
#include "runtime/known_containers.h"

namespace huygens::runtime {

class CriClient;

class CriRuntime final : public ContainerRuntime {
 public:
  // `socket`: the path of the runtime's unix socket, like /run/containerd/containerd.sock or /var/run/crio/crio.sock.
  // Nothing is connected before the first call.
  explicit CriRuntime(std::string socket, CgroupRoots roots = {});
  ~CriRuntime() override;

  StatusOr<std::vector<Container>> List() override;
  StatusOr<Container> Get(std::string_view id) override;
  Status UpdateCpus(std::string_view id, const Cpuset& to) override;
  StatusOr<Cpuset> ReadCpuset(std::string_view id) override;

  // For what follows events of the same runtime.
  CriClient& client() { return *client_; }
  KnownContainers& known() { return known_; }

 private:
  // Asks for the status of a container, of which `container` says what CRI's list does, and remembers it.
  StatusOr<KnownContainers::Entry> Ask(Container container);

  std::unique_ptr<CriClient> client_;
  CgroupRoots roots_;
  KnownContainers known_;
};

}  // namespace huygens::runtime
