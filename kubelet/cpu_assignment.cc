#include "kubelet/cpu_assignment.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace huygens::kubelet {

namespace {

using Order = absl::InlinedVector<size_t, 8>;
using Counts = absl::InlinedVector<int, 8>;

class Accumulator {
 public:
  Accumulator(const CpuLayout& layout, const CpuSet& available, int needed)
      : layout_(layout),
        available_(available),
        needed_(needed),
        zones_first_(layout.sockets() >= static_cast<size_t>(layout.zones_with_cpus())) {
    Count();
  }

  bool Satisfied() const { return needed_ < 1; }
  const CpuSet& result() const { return result_; }

  void TakeFullZones() {
    for (size_t zone : Zones()) {
      const CpuSet& cpus = layout_.InZone(zone);
      if (zone_[zone] == cpus.Count() && needed_ >= zone_[zone]) Take(cpus, cpus.Count());
    }
    Count();
  }

  void TakeFullSockets() {
    for (size_t socket : Sockets()) {
      const CpuSet& cpus = layout_.InSocket(socket);
      if (socket_[socket] == layout_.cpus_per_socket() && needed_ >= cpus.Count()) Take(cpus, cpus.Count());
    }
    Count();
  }

  void TakeFirstLevel() { zones_first_ ? TakeFullZones() : TakeFullSockets(); }
  void TakeSecondLevel() { zones_first_ ? TakeFullSockets() : TakeFullZones(); }

  void TakeUncoreCaches() {
    for (size_t uncore : Uncores()) {
      if (needed_ >= layout_.cpus_per_uncore()) TakeFullUncores();
      if (Satisfied()) return;
      TakePartOfUncore(uncore);
      if (Satisfied()) return;
    }
  }

  void TakeFullCores() {
    ForEachCore([&](size_t core, int available) {
      const auto cpus = layout_.InCore(core);
      if (available == layout_.cpus_per_core() && needed_ >= static_cast<int>(cpus.size())) {
        for (uint16_t cpu : cpus) TakeOne(cpu);
      }
      return needed_ >= layout_.cpus_per_core();
    });
    Count();
  }

  // Core by core, or in order of id within a socket.
  void TakeSingleCpus(bool spread) {
    auto take = [&](size_t cpu) {
      if (!Satisfied() && available_.Has(cpu)) TakeOne(cpu);
    };
    if (spread) {
      for (size_t socket : Sockets()) (available_ & layout_.InSocket(socket)).ForEach(take);
    } else {
      ForEachCore([&](size_t core, int) {
        for (uint16_t cpu : layout_.InCore(core)) take(cpu);
        return !Satisfied();
      });
    }
  }

  Order Zones() const {
    if (zones_first_) return Sorted(zone_);
    Order zones;
    for (size_t socket : Sorted(socket_)) Append(zones, zone_, [&](size_t zone) { return Share(zone, socket); });
    return zones;
  }

 private:
  // How many CPUs are available in each zone, socket, uncore cache.
  void Count() {
    if (!stale_) return;
    stale_ = false;
    auto count = [this](size_t sets, auto set, Counts& counts) {
      counts.resize(sets);
      for (size_t i = 0; i < sets; ++i) counts[i] = available_.CountIn((layout_.*set)(i));
    };
    count(layout_.zones(), &CpuLayout::InZone, zone_);
    count(layout_.sockets(), &CpuLayout::InSocket, socket_);
    count(layout_.uncores(), &CpuLayout::InUncore, uncore_);
  }

  void Take(const CpuSet& cpus, int count) {
    result_ |= cpus;
    available_ -= result_;
    needed_ -= count;
    stale_ = true;
  }

  void TakeOne(size_t cpu) {
    result_.Add(cpu);
    available_.Remove(cpu);
    --needed_;
    stale_ = true;
  }

  bool Share(size_t zone, size_t socket) const {
    return available_.Meets(layout_.InZone(zone), layout_.InSocket(socket));
  }

  // Adds those of `counts` above 0 that pass, the fewest first, then the lowest.
  template <typename Pass>
  static void Append(Order& order, const Counts& counts, Pass pass) {
    const auto begin = static_cast<std::ptrdiff_t>(order.size());
    for (size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] > 0 && pass(i)) order.push_back(i);
    }
    std::sort(order.begin() + begin, order.end(),
              [&](size_t a, size_t b) { return counts[a] != counts[b] ? counts[a] < counts[b] : a < b; });
  }
  static Order Sorted(const Counts& counts) {
    Order order;
    Append(order, counts, [](size_t) { return true; });
    return order;
  }

  Order Sockets() const {
    if (!zones_first_) return Sorted(socket_);
    Order sockets;
    for (size_t zone : Sorted(zone_)) Append(sockets, socket_, [&](size_t socket) { return Share(zone, socket); });
    return sockets;
  }

  // Calls visit(core, how many of its CPUs are available), the fewest first, then the lowest, until it says false. What
  // it takes does not change the order.
  template <typename Visit>
  void ForEachCore(Visit visit) const {
    const CpuSet available = available_;
    struct Core {
      size_t core;
      int count;
    };
    std::vector<Core> cores;
    auto before = [](const Core& a, const Core& b) { return a.core < b.core; };
    for (size_t group : zones_first_ ? Sockets() : Zones()) {
      cores.clear();
      (available & (zones_first_ ? layout_.InSocket(group) : layout_.InZone(group))).ForEach([&](size_t cpu) {
        const size_t core = layout_.cpus()[cpu].core;
        if (cores.empty() || cores.back().core != core) cores.push_back({core, 0});
      });
      if (!std::is_sorted(cores.begin(), cores.end(), before)) std::sort(cores.begin(), cores.end(), before);
      cores.erase(
          std::unique(cores.begin(), cores.end(), [](const Core& a, const Core& b) { return a.core == b.core; }),
          cores.end());
      int most = 0;
      for (Core& each : cores) {
        for (uint16_t cpu : layout_.InCore(each.core)) each.count += available.Has(cpu) ? 1 : 0;
        most = std::max(most, each.count);
      }
      for (int count = 1; count <= most; ++count) {
        for (const Core& each : cores) {
          if (each.count == count && !visit(each.core, count)) return;
        }
      }
    }
  }

  Order Uncores() const {
    Order uncores;
    for (size_t zone : Zones()) {
      Append(uncores, uncore_,
             [&](size_t uncore) { return available_.Meets(layout_.InZone(zone), layout_.InUncore(uncore)); });
    }
    return uncores;
  }

  void TakeFullUncores() {
    for (size_t uncore : Uncores()) {
      const CpuSet& cpus = layout_.InUncore(uncore);
      if (uncore_[uncore] == cpus.Count() && needed_ >= cpus.Count()) Take(cpus, cpus.Count());
    }
    Count();
  }

  // All that is missing from the lowest cores of this cache, or nothing.
  void TakePartOfUncore(size_t uncore) {
    const int threads = layout_.cpus_per_core();
    const int wanted = (needed_ + threads - 1) / threads;
    CpuSet cpus;
    int cores = 0;
    size_t last = layout_.cpus().size(), highest = 0;
    // Cores are ordered by their lowest CPU, available or not.
    std::vector<size_t> in_cache;
    (available_ & layout_.InUncore(uncore)).ForEach([&](size_t cpu) { in_cache.push_back(layout_.cpus()[cpu].core); });
    std::sort(in_cache.begin(), in_cache.end());
    for (size_t core : in_cache) {
      if (core == last) continue;
      last = core;
      if (cores++ == wanted) break;
      for (uint16_t cpu : layout_.InCore(core)) {
        if (!available_.Has(cpu)) continue;
        cpus.Add(cpu);
        highest = std::max<size_t>(highest, cpu);
      }
    }
    if (needed_ % 2 != 0 && threads > 1 && cpus.Count() > needed_) cpus.Remove(highest);
    if (cpus.Count() == needed_) Take(cpus, needed_);
    Count();
  }

  const CpuLayout& layout_;
  CpuSet available_;
  int needed_;
  bool zones_first_;  // a zone has one socket or several
  CpuSet result_;
  bool stale_ = true;  // the following
  Counts zone_, socket_, uncore_;
};

}  // namespace

std::optional<CpuSet> TakePacked(const CpuLayout& layout, const CpuSet& available, int count, const Options& options) {
  if (count > available.Count()) return std::nullopt;
  Accumulator accumulator(layout, available, count);
  if (!accumulator.Satisfied()) accumulator.TakeFirstLevel();
  if (!accumulator.Satisfied()) accumulator.TakeSecondLevel();
  if (!accumulator.Satisfied() && options.align_by_uncore_cache) accumulator.TakeUncoreCaches();
  if (!accumulator.Satisfied() && !options.distribute_across_cores) accumulator.TakeFullCores();
  if (!accumulator.Satisfied()) accumulator.TakeSingleCpus(options.distribute_across_cores);
  if (!accumulator.Satisfied()) return std::nullopt;
  return accumulator.result();
}

absl::InlinedVector<size_t, 8> ZonesByAvailable(const CpuLayout& layout, const CpuSet& available) {
  return Accumulator(layout, available, 0).Zones();
}

}  // namespace huygens::kubelet
