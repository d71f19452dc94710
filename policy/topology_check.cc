#include "policy/topology_check.h"

#include <array>

#include "policy/registry.h"
#include "policy/zones_asked.h"

namespace huygens::policy {

namespace {

using topology::Fit;

Reason ReasonOf(Fit fit) {
  switch (fit) {
    case Fit::kFits:
      return Reason::kFits;
    case Fit::kNoTopology:
      return Reason::kNoTopology;
    case Fit::kLostTopology:
      return Reason::kLostTopology;
    case Fit::kUnusableTopology:
      return Reason::kUnusableTopology;
    case Fit::kInvalidTopologyData:
      return Reason::kInvalidTopologyData;
    case Fit::kTaken:
      return Reason::kInsufficientZones;
    case Fit::kCoresTaken:
      return Reason::kInsufficientCores;
    case Fit::kStale:
      return Reason::kStaleRealCapacity;
    case Fit::kTooSmall:
      return Reason::kZonesTooSmall;
    case Fit::kTooFewCores:
      return Reason::kTooFewCores;
    case Fit::kCoresUnknown:
      return Reason::kUnknownCores;
    case Fit::kCannotAlignPod:
      return Reason::kCannotAlignPod;
    case Fit::kCannotAlignContainer:
      return Reason::kCannotAlignContainer;
    case Fit::kCannotAlignInitContainer:
      return Reason::kCannotAlignInitContainer;
    case Fit::kCannotAlignSidecar:
      return Reason::kCannotAlignSidecar;
    case Fit::kNeverAlignsPod:
      return Reason::kNeverAlignsPod;
    case Fit::kNeverAlignsContainer:
      return Reason::kNeverAlignsContainer;
    case Fit::kNeverAlignsInitContainer:
      return Reason::kNeverAlignsInitContainer;
    case Fit::kNeverAlignsSidecar:
      return Reason::kNeverAlignsSidecar;
  }
  return Reason::kZonesTooSmall;
}

enum class Mark : uint8_t {
  kInForce,  // the topology object, if any
  kLost,
  kRejected,  // the node, by an earlier check
};

}  // namespace

void TopologyCheck::Run(const PodQuery& pod, const cluster::Prepared*, const cluster::State& state,
                        Candidates& nodes) const {
  if (!kinds_.AnyWithNodes([&](const auto& kind) { return ZonesAsked(pod, kind) != nullptr; })) return;
  const auto mark = [&](size_t i) {
    if (nodes.Rejected(i)) return Mark::kRejected;
    return state.TopologyLost(nodes.node(i)) ? Mark::kLost : Mark::kInForce;
  };
  std::array<Fit, topology::NodeKinds::kLongestStretch> fits;
  kinds_.InStretches(nodes.nodes(), mark, [&](const topology::NodeZones& kind, Mark as, size_t first, size_t end) {
    const topology::PreparedPod* prepared = as == Mark::kRejected ? nullptr : ZonesAsked(pod, kind);
    if (prepared == nullptr) return;
    kind.Check(*prepared, nodes.nodes().subspan(first, end - first), as == Mark::kLost, pod.now, fits);
    for (size_t i = first; i < end; ++i) {
      if (fits[i - first] != Fit::kFits) nodes.Reject(i, ReasonOf(fits[i - first]));
    }
  });
}

CheckEntry TopologyEntry() {
  return {.name = "topology", .needs = {.zones = true}, .make = [](const Sources& from) -> std::unique_ptr<Check> {
            return std::make_unique<TopologyCheck>(from.nodes);
          }};
}

}  // namespace huygens::policy
