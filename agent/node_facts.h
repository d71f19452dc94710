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
#include "kubelet_api/state_files.h"
#include "machine/machine.h"
#include "pod_resources/zone_devices.h"

namespace huygens::agent {

// Of one moment.
struct KubeletLook {
  kubelet_api::RunningConfiguration kubelet;
  std::vector<kubelet_api::Pod> pods;                     // by UID
  std::optional<kubelet_api::CpuManagerState> cpus;       // where its CPU manager pins
  std::optional<kubelet_api::MemoryManagerState> memory;  // where its memory manager does
  std::optional<pod_resources::ZoneDevices> devices;      // where it tells of the devices of plug-ins
  friend bool operator==(const KubeletLook&, const KubeletLook&) = default;
};

class NodeFacts {
 public:
  // Null until it was read for the first time. Each is replaced as a whole when something of it has changed, so equal
  // pointers are equal facts.
  const std::shared_ptr<const machine::Machine>& machine() const { return machine_; }
  // The same machine by kubelet's rules; null also where kubelet cannot read it.
  const std::shared_ptr<const kubelet_api::KubeletMachine>& kubelet_machine() const { return kubelet_machine_; }
  // What kubelet said when it was last asked; null until it has answered. It stays as it was while kubelet is away.
  const std::shared_ptr<const KubeletLook>& look() const { return look_; }
  // Of that look. How kubelet runs; null until it has said so. It changes only with a restart of kubelet.
  const kubelet_api::RunningConfiguration* kubelet() const { return look_ ? &look_->kubelet : nullptr; }
  // Of this node, as kubelet knows them, by UID; likewise.
  const std::vector<kubelet_api::Pod>* pods() const { return look_ ? &look_->pods : nullptr; }

  // Called after each change of any of them. For the life of these facts; in the order in which they were added.
  void OnChange(std::function<void()> call) { calls_.push_back(std::move(call)); }

  // For whoever finds them out. Null: as it was. Tells the others if that makes a difference.
  void Set(std::shared_ptr<const machine::Machine> machine,
           std::shared_ptr<const kubelet_api::KubeletMachine> kubelet_machine);
  void Set(std::shared_ptr<const KubeletLook> look);

  // Has kubelet asked soon, in case something has changed there: for parts that see containers come and go.
  void AskAgain() const {
    if (ask_again_) ask_again_();
  }
  // For whoever asks.
  void OnAskAgain(std::function<void()> call) { ask_again_ = std::move(call); }

 private:
  void Tell() const;

  std::shared_ptr<const machine::Machine> machine_;
  std::shared_ptr<const kubelet_api::KubeletMachine> kubelet_machine_;
  std::shared_ptr<const KubeletLook> look_;
  std::vector<std::function<void()>> calls_;
  std::function<void()> ask_again_;
};

}  // namespace huygens::agent
