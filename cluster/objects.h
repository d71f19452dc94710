// The Kubernetes objects as huygens sees them: only what a decision needs, already decoded. Plain values, filled by
// wire/, owned by State. Amounts are in base units (base/resource.h); zones are known by the number in their name,
// never by their position.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "base/boxed.h"
#include "base/interned_string.h"
#include "base/resource.h"
#include "base/time.h"
#include "cluster/biz_group_quota.h"
#include "cluster/device_claim.h"

namespace huygens::cluster {

// What kubelet reports of a container's resources: status.containerStatuses[] and status.initContainerStatuses[].
struct ContainerStatus {
  ResourceVector requests;   // resources.requests, in force
  ResourceVector limits;     // resources.limits, in force
  ResourceVector allocated;  // allocatedResources: what kubelet has promised
};

struct Container {
  InternedString name;
  ResourceVector requests;
  ResourceVector limits;
  bool restartable = false;       // an init container with restartPolicy Always: a sidecar
  Boxed<ContainerStatus> status;  // only where kubelet reports `resources` other than those above
};

enum class QosClass : uint8_t { kBestEffort, kBurstable, kGuaranteed };

// Annotation huygens.dev/smt; any other text counts as unset.
enum class Smt : uint8_t { kUnset, kSpread, kPack, kIsolate };

enum class PodPhase : uint8_t { kPending, kRunning, kSucceeded, kFailed, kUnknown };

// Annotation topology.crane.io/cpu-policy; any other text counts as unset.
enum class CpuPolicy : uint8_t { kUnset, kNone, kExclusive, kNuma, kImmovable };

// What a pod holds of one zone.
struct ZoneAmount {
  int zone = -1;
  ResourceVector amount;
  friend bool operator==(const ZoneAmount&, const ZoneAmount&) = default;
};

// Annotations huygens.dev/placement and huygens.dev/placement-observed: which pod on which node they were written for,
// which zones it got, and the group it was bound with. Where kubelet pins, the zones of the former are a prediction, of
// the latter what kubelet says.
struct PlacementMark {
  InternedString uid;
  InternedString node;
  std::vector<ZoneAmount> zones;                       // ordered by zone
  std::shared_ptr<const QuotaLabels> quota = nullptr;  // as the labels were at bind; null: nothing is said of a group
  bool of_zones = true;                                // false: nothing is said of zones
  friend bool operator==(const PlacementMark& a, const PlacementMark& b);
};

struct PodResources {
  ResourceVector requests;
  ResourceVector limits;
};

// Labels and annotations by key, ordered as they came.
struct PodTexts {
  std::vector<std::pair<std::string, std::string>> labels, annotations;
  friend bool operator==(const PodTexts&, const PodTexts&) = default;
};

// Of a pod that has no node, for people who ask why: nothing here decides.
struct WaitingNotes {
  std::vector<std::pair<std::string, std::string>> node_selector;  // spec.nodeSelector, ordered by key
  std::vector<std::string> not_understood;                         // wire/unknown_annotations.h
  friend bool operator==(const WaitingNotes&, const WaitingNotes&) = default;
};

struct Pod {
  std::string name;
  InternedString namespace_name;
  InternedString uid;  // may be empty in a hand-made extender request
  InternedString node_name;
  InternedString owner_kind;  // of the owner reference with controller: true; empty = none
  InternedString owner_name;
  InternedString owner_uid;
  InternedString template_hash;     // label pod-template-hash, or else controller-revision-hash
  InternedString nominated_node;    // status.nominatedNodeName: where kube-scheduler made room for it
  InternedString scheduling_group;  // spec.schedulingGroup.podGroupName: the gang that it belongs to; empty = none
  PodPhase phase = PodPhase::kPending;
  bool deleting = false;             // deletionTimestamp is set; the pod still holds what it holds
  bool owned_by_daemon_set = false;  // its controller is a DaemonSet of the group apps
  bool preempts = true;              // false: preemptionPolicy Never
  bool ready = false;                // condition Ready is True
  bool has_topology_result = false;  // the annotation of that name is there, readable or not
  int32_t priority = 0;
  std::optional<QosClass> qos_class;  // status.qosClass
  bool resize_infeasible = false;     // the first condition PodResizePending has the reason Infeasible
  CpuPolicy cpu_policy = CpuPolicy::kUnset;
  Smt smt = Smt::kUnset;
  std::optional<bool> topology_awareness;  // annotation topology.crane.io/topology-awareness
  std::optional<Time> start_time;          // status.startTime: kubelet has seen the pod
  std::optional<Time> created;             // metadata.creationTimestamp
  int64_t grace_seconds = 30;              // spec.terminationGracePeriodSeconds
  std::vector<Container> init_containers;  // sidecars included
  std::vector<Container> containers;
  ResourceVector overhead;
  Boxed<PodResources> pod_level;            // spec.resources
  Boxed<PodResources> pod_level_status;     // status.resources
  ResourceVector pod_level_allocated;       // status.allocatedResources
  std::vector<ZoneAmount> topology_result;  // annotation topology.crane.io/topology-result by zone, if no mark has it
  Boxed<PlacementMark> placement_mark;      // annotation huygens.dev/placement
  Boxed<PlacementMark> observed_mark;       // annotation huygens.dev/placement-observed
  Boxed<std::vector<PodClaim>> claims;      // spec.resourceClaims; absent, as nearly always: none
  Boxed<std::vector<std::string>> unknown_resources;  // see cluster/unknown_resources.h; absent, as nearly always: none

  std::shared_ptr<const QuotaLabels> quota;  // the labels as they are now; null: has none of them
  Boxed<WaitingNotes> waiting;               // absent, as nearly always: it has a node, or there is nothing to note
  Boxed<PodTexts> texts;                     // those that somebody asks for (ResourceNames::KeepOfPods); absent: none

  bool Bound() const { return !node_name.empty(); }
  bool Terminal() const { return phase == PodPhase::kSucceeded || phase == PodPhase::kFailed; }
  std::string Key() const { return Concat(namespace_name, "/", name); }
};

// The group and models that the pod is charged to: what it was bound with, where its mark is of this pod and node and
// says so, else what its labels say now. Null: none.
const QuotaLabels* QuotaLabelsOf(const Pod& pod);
// The value; null: the pod has no such label or annotation, or nobody asks for it.
const std::string* LabelOf(const Pod& pod, std::string_view key);
const std::string* AnnotationOf(const Pod& pod, std::string_view key);
// Whether both are the same, or both null.
bool SameLabels(const QuotaLabels* a, const QuotaLabels* b);

struct Node {
  std::string name;
  std::string uid;
  bool unschedulable = false;  // spec.unschedulable: cordoned
  bool ready = true;           // condition Ready is True, or nobody says
  ResourceVector allocatable;
  ResourceVector capacity;
  std::vector<std::pair<std::string, std::string>> labels;  // ordered by key
  ResourceVector real_allocatable;                          // annotation huygens.dev/real-allocatable; else allocatable
  std::vector<std::pair<std::string, int64_t>> usage_ceilings;  // annotation huygens.dev/usage-ceilings: millionths
};

// The CPUs of one physical core, ascending.
using Core = absl::InlinedVector<uint16_t, 4>;

// One NUMA zone (type Node) of a topology object.
struct Zone {
  int id = -1;
  std::string name;    // as the object spells it: "node0", "node-0", "0"
  std::string parent;  // zone of type Socket it belongs to, if the object says
  ResourceVector capacity;
  ResourceVector allocatable;
  ResourceVector available;                // community objects only
  std::vector<std::pair<int, int>> costs;  // (zone id, distance), ordered by id; absent = unknown
  std::optional<int64_t> offline_cpu;      // attribute offline_capacity: milli-cores the zone can really give
  std::optional<Time> offline_updated;     // attribute offline_capacity_updated
  std::vector<int> memory_group;           // attribute memoryGroup: ids, ascending, itself among them; empty = unknown
  std::vector<Core> cores;                 // attribute huygens.dev/cores, ordered by lowest CPU; empty = unknown
  friend bool operator==(const Zone&, const Zone&) = default;
};

inline constexpr int kMaxZones = 64;
inline constexpr int64_t kMaxCpus = 1 << 16;  // of all zones of a node that kubelet pins

enum class TopologySource : uint8_t {
  kCrane,      // topology.crane.io/v1alpha1
  kCommunity,  // topology.node.k8s.io/v1alpha2
};

// A NodeResourceTopology of either kind; its name is the node's name.
struct NodeTopology {
  TopologySource source = TopologySource::kCrane;
  std::string node_name;
  std::string owner_uid;         // UID of the owning Node, empty if the object names none
  std::string defect;            // why the object cannot be used ("65 zones; at most 64 are supported"); empty = usable
  bool pinned_by_agent = false;  // crane: cpuManagerPolicy Static, i.e. a managed node
  bool single_numa = false;      // crane: topologyManagerPolicy SingleNUMANodePodLevel
  std::vector<std::pair<std::string, std::string>> attributes;  // ordered by name, then as listed
  std::vector<Zone> zones;                                      // ordered by id
  // When the zones were last written, by the API server's clock; absent in objects that no API server has stored.
  std::optional<Time> written;
};

// The number at the end of a zone's name: "node0", "node-0" and "0" are all 0. Nothing if there is none, it is above
// 65535, or the name has capital letters.
std::optional<int> ParseZoneId(std::string_view name);
// As the object spells it; of a zone that it does not name, or without an object, as crane writes it: "node0".
std::string ZoneName(int id, const NodeTopology* topology);

}  // namespace huygens::cluster
