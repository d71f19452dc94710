// What is known of this node now, for all parts of the agent: the machine, and what its kubelet says. Owned by the
// thread of the loop.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "kubelet_api/configz.h"
#include "kubelet_api/kubelet_machine.h"
#include "kubelet_api/pods.h"
#include "machine/machine.h"

namespace huygens::agent {

class NodeFacts {
 public:
  // Null until it was read for the first time. Each is replaced as a whole when something of it has changed, so equal
  // pointers are equal facts.
  const std::shared_ptr<const machine::Machine>& machine() const { return machine_; }
  // The same machine by kubelet's rules; null also where kubelet cannot read it.
  const std::shared_ptr<const kubelet_api::KubeletMachine>& kubelet_machine() const { return kubelet_machine_; }
  // How kubelet runs; null until it has said so. It stays as it was while kubelet is away, and changes only with a
  // restart of kubelet.
  const std::shared_ptr<const kubelet_api::RunningConfiguration>& kubelet() const { return kubelet_; }
  // Of this node, as kubelet knows them, by UID; likewise.
  const std::shared_ptr<const std::vector<kubelet_api::Pod>>& pods() const { return pods_; }

  // Called after each change of any of them. For the life of these facts; in the order in which they were added.
  void OnChange(std::function<void()> call) { calls_.push_back(std::move(call)); }

  // For whoever finds them out. Null: as it was. Tells the others if that makes a difference.
  void Set(std::shared_ptr<const machine::Machine> machine,
           std::shared_ptr<const kubelet_api::KubeletMachine> kubelet_machine);
  void Set(std::shared_ptr<const kubelet_api::RunningConfiguration> kubelet,
           std::shared_ptr<const std::vector<kubelet_api::Pod>> pods);

 private:
  void Tell() const;

  std::shared_ptr<const machine::Machine> machine_;
  std::shared_ptr<const kubelet_api::KubeletMachine> kubelet_machine_;
  std::shared_ptr<const kubelet_api::RunningConfiguration> kubelet_;
  std::shared_ptr<const std::vector<kubelet_api::Pod>> pods_;
  std::vector<std::function<void()>> calls_;
};

}  // namespace huygens::agent
