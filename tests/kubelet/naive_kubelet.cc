#include "tests/kubelet/naive_kubelet.h"

#include "tests/kubelet/naive_hints.h"

namespace huygens::kubelet::test {

namespace {

class Kubelet : NaiveHints {
 public:
  using NaiveHints::NaiveHints;

  NaiveResult Admit() {
    const bool merges = options_.policy != TopologyManagerPolicy::kNone;
    const bool per_pod = options_.scope == TopologyManagerScope::kPod;
    Hint hint{.any = true};
    if (merges && per_pod && !Merge(Total(), hint)) return Refuse("TopologyAffinityError merge", -1);
    for (size_t i = 0; i < containers_.size(); ++i) {
      const Asks& asks = containers_[i];
      if (merges && !per_pod && !Merge(asks, hint)) {
        return Refuse("TopologyAffinityError merge", static_cast<int>(i));
      }
      NaiveContainer placed;
      if (!hint.any) placed.affinity = FromBits(hint.zones);
      placed.preferred = hint.preferred;
      std::string refusal = Devices(asks, hint, placed);
      if (refusal.empty()) refusal = TakeCpus(asks, hint, placed);
      if (refusal.empty()) refusal = Memory(asks, hint, placed);
      if (!refusal.empty()) return Refuse(refusal, static_cast<int>(i));
      result_.containers.push_back(placed);
      for (const auto& [resource, block] : placed.memory) ReduceInit(resource, block.first, block.second);
    }
    result_.outcome = "admitted";
    result_.free_cpus = free_cpus_;
    result_.free_memory = free_memory_;
    result_.memory_blocks = blocks_;
    result_.memory_groups = groups_;
    result_.free_devices = free_devices_;
    return result_;
  }

 private:
  NaiveResult Refuse(const std::string& why, int container) {
    NaiveResult refused;
    refused.outcome = why + " " + std::to_string(container);
    return refused;
  }

  std::string Devices(const Asks& asks, const Hint& hint, NaiveContainer& placed) {
    for (auto [resource, request] : asks.devices) {
      if (request == 0 && device_zones_[resource].empty()) continue;  // as if no plugin had registered
      if (healthy_[resource] == 0) return "UnexpectedAdmissionError allocate";
      Set& reuse = reusable_devices_[resource];
      Set& free = free_devices_[resource];
      const auto& zones = device_zones_[resource];
      Set taken;
      auto take = [&](const Set& from) {
        for (int device : from) {
          if (Size(taken) < request) taken.insert(device);
        }
      };
      take(reuse);
      if (Size(taken) + Size(Minus(free, taken)) < request) return "UnexpectedAdmissionError allocate";
      Set aligned;
      for (int device : free) {
        if (!hint.any && (Bits(zones[static_cast<size_t>(device)]) & hint.zones) != 0) aligned.insert(device);
      }
      take(aligned);
      take(free);
      free = Minus(free, taken);
      if (asks.kind == 'i') {
        reuse = Union(reuse, taken);
      } else {
        reuse = Minus(reuse, taken);
      }
      if (!taken.empty()) placed.devices[resource] = taken;
    }
    return "";
  }

  std::string TakeCpus(const Asks& asks, const Hint& hint, NaiveContainer& placed) {
    if (asks.cpus == 0) return "";
    if (options_.full_cores_only) {
      Set reserved;
      machine_.layout->reserved_cores().ForEach([&](size_t cpu) { reserved.insert(static_cast<int>(cpu)); });
      if (asks.cpus % cpus_.per_core() != 0 || asks.cpus > Size(Minus(free_cpus_, reserved))) {
        return "SMTAlignmentError allocate";
      }
    }
    const Set available = Union(free_cpus_, reusable_cpus_);
    Set taken;
    if (!hint.any) {
      Set in;
      for (int zone : FromBits(hint.zones)) in = Union(in, cpus_.In("zone", zone, cpus_.all()));
      if (options_.align_by_socket) {
        for (int socket : cpus_.Ids("socket", in)) in = Union(in, cpus_.In("socket", socket, cpus_.all()));
      }
      const Set aligned = Common(available, in);
      auto cpus = cpus_.Take(aligned, std::min(asks.cpus, Size(aligned)));
      if (!cpus) return "UnexpectedAdmissionError allocate";
      taken = *cpus;
    }
    auto rest = cpus_.Take(Minus(available, taken), asks.cpus - Size(taken));
    if (!rest) return "UnexpectedAdmissionError allocate";
    taken = Union(taken, *rest);
    free_cpus_ = Minus(free_cpus_, taken);
    reusable_cpus_ = asks.kind == 'i' ? Union(reusable_cpus_, taken) : Minus(reusable_cpus_, taken);
    placed.cpus = taken;
    return "";
  }

  static std::optional<Hint> Best(const std::vector<Hint>& hints) {
    std::optional<Hint> best;
    for (const Hint& hint : hints) {
      if (!best || (hint.preferred && !best->preferred) ||
          (hint.preferred == best->preferred && Narrower(hint.zones, best->zones))) {
        best = hint;
      }
    }
    return best;
  }

  std::string Memory(const Asks& asks, Hint hint, NaiveContainer& placed) {
    const std::string refusal = "UnexpectedAdmissionError allocate";
    if (asks.memory.empty()) return "";
    const auto hints = MemoryHints(asks.memory);
    if (hint.any) {
      auto best = Best(hints);
      if (!best || (hint.preferred && !best->preferred)) return refusal;
      hint = *best;
    }
    bool satisfied = true;
    for (auto [resource, request] : asks.memory) {
      int64_t free = 0;
      for (int zone : FromBits(hint.zones)) free += free_memory_[resource][static_cast<size_t>(zone)];
      satisfied = satisfied && free >= request;
    }
    if (!satisfied) {
      std::vector<Hint> wider;
      for (const Hint& each : hints) {
        if ((hint.zones & ~each.zones) == 0) wider.push_back(each);
      }
      auto best = Best(wider);
      if (!best || (hint.preferred && !best->preferred)) return refusal;
      hint = *best;
    }
    const Set zones = FromBits(hint.zones);
    for (int zone : zones) {
      const auto z = static_cast<size_t>(zone);
      if (blocks_[z] == 0 || zones.size() == 1) continue;
      if (groups_[z].size() == 1 || groups_[z] != zones) return refusal;
    }
    for (auto [resource, request] : asks.memory) {
      int64_t left = std::max<int64_t>(request - Reusable(zones, resource), 0);
      for (int zone : zones) {
        const auto z = static_cast<size_t>(zone);
        ++blocks_[z];
        groups_[z] = zones;
        int64_t& free = free_memory_[resource][z];
        const int64_t part = std::min(free, left);
        free -= part;
        left -= part;
      }
      int64_t& reuse = reusable_memory_[{zones, resource}];
      reuse = asks.kind == 'i' ? std::max(reuse, request) : std::max<int64_t>(reuse - request, 0);
      placed.memory[resource] = {request, zones};
    }
    return "";
  }

  void ReduceInit(ResourceId resource, int64_t bytes, const Set& zones) {
    for (size_t i = 0; i + 1 < result_.containers.size(); ++i) {
      if (containers_[i].kind != 'i') continue;
      auto block = result_.containers[i].memory.find(resource);
      if (block == result_.containers[i].memory.end() || block->second.second != zones) continue;
      const int64_t part = std::min(bytes, block->second.first);
      block->second.first -= part;
      bytes -= part;
    }
  }

  NaiveResult result_;
};

}  // namespace

NaiveResult NaiveAdmit(const Machine& machine, const cluster::Pod& pod) { return Kubelet(machine, pod).Admit(); }

}  // namespace huygens::kubelet::test
