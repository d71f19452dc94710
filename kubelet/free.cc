// What Account works out to be free, and the questions it answers about that.
#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "kubelet/account.h"
#include "kubelet/published.h"

namespace huygens::kubelet {

namespace {

bool NotSeenByKubelet(const cluster::Pod& pod) { return !pod.start_time; }

// What pods that left are given back never makes more free than there is. A zone holds no memory if neither its own nor
// that of a group with it is in use.
void Cap(Machine& machine) {
  ZoneMask used = 0;
  for (size_t i = 0; i < machine.zones.size(); ++i) {
    machine.zones[i].cpu_free = std::min(machine.zones[i].cpu_free, machine.zones[i].cpu_allocatable);
    for (MemoryResource& row : machine.memory) {
      MemoryResource::Zone& memory = row.zones[i];
      memory.free = std::min(memory.free, memory.allocatable);
      if (memory.free < memory.allocatable) used |= ZoneBit(i);
    }
  }
  ZoneMask held = used;
  for (const Zone& zone : machine.zones) {
    if ((used & zone.memory_group) != 0) held |= zone.memory_group;
  }
  for (size_t i = 0; i < machine.zones.size(); ++i) {
    if ((held & ZoneBit(i)) != 0) continue;
    Zone& zone = machine.zones[i];
    zone.memory_blocks = 0;
    zone.memory_group = ZoneBit(i);
  }
  for (DeviceResource& row : machine.devices) {
    for (DeviceGroup& group : row.groups) group.free = std::min(group.free, group.total);
  }
}

// The zone with the most CPUs, then the most memory, that may take single-zone memory.
Account::Room Roomiest(const Machine& machine) {
  Account::Room most;
  if (machine.options.full_cores_only) return most;          // free CPUs may be halves of cores
  if (machine.options.distribute_across_zones) return most;  // kubelet may begin with more zones than one
  const auto memory = std::find_if(machine.memory.begin(), machine.memory.end(),
                                   [](const MemoryResource& row) { return row.resource == kMemory; });
  const bool counts = machine.options.static_memory && memory != machine.memory.end();
  for (size_t i = 0; i < machine.zones.size(); ++i) {
    if (machine.zones[i].memory_group != ZoneBit(i)) continue;
    const Account::Room room{machine.options.static_cpus ? machine.zones[i].cpu_free : INT64_MAX,
                             counts ? memory->zones[i].free : INT64_MAX};
    if (std::tie(room.cpus, room.memory) > std::tie(most.cpus, most.memory)) most = room;
  }
  return most;
}

}  // namespace

Holding Account::HoldingOf(const NodeBook& node, const Entry& entry) {
  Holding holding{
      .pod = *entry.wants, .zones = entry.Observed(), .started = entry.pod->phase != cluster::PodPhase::kPending};
  if (!holding.zones.empty() && Plausible(node.published, holding)) return holding;
  holding.zones = entry.Predicted();
  const bool others_leave =
      std::any_of(node.leaving.begin(), node.leaving.end(), [](const Entry& e) { return e.takes(); });
  const bool doubtful = entry.doubtful || (others_leave && entry.until == 0 && NotSeenByKubelet(*entry.pod));
  if (doubtful || !Plausible(node.published, holding)) holding.zones.clear();
  return holding;
}

std::optional<Account::Matched> Account::Match(const NodeBook& node) {
  if (!node.fingerprint) return std::nullopt;
  std::optional<Matched> matched;
  auto consider = [&](const Set& set) {
    if (set.fingerprint != *node.fingerprint) return;
    matched = Matched{matched ? matched->first : set.number, set.number};
  };
  for (const Set& set : node.sets) consider(set);
  cluster::HashedPods set = node.set;
  uint64_t number = node.number;
  for (const Entry& entry : node.leaving) {
    if (!InSet(node, entry)) continue;
    set.Remove(entry.name_hash);
    consider({++number, set.Fingerprint()});
  }
  return matched;
}

bool Account::Contained(const NodeBook& node, const std::optional<Matched>& matched, const Entry& entry) {
  if (matched && entry.since <= matched->first) return true;
  if (matched && entry.since > matched->last) return false;
  if (!entry.pod->start_time) return false;
  return !node.written || *entry.pod->start_time + kExporterMargin <= *node.written;
}

// Whether the zones of all pods that the object contains are known and add up to what it says is in use: then they are
// where they were predicted to be.
bool Account::Confirmed(const NodeBook& node, const Matched& matched) {
  Machine expected = Emptied(node.published);
  auto take = [&](const Entry& entry, bool contained) {
    if (!entry.takes() || !contained) return true;
    const Holding holding = HoldingOf(node, entry);
    if (holding.zones.empty()) return false;
    ChargeShown(expected, holding);
    return true;
  };
  for (const Entry& entry : node.here) {
    if (!take(entry, Contained(node, matched, entry))) return false;
  }
  for (const Entry& entry : node.gone) {
    if (!take(entry, entry.since <= matched.first && matched.last < entry.until)) return false;
  }
  for (const Entry& entry : node.leaving) {
    if (!take(entry, entry.since <= matched.first)) return false;
  }
  for (size_t i = 0; i < expected.zones.size(); ++i) {
    if (expected.zones[i].cpu_free != node.published.zones[i].cpu_free) return false;
  }
  return expected.memory == node.published.memory;
}

void Account::Count(NodeBook& node) {
  node.counted = true;
  node.most_counted = false;
  node.free = node.published;
  const std::optional<Matched> matched = Match(node);
  // Fixed order: where memory of several pods spans different zones, the last one decides about the group.
  std::sort(node.here.begin(), node.here.end(), [](const Entry& a, const Entry& b) { return a.pod->uid < b.pod->uid; });
  for (const Entry& entry : node.here) {
    if (!entry.takes()) continue;
    const bool contained = Contained(node, matched, entry);
    if (contained && (entry.all_shown || node.shows_init)) continue;
    contained ? ChargeHidden(node.free, HoldingOf(node, entry)) : ChargeAll(node.free, HoldingOf(node, entry));
  }
  if (matched && Confirmed(node, *matched)) {
    uint64_t number = node.number;
    auto give_back = [&](const Entry& entry, uint64_t until) {
      const bool contained = entry.since <= matched->first && matched->last < until;
      if (entry.takes() && contained) Credit(node.free, HoldingOf(node, entry));
    };
    for (const Entry& entry : node.gone) give_back(entry, entry.until);
    for (const Entry& entry : node.leaving) give_back(entry, InSet(node, entry) ? ++number : number);
  }
  Cap(node.free);
  CountOfNoZone(node, node.free);
  node.roomiest = Roomiest(node.free);
}

Machine Account::CountMost(const NodeBook& node) {
  Machine most = node.published;
  const std::optional<Matched> matched = Match(node);
  for (const Entry& entry : node.here) {
    if (!entry.takes()) continue;
    const Holding holding = HoldingOf(node, entry);
    const bool may_have_left = entry.pod->deleting;
    const bool surely_not_contained =
        matched ? entry.since > matched->last : entry.reserved && entry.since > node.arrived;
    if (Contained(node, matched, entry)) {
      if (may_have_left) {
        CreditMost(most, holding);
      } else if (!node.shows_init) {
        ChargeHidden(most, holding);
      }
    } else if (surely_not_contained && !may_have_left && !holding.zones.empty()) {
      ChargeAll(most, holding);
    }
  }
  auto may_be_contained = [&](const Entry& entry) {
    return entry.takes() && (!matched || (entry.since <= matched->last && matched->first < entry.until));
  };
  for (const Entry& entry : node.gone) {
    if (may_be_contained(entry)) CreditMost(most, HoldingOf(node, entry));
  }
  for (const Entry& entry : node.leaving) {
    if (entry.takes()) CreditMost(most, HoldingOf(node, entry));
  }
  Cap(most);
  CountOfNoZone(node, most);  // no bounds: they bind no container to a zone
  return most;
}

void Account::CountOfNoZone(const NodeBook& node, Machine& machine) {
  if (!HasDevicesOfNoZone(machine)) return;
  ResourceVector held;
  for (const Entry& entry : node.here) {
    if (entry.takes()) held.Add(entry.wants->devices);
  }
  CountDevicesOfNoZone(machine, held);
}

const Account::NodeBook& Account::Counted(NodeIndex index) const {
  NodeBook& node = nodes_[index];
  if (!node.counted) Count(node);
  return node;
}

const Machine* Account::MostFree(NodeIndex index) const {
  NodeBook& node = nodes_[index];
  if (!std::exchange(node.most_counted, true)) {
    node.most_free = CountMost(node);
    if (node.most_free == node.free) node.most_free.reset();
  }
  return node.most_free ? &*node.most_free : nullptr;
}

const Machine& Account::Free(NodeIndex node) const { return Counted(node).free; }

Machine Account::FreeWithout(NodeIndex index, absl::FunctionRef<bool(const cluster::Pod&)> gone) const {
  NodeBook node = nodes_[index];
  auto first_gone =
      std::stable_partition(node.here.begin(), node.here.end(), [&](const Entry& entry) { return !gone(*entry.pod); });
  std::move(first_gone, node.here.end(), std::back_inserter(node.leaving));
  node.here.erase(first_gone, node.here.end());
  Count(node);
  return std::move(node.free);
}

bool Account::SurelyFitsOne(NodeIndex index, const Request& request) const {
  if (!request.plain) return false;
  const NodeBook& node = Counted(index);
  return request.cpus <= node.roomiest.cpus && request.memory <= node.roomiest.memory;
}

Prediction Account::Predict(NodeIndex index, const Request& request) const {
  const NodeBook& node = Counted(index);
  SearchSteps steps(node.free.zones.size());
  Prediction at_least = kubelet::Predict(node.free, request.pod, steps);
  // More room can make kubelet refuse: an init container goes to a lower zone, which those after it must then cover.
  if (!at_least.Admitted() || request.pod.containers.size() < 2) return at_least;
  const Machine* most_free = MostFree(index);
  if (most_free == nullptr) return at_least;
  Prediction at_most = kubelet::Predict(*most_free, request.pod, steps);
  return at_most.Admitted() ? at_least : at_most;
}

std::vector<cluster::ZoneAmount> Account::PredictZones(NodeIndex index, const Request& request) const {
  const NodeBook& node = Counted(index);
  const Prediction at_least = kubelet::Predict(node.free, request.pod);
  const Machine* most_free = MostFree(index);
  if (most_free != nullptr && kubelet::Predict(*most_free, request.pod).charge != at_least.charge) return {};
  return ZonesOf(node.free, at_least.charge);
}

Prediction Account::PredictEmpty(NodeIndex node, const Request& request) const {
  return kubelet::Predict(Emptied(nodes_[node].published), request.pod);
}

std::vector<Account::PodFigures> Account::Pods(NodeIndex index) const {
  if (!Predicts(index)) return {};
  const NodeBook& node = Counted(index);
  const std::optional<Matched> matched = Match(node);
  std::vector<PodFigures> figures;
  for (const Entry& entry : node.here) {
    if (!entry.takes()) continue;
    const Holding holding = HoldingOf(node, entry);
    PodFigures& pod = figures.emplace_back();
    pod.uid = entry.pod->uid;
    pod.contained = Contained(node, matched, entry);
    pod.known = !holding.zones.empty();
    if (holding.zones == entry.Observed()) pod.observed = entry.Observed();
  }
  return figures;
}

}  // namespace huygens::kubelet
