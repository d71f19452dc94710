// The NodeResourceTopology of this node, as it is to be: crane's where the agent pins, the community's where kubelet
// does. Pure: the same facts make the same text, so that nothing is written while nothing changes. Any thread.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kubelet_api/configz.h"
#include "kubelet_api/kubelet_machine.h"
#include "kubelet_api/pods.h"
#include "kubelet_api/state_files.h"
#include "machine/machine.h"
#include "pod_resources/zone_devices.h"
#include "publish/objects.h"
#include "publish/stored_topology.h"

namespace huygens::publish {

struct NodeIdentity {
  std::string name;
  std::string uid;    // of the Node; empty: not known, and the object names no owner
  bool aware = true;  // the label topology.crane.io/topology-awareness is not "false"
  friend bool operator==(const NodeIdentity&, const NodeIdentity&) = default;
};

class TopologyObject {
 public:
  explicit TopologyObject(CraneObject object) : object_(std::move(object)) {}
  explicit TopologyObject(CommunityObject object) : object_(std::move(object)) {}

  // What is applied.
  std::string Json() const;
  // The same, with what others have written on its zones, for a definition of the kind by which whoever writes one zone
  // writes all: an API server takes it only while the object is as `stored` is.
  std::string JsonWith(const StoredTopology& stored) const;
  friend bool operator==(const TopologyObject&, const TopologyObject&) = default;

 private:
  std::variant<CraneObject, CommunityObject> object_;
};

// Of a node whose agent pins: zones, CPUs and cores by the kernel's view; what pods may be pinned to is allocatable.
// `devices`: null where nothing is known of them.
TopologyObject ManagedTopology(const NodeIdentity& node, const machine::Machine& machine,
                               const kubelet_api::RunningConfiguration& kubelet,
                               const pod_resources::ZoneDevices* devices = nullptr);

// Crane's object of a node whose kubelet pins, `cpuManagerPolicy: None`: for whoever still reads that kind.
TopologyObject HandsOffTopology(const NodeIdentity& node, const machine::Machine& machine,
                                const kubelet_api::RunningConfiguration& kubelet);

struct PinnedNode {
  const kubelet_api::KubeletMachine& machine;
  const kubelet_api::RunningConfiguration& kubelet;
  const std::vector<kubelet_api::Pod>& pods;
  const kubelet_api::CpuManagerState& cpus;
  const kubelet_api::MemoryManagerState* memory = nullptr;  // null where its policy is None
  const pod_resources::ZoneDevices* devices = nullptr;      // null where nothing is known of them
};

// Of a node whose kubelet pins: all by kubelet's view, what is free by its state files less pods that ended. A pod that
// is to own CPUs and owns none yet is in neither: the fingerprint names the others.
TopologyObject PinnedTopology(const NodeIdentity& node, const PinnedNode& facts);

}  // namespace huygens::publish
