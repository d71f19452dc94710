// The CPUs of one machine as kubelet's CPU manager sees them: which core, zone, socket and uncore cache each belongs
// to, and sets of them. CPUs are known by their position in ascending order of id, so that kubelet's ties by lowest id
// hold. Immutable after Make; any thread; machines of the same make may share one layout. Source: kubernetes,
// pkg/kubelet/cm/cpumanager/topology/topology.go
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "topology/zone_mask.h"

namespace huygens::topology {

class CpuSet {
 public:
  void Add(size_t cpu) {
    if (cpu / 64 >= words_.size()) words_.resize(cpu / 64 + 1, 0);
    words_[cpu / 64] |= uint64_t{1} << cpu % 64;
  }
  void Remove(size_t cpu) {
    if (cpu / 64 < words_.size()) words_[cpu / 64] &= ~(uint64_t{1} << cpu % 64);
  }
  bool Has(size_t cpu) const { return cpu / 64 < words_.size() && (words_[cpu / 64] >> cpu % 64 & 1) != 0; }
  bool empty() const;
  int Count() const;
  CpuSet& operator|=(const CpuSet& other);
  CpuSet& operator&=(const CpuSet& other);
  CpuSet& operator-=(const CpuSet& other);
  // How many of `other` are in this set.
  int CountIn(const CpuSet& other) const;
  // Whether a CPU is in all three.
  bool Meets(const CpuSet& a, const CpuSet& b) const;
  friend CpuSet operator|(CpuSet a, const CpuSet& b) { return a |= b; }
  friend CpuSet operator&(CpuSet a, const CpuSet& b) { return a &= b; }
  friend CpuSet operator-(CpuSet a, const CpuSet& b) { return a -= b; }
  friend bool operator==(const CpuSet& a, const CpuSet& b);

  // Calls visit(cpu) in ascending order.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (size_t i = 0; i < words_.size(); ++i) {
      for (uint64_t rest = words_[i]; rest != 0; rest &= rest - 1)
        visit(i * 64 + static_cast<size_t>(std::countr_zero(rest)));
    }
  }

 private:
  absl::InlinedVector<uint64_t, 4> words_;
};

struct LogicalCpu {
  int id = 0;
  int core = 0;           // the same number for the CPUs of one core
  size_t zone = 0;        // position, not id
  int socket = 0;         // physical package id
  int uncore_cache = -1;  // -1: unknown, kubelet takes the socket for it
};

class CpuLayout {
 public:
  struct Cpu {
    int id = 0;
    uint16_t core = 0;  // the position of the core's lowest CPU
    uint16_t zone = 0;
    uint16_t socket = 0;  // dense, in order of the socket ids
    uint16_t uncore = 0;  // dense, in order of the cache ids
  };

  // `reserved`: ids of the CPUs that kubelet keeps for the system.
  static std::shared_ptr<const CpuLayout> Make(std::vector<LogicalCpu> cpus, std::span<const int> reserved);

  const std::vector<Cpu>& cpus() const { return cpus_; }
  // The set of these ids; unknown ids are left out.
  CpuSet Positions(std::span<const int> ids) const;

  const CpuSet& InZone(size_t zone) const { return zones_[zone]; }
  const CpuSet& InSocket(size_t socket) const { return sockets_[socket]; }
  const CpuSet& InUncore(size_t uncore) const { return uncores_[uncore]; }
  // Core by core, in order of their lowest CPU.
  std::span<const uint16_t> InZoneByCore(size_t zone) const {
    return std::span(by_zone_).subspan(first_of_zone_[zone], first_of_zone_[zone + 1] - first_of_zone_[zone]);
  }
  std::span<const uint16_t> InCore(size_t core) const {
    return std::span(by_core_).subspan(first_of_core_[core], first_of_core_[core + 1] - first_of_core_[core]);
  }
  size_t zones() const { return zones_.size(); }  // highest position with CPUs + 1
  size_t sockets() const { return sockets_.size(); }
  std::span<const ZoneMask> zones_of_sockets() const { return zones_of_sockets_; }
  size_t uncores() const { return uncores_.size(); }
  int zones_with_cpus() const { return zones_with_cpus_; }
  const CpuSet& reserved_cores() const { return reserved_cores_; }  // reserved CPUs and their siblings
  // Averages, rounded down, as kubelet takes them.
  int cpus_per_core() const { return cpus_per_core_; }
  int cpus_per_socket() const { return Average(sockets_.size()); }
  int cpus_per_uncore() const { return Average(uncores_.size()); }

 private:
  int Average(size_t count) const { return count == 0 ? 0 : static_cast<int>(cpus_.size() / count); }

  std::vector<Cpu> cpus_;
  std::vector<CpuSet> zones_, sockets_, uncores_;
  std::vector<ZoneMask> zones_of_sockets_;
  std::vector<uint16_t> by_core_, by_zone_;              // CPUs ordered by core, by zone and core
  std::vector<uint32_t> first_of_core_, first_of_zone_;  // in these
  CpuSet reserved_cores_;
  int zones_with_cpus_ = 0, cpus_per_core_ = 0;
};

}  // namespace huygens::topology
