// What one resource wants of a container's (or pod's) zones: kubelet's topology hints of that resource, not as a list
// but as a rule. A mask is a hint if it is feasible; hints of `width` zones are preferred. Not part of the room's
// interface. Source: kubernetes, pkg/kubelet/cm: generateCPUTopologyHints, calculateHints (memory),
// generateDeviceTopologyHints
#pragma once

#include "kubelet/admission_state.h"
#include "topology/mask_search.h"
#include "topology/mask_set.h"

namespace huygens::kubelet {

using topology::DistanceWithin;
using topology::FindMask;
using topology::kMaxMergeZones;
using topology::LeastWidth;
using topology::MaskAnswer;
using topology::MaskQuery;
using topology::MaskSet;
using topology::ZoneSum;

struct ResourceHints {
  enum class Kind : uint8_t { kCpus, kMemory, kDevices };
  Kind kind = Kind::kCpus;
  size_t row = 0;                   // kDevices: of Machine::devices
  ZoneMask universe = 0;            // masks are made of these zones
  ZoneMask must = 0;                // zones where an init container has left something
  int width = 0;                    // zones of a preferred mask
  int sockets = 0;                  // kCpus aligned by socket: masks of so many sockets are preferred, too
  int64_t need = 0;                 // not kMemory
  std::array<int64_t, 64> amounts;  // not kMemory: what each zone can give, by position
  struct MemoryNeed {
    size_t row = 0;  // of Machine::memory
    int64_t bytes = 0;
  };
  absl::InlinedVector<MemoryNeed, 2> memory;  // kMemory

  // How many lists of the same hints kubelet merges: one for each memory resource.
  size_t Lists() const { return kind == Kind::kMemory ? memory.size() : 1; }
};

// What kubelet's managers are asked: for one container, or for the pod.
struct HintRequest {
  int cpus = 0;
  const ResourceVector& memory;
  const ResourceVector& devices;
};

struct HintSet {
  absl::InlinedVector<ResourceHints, 3> resources;  // those with a say
  bool impossible = false;                          // one of them cannot be satisfied by any zones
};
// Searches below take their steps from `steps`.
HintSet HintsOf(const AdmissionState& state, const HintRequest& request, int& steps);

// Whether the mask is a hint of this resource, preferred or not.
bool Feasible(const AdmissionState& state, const ResourceHints& hints, ZoneMask mask);
bool Preferred(const AdmissionState& state, const ResourceHints& hints, ZoneMask mask);
// All masks of these zones, at most kMaxMergeZones, that are hints of this resource; zones by their place in `zones`.
MaskSet FeasibleMasks(const AdmissionState& state, const ResourceHints& hints, std::span<const size_t> zones);

// Memory's own hints, which its manager uses again when it allocates.
ResourceHints MemoryHints(const AdmissionState& state, const ResourceVector& memory, int& steps);
// The lowest mask of exactly `width` zones, `must` among them, that is a hint of all these resources (and a preferred
// one of the CPUs); with `distance` the nearest.
MaskAnswer FindCommonMask(const AdmissionState& state, std::span<const ResourceHints> resources, int width,
                          ZoneMask must, std::span<const int> distance, int& steps);

}  // namespace huygens::kubelet
