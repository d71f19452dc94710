// Kubelet's topology hints and their merge, once more for comparison: every hint listed, every combination tried.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "cluster/pod_requests.h"
#include "tests/kubelet/naive_cpus.h"

namespace huygens::kubelet::test {

struct Asks {
  std::string name;
  char kind = 'a';  // i, s, a
  int cpus = 0;
  std::map<ResourceId, int64_t> memory, devices;
};

// What is free while a pod is admitted, and the hints that follow from it.
class NaiveHints {
 public:
  NaiveHints(const Machine& machine, const cluster::Pod& pod)
      : machine_(machine), options_(machine.options), cpus_(*machine.layout, machine.options) {
    for (size_t z = 0; z < machine.zones.size(); ++z) {
      zones_.insert(static_cast<int>(z));
      blocks_.push_back(machine.zones[z].memory_blocks);
      groups_.push_back(FromBits(machine.zones[z].memory_group));
    }
    machine.free_cpus.ForEach([&](size_t cpu) { free_cpus_.insert(static_cast<int>(cpu)); });
    for (const auto& row : machine.memory) {
      for (const auto& zone : row.zones) {
        free_memory_[row.resource].push_back(zone.free);
        allocatable_[row.resource].push_back(zone.allocatable);
      }
    }
    for (const auto& row : machine.devices) {
      free_devices_[row.resource];
      device_zones_[row.resource];
      for (size_t i = 0; i < row.groups.size(); ++i) {
        device_zones_[row.resource].push_back(FromBits(row.groups[i].zones));
        if (row.groups[i].free > 0) free_devices_[row.resource].insert(static_cast<int>(i));
      }
      healthy_[row.resource] = row.healthy;
    }
    const bool pod_level = pod.pod_level && !(pod.pod_level->requests.empty() && pod.pod_level->limits.empty());
    const bool guaranteed = !pod_level && cluster::QosOf(pod) == cluster::QosClass::kGuaranteed;
    auto add = [&](const cluster::Container& container, char kind) {
      Asks asks{.name = container.name, .kind = kind};
      for (auto [resource, amount] : container.requests) {
        if (guaranteed && resource == kCpu && amount % 1000 == 0) asks.cpus = static_cast<int>(amount / 1000);
        if (guaranteed && allocatable_.contains(resource)) asks.memory[resource] = amount;
      }
      for (auto [resource, amount] : container.limits) {
        if (device_zones_.contains(resource)) asks.devices[resource] = amount;
      }
      if (!options_.static_cpus) asks.cpus = 0;
      if (!options_.static_memory) asks.memory.clear();
      containers_.push_back(asks);
    };
    for (const auto& each : pod.init_containers) add(each, each.restartable ? 's' : 'i');
    for (const auto& each : pod.containers) add(each, 'a');
  }

 protected:
  Asks Total() const {
    Asks total;
    auto peak = [&](auto amount) {
      int64_t init = 0, sidecars = 0, apps = 0;
      for (const Asks& each : containers_) {
        if (each.kind == 'i') init = std::max(init, sidecars + amount(each));
        if (each.kind == 's') sidecars += amount(each);
        if (each.kind == 'a') apps += amount(each);
      }
      return std::max(init, sidecars + apps);
    };
    total.cpus = static_cast<int>(peak([](const Asks& each) { return int64_t{each.cpus}; }));
    for (const Asks& container : containers_) {
      for (auto [resource, ignored] : container.memory) {
        if (container.kind != 'a') continue;
        total.memory[resource] = peak([resource = resource](const Asks& each) {
          return each.memory.contains(resource) ? each.memory.at(resource) : 0;
        });
      }
      for (auto [resource, ignored] : container.devices) {
        total.devices[resource] = peak([resource = resource](const Asks& each) {
          return each.devices.contains(resource) ? each.devices.at(resource) : 0;
        });
      }
    }
    return total;
  }

  static void Prefer(std::vector<Hint>& hints, int width) {
    for (Hint& hint : hints) hint.preferred = std::popcount(hint.zones) == width;
  }

  std::vector<Hint> CpuHints(int request) const {
    const Set zones = cpus_.Ids("zone", cpus_.all());
    int width = Size(zones);
    std::vector<Hint> hints;
    ForEachMask(zones, [&](uint64_t mask) {
      int capacity = 0, matching = 0;
      for (int zone : FromBits(mask)) {
        capacity += Size(cpus_.In("zone", zone, cpus_.all()));
        matching += Size(cpus_.In("zone", zone, Union(free_cpus_, reusable_cpus_)));
      }
      if (capacity >= request) width = std::min(width, std::popcount(mask));
      if (matching < request || !Includes(FromBits(mask), cpus_.Ids("zone", reusable_cpus_))) return;
      hints.push_back({.zones = mask});
    });
    Prefer(hints, width);
    if (options_.align_by_socket) {
      const int per_socket = Size(zones) / Size(cpus_.Ids("socket", cpus_.all()));
      for (Hint& hint : hints) {
        Set in;
        for (int zone : FromBits(hint.zones)) in = Union(in, cpus_.In("zone", zone, cpus_.all()));
        if (per_socket > 0 && Size(cpus_.Ids("socket", in)) == (width + per_socket - 1) / per_socket) {
          hint.preferred = true;
        }
      }
    }
    return hints;
  }

  std::vector<Hint> MemoryHints(const std::map<ResourceId, int64_t>& requests) const {
    int width = Size(zones_);
    std::vector<Hint> hints;
    ForEachMask(zones_, [&](uint64_t mask) {
      const Set zones = FromBits(mask);
      for (auto [resource, request] : requests) {
        int64_t allocatable = 0;
        for (int zone : zones) allocatable += allocatable_.at(resource)[static_cast<size_t>(zone)];
        if (allocatable < request) return;
      }
      width = std::min(width, Size(zones));
      const bool single = zones.size() == 1;
      if (single && groups_[static_cast<size_t>(*zones.begin())].size() > 1) return;
      for (int zone : zones) {
        const auto z = static_cast<size_t>(zone);
        if (single || blocks_[z] == 0) continue;
        if (groups_[z].size() == 1 || groups_[z] != zones) return;
      }
      for (auto [resource, request] : requests) {
        int64_t free = Reusable(zones, resource);
        for (int zone : zones) free += free_memory_.at(resource)[static_cast<size_t>(zone)];
        if (free < request) return;
      }
      hints.push_back({.zones = mask});
    });
    Prefer(hints, width);
    return hints;
  }

  int64_t Reusable(const Set& zones, ResourceId resource) const {
    auto found = reusable_memory_.find({zones, resource});
    return found == reusable_memory_.end() ? 0 : found->second;
  }

  std::vector<Hint> DeviceHints(ResourceId resource, int64_t request) const {
    const auto& devices = device_zones_.at(resource);
    const Set& free = free_devices_.at(resource);
    Set zones;
    for (const Set& each : devices) zones = Union(zones, each);
    auto reusable = reusable_devices_.find(resource);
    const Set reuse = reusable == reusable_devices_.end() ? Set() : reusable->second;
    if (Size(Union(free, reuse)) < request) return {};
    int width = Size(zones);
    std::vector<Hint> hints;
    ForEachMask(zones, [&](uint64_t mask) {
      auto touches = [&](int device) { return (Bits(devices[static_cast<size_t>(device)]) & mask) != 0; };
      int total = 0, matching = 0;
      for (size_t i = 0; i < devices.size(); ++i) total += touches(static_cast<int>(i)) ? 1 : 0;
      if (total >= request) width = std::min(width, std::popcount(mask));
      for (int device : reuse) {
        if (devices[static_cast<size_t>(device)].empty()) continue;
        if (!touches(device)) return;
        ++matching;
      }
      for (int device : free) matching += touches(device) ? 1 : 0;
      if (matching >= request) hints.push_back({.zones = mask});
    });
    Prefer(hints, width);
    return hints;
  }

  bool Merge(const Asks& asks, Hint& merged) const {
    std::vector<std::vector<Hint>> lists;
    auto add = [&](std::vector<Hint> hints) {
      if (hints.empty()) hints.push_back({.any = true, .preferred = false});
      lists.push_back(std::move(hints));
    };
    if (asks.cpus > 0) add(CpuHints(asks.cpus));
    if (!asks.memory.empty()) {
      const auto hints = MemoryHints(asks.memory);
      for (size_t i = 0; i < asks.memory.size() && !hints.empty(); ++i) add(hints);
    }
    for (auto [resource, request] : asks.devices) {
      const auto& zones = device_zones_.at(resource);
      if (std::all_of(zones.begin(), zones.end(), [](const Set& each) { return each.empty(); })) continue;
      add(DeviceHints(resource, request));
    }
    const bool single = options_.policy == TopologyManagerPolicy::kSingleNumaNode;
    if (single) {
      for (auto& hints : lists) {
        std::erase_if(
            hints, [](const Hint& hint) { return !hint.preferred || (!hint.any && std::popcount(hint.zones) != 1); });
      }
    }
    int wanted = 0;
    for (const auto& hints : lists) {
      const Hint* narrowest = nullptr;
      for (const Hint& hint : hints) {
        if (!hint.any && (!narrowest || Narrower(hint.zones, narrowest->zones))) narrowest = &hint;
      }
      if (narrowest) wanted = std::max(wanted, std::popcount(narrowest->zones));
    }
    const uint64_t all = Bits(zones_);
    std::optional<Hint> best;
    std::function<void(size_t, uint64_t, std::optional<uint64_t>, bool)> product =
        [&](size_t list, uint64_t mask, std::optional<uint64_t> first, bool preferred) {
          if (list == lists.size()) {
            const Hint candidate{.zones = mask, .preferred = preferred};
            if (mask != 0 && (!best || Better(candidate, *best, wanted))) best = candidate;
            return;
          }
          for (const Hint& hint : lists[list]) {
            if (hint.any) {
              product(list + 1, mask, first, preferred && hint.preferred);
            } else {
              product(list + 1, mask & hint.zones, first ? *first : hint.zones,
                      preferred && hint.preferred && (!first || *first == hint.zones));
            }
          }
        };
    product(0, all, std::nullopt, true);
    merged = best.value_or(Hint{.zones = all});
    if (single && merged.zones == all) merged.any = true;
    return options_.policy == TopologyManagerPolicy::kBestEffort || merged.preferred;
  }

  // Whether kubelet replaces `current` by `candidate`.
  bool Better(const Hint& candidate, const Hint& current, int wanted) const {
    if (candidate.preferred != current.preferred) return candidate.preferred;
    const int a = std::popcount(candidate.zones), b = std::popcount(current.zones);
    if (!candidate.preferred) {
      if (b == wanted && a != wanted) return false;
      if (b < wanted && a > wanted) return false;
      if (b < wanted && a == wanted) return true;
      if (b < wanted && a != b) return a > b;
    }
    if (candidate.zones == current.zones) return false;
    if (a == b && options_.prefer_closest && options_.policy != TopologyManagerPolicy::kSingleNumaNode) {
      const double x = Distance(candidate.zones), y = Distance(current.zones);
      if (x != y) return x < y;
    }
    return Narrower(candidate.zones, current.zones);
  }
  double Distance(uint64_t mask) const {
    double sum = 0, count = 0;
    for (int a : FromBits(mask)) {
      for (int b : FromBits(mask)) {
        sum += machine_.distance[static_cast<size_t>(a) * machine_.zones.size() + static_cast<size_t>(b)];
        ++count;
      }
    }
    return sum / count;
  }

  const Machine& machine_;
  const Options& options_;
  Cpus cpus_;
  Set zones_;
  std::vector<Asks> containers_;
  Set free_cpus_, reusable_cpus_;
  std::map<ResourceId, std::vector<int64_t>> free_memory_, allocatable_;
  std::vector<int> blocks_;
  std::vector<Set> groups_;
  std::map<std::pair<Set, ResourceId>, int64_t> reusable_memory_;
  std::map<ResourceId, std::vector<Set>> device_zones_;
  std::map<ResourceId, Set> free_devices_, reusable_devices_;
  std::map<ResourceId, int> healthy_;
};

}  // namespace huygens::kubelet::test
