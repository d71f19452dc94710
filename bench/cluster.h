// A made cluster for measurements: managed nodes of 2, 4 or 8 zones with pods on them, fed to the decision core as
// watch events.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "placement/placement.h"

namespace huygens::bench {

inline constexpr size_t kPodsOfDeployment = 10;

// Zones of a node, by its index: 2, 4 or 8.
size_t ZonesOf(size_t node);
// 30 characters, like the names of cloud machines.
std::string NodeName(size_t index);
// The resource version of what Fill makes.
inline constexpr uint64_t kFilledVersion = 1;
// Nodes, their crane topology objects, then `pods` bound pods that hold one or two CPUs of a zone each.
void Fill(placement::Placement& placement, size_t nodes, size_t pods);
// One of those pods, as the API server shows it.
std::string BoundPodJson(size_t number, size_t nodes);

// A node and its topology object, as the API server shows them.
std::string NodeJson(size_t index);
std::string TopologyJson(size_t index);

// How full of real use the nodes are.
enum class Fullness : uint8_t {
  kTypical,    // the weekly peaks of a node's pods come to 40 to 95 % of its ceiling
  kCurves,     // the peaks leave open whether another pod of Deployment 0 fits; it does
  kToTheBrim,  // it just fits: single slots of the week decide
  kFull,       // it fits nowhere: the nodes are at their ceilings already
};
const char* Text(Fullness fullness);
// A week of use of the Deployments: most are busy by day, some by night or always; then what each node can really give.
// There are kTwins Deployments more than Fill made, which use what Deployment 0 does but for one slot each. `measured`:
// of how many slots until now there is anything known.
inline constexpr size_t kWeek = 7 * 96;
void FillUsage(placement::Placement& placement, size_t nodes, size_t pods, Fullness fullness, Time now,
               size_t measured = kWeek);
inline constexpr size_t kTwins = 100;
inline size_t TwinOf(size_t pods, size_t twin = 0) { return pods / kPodsOfDeployment + twin; }

// A pod of a Deployment, not bound.
cluster::Pod PodOf(size_t deployment);

// The JSON of a pod of a Deployment as kube-scheduler sends it, asking for two CPUs of one zone.
std::string PodJson(size_t deployment = 0);
// {"Pod":...,"Nodes":null,"NodeNames":[...]} for the first `names` nodes.
std::string RequestBody(size_t names, size_t deployment = 0);

}  // namespace huygens::bench
