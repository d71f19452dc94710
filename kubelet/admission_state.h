// What is free of a machine while kubelet admits one pod to it, container by container: a working copy of the machine's
// free amounts, and what init containers of the pod have left for the containers after them. The machine must outlive
// it. Not part of the room's interface.
#pragma once

#include <array>

#include "kubelet/admission.h"

namespace huygens::kubelet {

struct AdmissionState {
  explicit AdmissionState(const Machine& machine);

  // Makes sure that `layout` and `free_cpus` are there, assumed from the counts where the machine does not tell.
  void NeedCpus();

  // Takes CPUs that are free or reusable out of both.
  void TakeCpus(const CpuSet& cpus);
  size_t DeviceIndex(size_t row, size_t group) const { return device_offset[row] + group; }
  int64_t& MemoryFree(size_t row, size_t zone) { return memory_free[row * zones + zone]; }
  int64_t MemoryFree(size_t row, size_t zone) const { return memory_free[row * zones + zone]; }
  // What containers may reuse of exactly these zones.
  int64_t MemoryReusable(size_t row, ZoneMask mask) const;

  // Whether everything that the managers look at is the same as in another state of the same machine.
  bool SameFree(const AdmissionState& other) const;

  // What the containers so far hold of the machine.
  Allocation Taken() const;

  const Machine& machine;
  const size_t zones;
  // By zone. Reusable CPUs are held by an earlier init container and not free.
  std::array<int, 64> cpu_free, cpu_reusable, memory_blocks;
  std::array<ZoneMask, 64> memory_group;
  absl::InlinedVector<int64_t, 16> memory_free;  // by row, zone
  struct Reusable {
    ZoneMask zones = 0;
    size_t row = 0;
    int64_t bytes = 0;
    friend bool operator==(const Reusable&, const Reusable&) = default;
  };
  absl::InlinedVector<Reusable, 2> memory_reusable;
  absl::InlinedVector<size_t, 4> device_offset;
  absl::InlinedVector<int, 16> device_free, device_reusable;  // by row, group
  bool knows_cpus;
  std::shared_ptr<const CpuLayout> layout;
  CpuSet free_cpus, reusable_cpus;  // if known
};

}  // namespace huygens::kubelet
