// Which CPUs kubelet's static CPU manager takes, once more for comparison: with sets of CPUs, each level sorted anew
// each time, and Go's slices as Go has them.
#pragma once

#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "kubelet/machine.h"
#include "tests/kubelet/naive_sets.h"

namespace huygens::kubelet::test {

// A Go slice: appending writes into the shared array while it has room.
struct Slice {
  std::shared_ptr<std::vector<int>> array = std::make_shared<std::vector<int>>();
  size_t size = 0;
  Slice Append(int value) const {
    Slice longer = *this;
    if (size == array->size()) {
      longer.array = std::make_shared<std::vector<int>>(*array);
      longer.array->resize(size == 0 ? 1 : 2 * size);
    }
    (*longer.array)[longer.size++] = value;
    return longer;
  }
  std::vector<int> Values() const { return {array->begin(), array->begin() + static_cast<std::ptrdiff_t>(size)}; }
};

// Until `visit` returns true.
inline bool Combine(const std::vector<int>& from, size_t count, size_t start, const Slice& so_far,
                    const std::function<bool(const Slice&)>& visit) {
  if (count == 0) return visit(so_far);
  for (size_t i = start; i + count <= from.size(); ++i) {
    if (Combine(from, count - 1, i + 1, so_far.Append(from[i]), visit)) return true;
  }
  return false;
}

inline double Thousandths(double x) { return std::round(x * 1000) / 1000; }
inline double Deviation(const std::map<int, int>& values) {
  double mean = 0, sum = 0;
  for (auto [key, value] : values) mean += value;
  mean = Thousandths(mean / static_cast<double>(values.size()));
  for (auto [key, value] : values) sum += (value - mean) * (value - mean);
  return Thousandths(std::sqrt(sum / static_cast<double>(values.size())));
}

class Cpus {
 public:
  Cpus(const CpuLayout& layout, const Options& options) : options_(options) {
    for (size_t i = 0; i < layout.cpus().size(); ++i) {
      const auto& cpu = layout.cpus()[i];
      const int id = static_cast<int>(i);
      of_["zone"][id] = cpu.zone;
      of_["socket"][id] = cpu.socket;
      of_["core"][id] = cpu.core;
      of_["uncore"][id] = cpu.uncore;
      all_.insert(id);
    }
    per_core_ = Size(all_) / Size(Ids("core", all_));
    per_socket_ = Size(all_) / Size(Ids("socket", all_));
    per_uncore_ = Size(all_) / Size(Ids("uncore", all_));
    zones_first_ = Ids("socket", all_).size() >= Ids("zone", all_).size();
  }
  const Set& all() const { return all_; }
  int per_core() const { return per_core_; }
  Set Ids(const std::string& level, const Set& cpus) const {
    Set ids;
    for (int cpu : cpus) ids.insert(of_.at(level).at(cpu));
    return ids;
  }
  Set In(const std::string& level, int id, const Set& cpus) const {
    Set in;
    for (int cpu : cpus) {
      if (of_.at(level).at(cpu) == id) in.insert(cpu);
    }
    return in;
  }

  std::optional<Set> Take(const Set& available, int count) const {
    if (options_.distribute_across_zones) return Distributed(available, count);
    return Packed(available, count);
  }

 private:
  struct Accumulator {
    Set free, result;
    int needed;
    void Claim(const Set& cpus) {
      result = Union(result, cpus);
      free = Minus(free, result);
      needed -= Size(cpus);
    }
  };

  std::vector<int> Sorted(const std::string& level, const Set& ids, const Set& free) const {
    std::vector<int> order(ids.begin(), ids.end());
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return In(level, a, free).size() < In(level, b, free).size(); });
    return order;
  }
  // The ids of `inner` within each of `outer` in turn.
  std::vector<int> Nested(const std::vector<int>& outer, const std::string& outer_level, const std::string& inner,
                          const Set& free) const {
    std::vector<int> order;
    for (int id : outer) {
      auto part = Sorted(inner, Ids(inner, In(outer_level, id, free)), free);
      order.insert(order.end(), part.begin(), part.end());
    }
    return order;
  }
  std::vector<int> Zones(const Set& free) const {
    if (zones_first_) return Sorted("zone", Ids("zone", free), free);
    return Nested(Sockets(free), "socket", "zone", free);
  }
  std::vector<int> Sockets(const Set& free) const {
    if (!zones_first_) return Sorted("socket", Ids("socket", free), free);
    return Nested(Zones(free), "zone", "socket", free);
  }
  std::vector<int> Cores(const Set& free) const {
    return zones_first_ ? Nested(Sockets(free), "socket", "core", free) : Nested(Zones(free), "zone", "core", free);
  }

  void Whole(Accumulator& acc, const std::string& level, const std::vector<int>& order,
             const std::function<int(int)>& full) const {
    std::vector<int> whole;
    for (int id : order) {
      if (Size(In(level, id, acc.free)) == full(id)) whole.push_back(id);
    }
    for (int id : whole) {
      const Set cpus = In(level, id, all_);
      if (acc.needed >= Size(cpus)) acc.Claim(cpus);
    }
  }
  void WholeZones(Accumulator& acc) const {
    Whole(acc, "zone", Zones(acc.free), [&](int id) { return Size(In("zone", id, all_)); });
  }
  void WholeSockets(Accumulator& acc) const {
    Whole(acc, "socket", Sockets(acc.free), [&](int) { return per_socket_; });
  }
  void Caches(Accumulator& acc) const {
    const auto order = [&] { return Nested(Zones(acc.free), "zone", "uncore", acc.free); };
    for (int cache : order()) {
      if (acc.needed >= per_uncore_) {
        Whole(acc, "uncore", order(), [&](int id) { return Size(In("uncore", id, all_)); });
      }
      if (acc.needed < 1) return;
      const int wanted = (acc.needed + per_core_ - 1) / per_core_;
      const Set in_cache = In("uncore", cache, acc.free);
      Set cpus;
      int cores = 0;
      for (int core : Ids("core", in_cache)) {
        if (cores++ < wanted) cpus = Union(cpus, In("core", core, acc.free));
      }
      if (acc.needed % 2 != 0 && per_core_ > 1 && Size(cpus) > acc.needed) cpus.erase(std::prev(cpus.end()));
      if (Size(cpus) == acc.needed) acc.Claim(cpus);
      if (acc.needed < 1) return;
    }
  }

  std::optional<Set> Packed(const Set& available, int count) const {
    Accumulator acc{available, {}, count};
    if (acc.needed < 1) return acc.result;
    if (acc.needed > Size(acc.free)) return std::nullopt;
    zones_first_ ? WholeZones(acc) : WholeSockets(acc);
    if (acc.needed < 1) return acc.result;
    zones_first_ ? WholeSockets(acc) : WholeZones(acc);
    if (acc.needed < 1) return acc.result;
    if (options_.align_by_uncore_cache) {
      Caches(acc);
      if (acc.needed < 1) return acc.result;
    }
    std::vector<int> singles;
    if (options_.distribute_across_cores) {
      for (int socket : Sockets(acc.free)) {
        for (int cpu : In("socket", socket, acc.free)) singles.push_back(cpu);
      }
    } else {
      Whole(acc, "core", Cores(acc.free), [&](int) { return per_core_; });
      if (acc.needed < 1) return acc.result;
      for (int core : Cores(acc.free)) {
        for (int cpu : In("core", core, acc.free)) singles.push_back(cpu);
      }
    }
    for (int cpu : singles) {
      acc.Claim({cpu});
      if (acc.needed < 1) return acc.result;
    }
    return std::nullopt;
  }

  std::optional<Set> Distributed(const Set& available, int count) const {
    const int group = options_.full_cores_only ? per_core_ : 1;
    if (count % group != 0) return Packed(available, count);
    if (count < 1) return Set();
    if (count > Size(available)) return std::nullopt;
    const std::vector<int> zones = Zones(available);
    std::map<int, int> left;
    for (int zone : zones) left[zone] = Size(In("zone", zone, available));
    const int groups = (Size(all_) - 1) / group + 1;
    const int per_zone = (groups - 1) / Size(Ids("zone", all_)) + 1;
    const int needed = (count - 1) / group + 1;
    constexpr double kNone = std::numeric_limits<double>::max();
    for (int k = (needed - 1) / per_zone + 1; k <= std::min(needed, static_cast<int>(zones.size())); ++k) {
      double best = kNone;
      std::optional<Slice> best_zones, best_rest;
      const int even = count / k / group * group;
      Combine(zones, static_cast<size_t>(k), 0, {}, [&](const Slice& slice) {
        if (best == 0) return true;
        const auto combination = slice.Values();
        int sum = 0, whole = 0;
        for (int zone : combination) {
          sum += left[zone];
          whole += left[zone] / group;
          if (left[zone] < even) return false;
        }
        if (sum < count || whole * group < count) return false;
        auto after = left;
        for (int zone : combination) after[zone] -= even;
        const int remainder = count - even * k;
        std::vector<int> more;
        for (int zone : combination) {
          if (after[zone] >= group) more.push_back(zone);
        }
        double local = kNone;
        std::optional<Slice> local_rest;
        if (remainder == 0) local = Deviation(after);
        for (size_t j = more.size(); remainder > 0 && j >= 1; --j) {
          Combine(more, j, 0, {}, [&](const Slice& subset) {
            auto then = after;
            int rest = remainder, room = 0;
            for (int zone : subset.Values()) room += then[zone];
            if (room < rest) return false;
            for (bool moved = true; rest > 0 && moved;) {
              moved = false;
              for (int zone : subset.Values()) {
                if (rest == 0) break;
                if (then[zone] < group) continue;
                then[zone] -= group;
                rest -= group;
                moved = true;
              }
            }
            if (double balance = Deviation(then); balance < local) {
              local = balance;
              local_rest = subset;
            }
            return false;
          });
        }
        if (local < best) {
          best = local;
          best_rest = local_rest;
          best_zones = slice;
        }
        return false;
      });
      if (!best_zones) continue;
      Accumulator acc{available, {}, count};
      for (int zone : best_zones->Values()) {
        if (auto cpus = Packed(In("zone", zone, acc.free), even)) acc.Claim(*cpus);
      }
      int rest = count - even * k;
      for (bool moved = true; rest > 0 && moved;) {
        moved = false;
        for (int zone : best_rest->Values()) {
          if (rest == 0) break;
          const Set free = In("zone", zone, acc.free);
          if (Size(free) < group) continue;
          if (auto cpus = Packed(free, group)) acc.Claim(*cpus);
          rest -= group;
          moved = true;
        }
      }
      if (acc.needed != 0) return std::nullopt;
      return acc.result;
    }
    return Packed(available, count);
  }

  const Options& options_;
  std::map<std::string, std::map<int, int>> of_;
  Set all_;
  int per_core_, per_socket_, per_uncore_;
  bool zones_first_;
};

}  // namespace huygens::kubelet::test
