#include "pinning/assignment.h"

#include <algorithm>

#include "base/text.h"
#include "pinning/core_choice.h"

namespace huygens::pinning {
namespace {

bool Owns(const PodAsk& ask) { return ask.pool == Pool::kExclusive || ask.pool == Pool::kImmovable; }
bool Floats(const PodAsk& ask) { return ask.pool == Pool::kExclusive && ask.smt == cluster::Smt::kUnset; }

bool AsksForCpus(const LivePod& pod) {
  return Owns(pod.ask) && std::ranges::any_of(pod.containers, [](const auto& each) { return each.cpus > 0; });
}

std::string Number(int n) { return std::to_string(n); }

// Who has what at one moment of the search; copied for each pod, so that a pod that cannot be served leaves no trace.
struct Books {
  PodSets pods;
  CpuSet fixed;      // taken for good, idle CPUs among them
  CpuSet floating;   // taken by exclusive pods that may be moved
  CpuSet exclusive;  // of these two, what the shared pool lacks
  std::vector<std::string> moved;
};

class Assigner {
 public:
  Assigner(const NodeCpus& node, const std::vector<LivePod>& pods, const PodSets& before)
      : node_(node), all_(pods), before_(before) {}

  Assignment Run() {
    for (const LivePod& pod : all_) {
      if (Owns(pod.ask)) TakeBack(pod);
    }
    for (const LivePod& pod : all_) {
      if (AsksForCpus(pod) || books_.pods.contains(pod.uid)) Complete(pod);
    }
    Assignment assignment;
    assignment.exclusive = books_.exclusive;
    assignment.shared = Shared(books_);
    for (const LivePod& pod : all_) {
      const auto at = books_.pods.find(pod.uid);
      if (at == books_.pods.end()) continue;
      Divide(pod, at->second);
      TellConflicts(pod, at->second, assignment.conflicts);
    }
    assignment.pods = std::move(books_.pods);
    assignment.moved = std::move(books_.moved);
    return assignment;
  }

 private:
  CpuSet Shared(const Books& books) const { return node_.shared - books.exclusive; }

  void Hold(Books& books, const PodAsk& ask, const CpuSet& cpus) const {
    (Floats(ask) ? books.floating : books.fixed) |= cpus;
    if (ask.pool == Pool::kExclusive) books.exclusive |= cpus;
  }

  // What it had, as far as nobody before it has the same. A pod of whose CPUs none is left online begins anew.
  void TakeBack(const LivePod& pod) {
    const auto at = before_.find(pod.uid);
    if (at == before_.end()) return;
    PodCpus had;
    const CpuSet taken = books_.fixed | books_.floating;
    CpuSet divided;
    for (const auto& [name, cpus] : at->second.containers) {
      if (Meet(cpus, taken) || Meet(cpus, divided)) continue;
      divided |= cpus;
      had.containers[name] = cpus;
    }
    had.own = divided | (at->second.own - taken);
    if (!Meet(had.own, node_.online) || had.own.Count() > pod.ask.Cpus()) return;
    if (pod.ask.pool == Pool::kExclusive && (Shared(books_) - had.own).empty()) return;
    Hold(books_, pod.ask, had.own);
    if (pod.ask.smt == cluster::Smt::kIsolate) {
      for (const ZoneCpus& zone : node_.zones) {
        for (const CpuSet& core : zone.cores) {
          if (Meet(core, had.own)) had.idle |= core - books_.fixed - books_.floating;
        }
      }
      // Nothing is idle while the shared pool would have no CPU without it.
      if ((Shared(books_) - had.idle).empty()) had.idle = {};
      Hold(books_, pod.ask, had.idle);
    }
    books_.pods[pod.uid] = std::move(had);
  }

  void Complete(const LivePod& pod) {
    PodCpus& known = books_.pods[pod.uid];
    if (known.own.Count() >= pod.ask.Cpus()) return;
    Books tried = books_;
    std::string why = TryComplete(pod, tried);
    if (why.empty()) {
      books_ = std::move(tried);
    } else {
      known.why = std::move(why);
    }
  }

  // Empty, or why not.
  std::string TryComplete(const LivePod& pod, Books& books) const {
    PodCpus& cpus = books.pods[pod.uid];
    int missing = pod.ask.Cpus() - cpus.own.Count();
    for (const ZoneShare& share : pod.ask.zones) {
      const ZoneCpus* zone = node_.Zone(share.zone);
      if (zone == nullptr)
        return Concat("its topology-result names node", Number(share.zone), ", which this machine does not have");
      const int need = std::min(missing, share.cpus - zone->shared.CountIn(cpus.own));
      if (need <= 0) continue;
      if (std::string why = TakeOfZone(pod, *zone, need, books, cpus); !why.empty()) return why;
      missing -= need;
    }
    if (pod.ask.pool == Pool::kExclusive) {
      if (Shared(books).empty()) {
        return "it would take the last CPU that others may run on; let kubelet reserve one (reservedSystemCPUs)";
      }
      for (const LivePod& other : all_) {
        if (other.ask.pool != Pool::kNuma || NumaCpus(other.ask, books_.exclusive).empty()) continue;
        if (!NumaCpus(other.ask, books.exclusive).empty()) continue;
        return Concat("it would take the last CPU of the zones of ", other.name, ", whose cpu-policy is numa");
      }
    }
    return "";
  }

  std::string TakeOfZone(const LivePod& pod, const ZoneCpus& zone, int need, Books& books, PodCpus& cpus) const {
    // What an isolating pod keeps idle is its own already; a packed pod that was begun fills its cores first.
    CpuSet near = cpus.idle & zone.assignable;
    if (pod.ask.smt == cluster::Smt::kPack) {
      for (const CpuSet& core : zone.cores) {
        if (Meet(core, cpus.own)) near |= core - books.fixed - books.floating;
      }
    }
    const CpuSet begun = TakePacked(zone, near, need);
    Hold(books, pod.ask, begun);
    cpus.own |= begun;
    cpus.idle -= begun;
    need -= begun.Count();
    if (need <= 0) return "";
    const auto choice = ChooseCores(zone, books.fixed, books.floating, need, pod.ask.smt);
    if (!choice) {
      const int free = (zone.assignable - books.fixed - books.floating).Count();
      return Concat("node", Number(zone.id), " cannot give it ", Number(need), " CPUs",
                    pod.ask.smt == cluster::Smt::kUnset ? "" : " as huygens.dev/smt says", ": ", Number(free), " of ",
                    Number(zone.assignable.Count()), " are free");
    }
    if (!choice->evicted.empty()) MoveAside(zone, *choice, books);
    cpus.own |= choice->own;
    cpus.idle |= choice->idle;
    Hold(books, pod.ask, choice->own | choice->idle);
    return "";
  }

  // Gives those who float other CPUs of the zone for those that they must leave.
  void MoveAside(const ZoneCpus& zone, const CoreChoice& choice, Books& books) const {
    CpuSet free = zone.assignable - books.fixed - books.floating - choice.own - choice.idle;
    for (const LivePod& other : all_) {
      const auto at = books.pods.find(other.uid);
      if (at == books.pods.end() || !Floats(other.ask)) continue;
      const CpuSet leaving = at->second.own & choice.evicted;
      if (leaving.empty()) continue;
      const CpuSet coming = TakePacked(zone, free, leaving.Count());
      free -= coming;
      books.floating -= leaving;
      books.exclusive -= leaving;
      Hold(books, other.ask, coming);
      at->second.own -= leaving;
      at->second.own |= coming;
      Swap(at->second.containers, IdsOf(leaving), IdsOf(coming));
      books.moved.push_back(other.uid);
    }
  }

  static void Swap(ContainerSets& containers, const machine::Ids& from, const machine::Ids& to) {
    for (auto& [name, cpus] : containers) {
      for (size_t i = 0; i < from.size(); ++i) {
        if (!cpus.Has(static_cast<size_t>(from[i]))) continue;
        cpus.Remove(static_cast<size_t>(from[i]));
        cpus.Add(static_cast<size_t>(to[i]));
      }
    }
  }

  // Numa pods may use what nobody has for himself in their zones, but not what is reserved.
  CpuSet NumaCpus(const PodAsk& ask, const CpuSet& exclusive) const {
    CpuSet cpus;
    for (const ZoneShare& share : ask.zones) {
      if (const ZoneCpus* zone = node_.Zone(share.zone)) cpus |= zone->assignable - exclusive;
    }
    return cpus;
  }

  // The pod's CPUs among its containers that take part: each keeps what it had, the others get of what no living one has.
  void Divide(const LivePod& pod, PodCpus& cpus) const {
    ContainerSets had = std::move(cpus.containers);
    cpus.containers.clear();
    CpuSet left = cpus.own;
    const auto keep = [&](const std::string& name) {
      const auto at = had.find(name);
      if (at == had.end() || at->second.empty() || !Within(at->second, left)) return;
      left -= at->second;
      cpus.containers.insert(had.extract(at));
    };
    for (const LiveContainer& each : pod.containers) {
      if (each.cpus > 0) keep(each.name);
    }
    for (const LiveContainer& each : pod.containers) {
      if (each.cpus == 0 || cpus.containers.contains(each.name) || left.empty()) continue;
      CpuSet unclaimed = left;
      for (const auto& [name, of] : had) unclaimed -= of;
      // Of those that have ended something may come back: theirs only where nothing else is left.
      CpuSet own = Part(pod.ask, unclaimed, each.cpus);
      if (own.Count() < each.cpus) own = Part(pod.ask, left, each.cpus);
      left -= own;
      cpus.containers[each.name] = std::move(own);
    }
    for (auto at = had.begin(); at != had.end();) {
      const std::string name = (at++)->first;
      keep(name);
    }
  }

  // `count` CPUs of `from`: of the zone that has just enough, else of those that have most.
  CpuSet Part(const PodAsk& ask, const CpuSet& from, int count) const {
    CpuSet part;
    while (part.Count() < count) {
      const ZoneCpus* best = nullptr;
      const int need = count - part.Count();
      const auto cost = [&](const ZoneCpus& zone) {
        const int has = zone.shared.CountIn(from - part);
        return has >= need ? has - need : 1 + 2 * static_cast<int>(machine::kMostId) - has;
      };
      for (const ZoneCpus& zone : node_.zones) {
        if (!Meet(zone.shared, from - part)) continue;
        if (best == nullptr || cost(zone) < cost(*best)) best = &zone;
      }
      if (best == nullptr) break;
      const CpuSet here = (from - part) & best->shared;
      const bool spread = ask.smt == cluster::Smt::kSpread;
      const CpuSet got = spread ? TakeSpread(*best, here, need) : TakePacked(*best, here, need);
      if (got.empty()) break;
      part |= got;
    }
    return part;
  }

  void TellConflicts(const LivePod& pod, const PodCpus& cpus, std::vector<std::string>& conflicts) const {
    const auto tell = [&](const CpuSet& which, std::string_view now) {
      if (which.empty()) return;
      conflicts.push_back(
          Concat(pod.name, " has CPUs ", ListOf(which), ", which are ", now, "; it keeps them until it ends"));
    };
    tell(cpus.own - node_.online, "offline now");
    tell(cpus.own & node_.reserved, "reserved now");
    tell((cpus.own & node_.online) - node_.shared, "isolated or of no zone now");
  }

  const NodeCpus& node_;
  const std::vector<LivePod>& all_;
  const PodSets& before_;
  Books books_;
};

}  // namespace

PodCpus Had(ContainerSets containers) {
  PodCpus had;
  for (const auto& [name, cpus] : containers) had.own |= cpus;
  had.containers = std::move(containers);
  return had;
}

Assignment Assign(const NodeCpus& node, const std::vector<LivePod>& pods, const PodSets& before) {
  return Assigner(node, pods, before).Run();
}

Place PlaceOf(const NodeCpus& node, const Assignment& assignment, const LivePod& pod, const LiveContainer& container) {
  Place place;
  place.cpus = assignment.shared;
  if (pod.ask.exclude_reserved && !(place.cpus - node.reserved).empty()) place.cpus -= node.reserved;
  place.why = pod.ask.why;
  if (pod.ask.pool == Pool::kShared) return place;
  if (container.cpus == 0) {
    place.why = "its CPU request is no whole number, or is not its limit";
    return place;
  }
  machine::Ids zones;
  for (const ZoneShare& share : pod.ask.zones) zones.push_back(share.zone);
  if (pod.ask.pool == Pool::kNuma) {
    CpuSet cpus;
    for (const int id : zones) {
      if (const ZoneCpus* zone = node.Zone(id)) cpus |= zone->assignable - assignment.exclusive;
    }
    if (cpus.empty()) {
      place.why = "nothing is left to share in its zones";
      return place;
    }
    place.pool = Pool::kNuma;
    place.cpus = std::move(cpus);
  } else {
    const auto at = assignment.pods.find(pod.uid);
    if (at == assignment.pods.end()) return place;
    const auto own = at->second.containers.find(container.name);
    const CpuSet online = own == at->second.containers.end() ? CpuSet() : own->second & node.online;
    place.why = at->second.why;
    if (online.empty()) {
      if (place.why.empty())
        place.why = "other containers of its pod have all CPUs that the topology-result gives the pod";
      return place;
    }
    if (online.Count() < container.cpus && place.why.empty()) {
      place.why = Concat("it asks for ", Number(container.cpus), " CPUs, of which ", Number(online.Count()),
                         " are online and left of what the topology-result gives its pod");
    }
    place.pool = pod.ask.pool;
    place.cpus = online;
  }
  if (!pod.ask.memory_zones.empty()) place.mems = MemoryZones(node, pod.ask.memory_zones);
  return place;
}

}  // namespace huygens::pinning
