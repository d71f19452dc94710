// What Account learns of pods whose zones it does not know, and when it ceases to believe what it predicted.
#include <algorithm>

#include "kubelet/account.h"
#include "kubelet/possible_zones.h"
#include "kubelet/published.h"

namespace huygens::kubelet {

namespace {

bool Has(const std::vector<cluster::ZoneAmount>& zones) { return !zones.empty(); }

// The last of the pod's zones, and the first, by id, as zones are ordered.
int Last(const std::vector<cluster::ZoneAmount>& zones) { return zones.back().zone; }
int First(const std::vector<cluster::ZoneAmount>& zones) { return zones.front().zone; }

// Of the zones in which CPUs are.
ZoneMask PositionsOf(const std::vector<Zone>& zones, const std::vector<cluster::ZoneAmount>& amounts) {
  ZoneMask mask = 0;
  for (const cluster::ZoneAmount& each : amounts) {
    for (size_t z = 0; z < zones.size(); ++z) {
      if (zones[z].id == each.zone && each.amount.Get(kCpu) > 0) mask |= ZoneBit(z);
    }
  }
  return mask;
}

int64_t LastingCpus(const Pod& pod) {
  int64_t cpus = 0;
  for (const Container& each : pod.containers) cpus += each.kind == Container::Kind::kInit ? 0 : each.cpus;
  return cpus;
}

}  // namespace

// Of the zones that suit a container of one zone kubelet takes the lowest. So what becomes free in a zone that is not
// below the pod's changes nothing, but for how many CPUs init containers leave behind in this very zone.
bool Account::StandsWithout(const NodeBook& node, const Entry& entry, const Entry& leaver) {
  if (!leaver.takes() || entry.pod->start_time) return true;
  if (!entry.takes() || !InOneZone(node.published, *entry.wants)) return false;
  if (!InOneZone(node.published, *leaver.wants)) return false;  // it may have spanned zones of which it took nothing
  const std::vector<cluster::ZoneAmount>& zones = entry.Predicted();
  const std::vector<cluster::ZoneAmount>& freed = Has(leaver.Observed()) ? leaver.Observed() : leaver.Predicted();
  if (zones.empty() || freed.empty() || (leaver.doubtful && !Has(leaver.Observed()))) return false;
  if (!Plausible(node.published, {.pod = *leaver.wants, .zones = freed})) return false;
  return entry.wants->reuses_cpus ? Last(zones) < First(freed) : Last(zones) <= First(freed);
}

void Account::DoubtWithout(NodeBook& node, const Entry& entry) {
  for (Entry& each : node.here) each.doubtful = each.doubtful || !StandsWithout(node, each, entry);
}

void Account::Learn(NodeBook& node) {
  auto hides = [](const Entry& entry) { return entry.takes() && entry.wants->reuses_cpus; };
  if (!node.predicts || std::none_of(node.here.begin(), node.here.end(), hides)) return;
  const std::optional<Matched> matched = Match(node);
  // Without a fingerprint an object may be of any moment, and what one pod took another may have given up: it tells
  // something only while none comes and goes.
  auto stays = [&](const Entry& entry) {
    return !entry.takes() || (!entry.pod->deleting && Contained(node, matched, entry));
  };
  if (!matched && (node.fingerprint || !std::all_of(node.here.begin(), node.here.end(), stays))) return;
  if (!NarrowLeft(node, matched, true)) (void)NarrowLeft(node, matched, false);
}

// False if the object contradicts what is believed.
bool Account::NarrowLeft(NodeBook& node, const std::optional<Matched>& matched, bool believe_predictions) {
  const std::vector<Zone>& zones = node.published.zones;
  Machine shown = node.published, known = Emptied(node.published);
  std::vector<HiddenPod> pods;
  std::vector<Entry*> entries;
  int64_t lasting = 0;
  auto add = [&](Entry& entry) {
    const Holding holding = HoldingOf(node, entry);
    lasting += LastingCpus(*entry.wants);
    const bool observed = Has(holding.zones) && holding.zones == entry.Observed();
    if (Has(holding.zones) && (believe_predictions || observed)) {
      // How a container that spans zones was divided nobody knows.
      if (observed || InOneZone(node.published, *entry.wants)) ChargeShown(known, holding);
      // Nor how many CPUs init containers left behind, but at least how many.
      return ChargeSurelyHidden(shown, {.pod = *entry.wants, .left = PositionsOf(zones, holding.zones)});
    }
    pods.push_back({entry.wants.get(), entry.left});
    entries.push_back(&entry);
  };
  for (Entry& entry : node.here) {
    if (entry.takes() && Contained(node, matched, entry)) add(entry);
  }
  if (matched) {
    for (Entry& entry : node.gone) {
      if (entry.takes() && entry.since <= matched->first && matched->last < entry.until) add(entry);
    }
    for (Entry& entry : node.leaving) {
      if (entry.takes() && entry.since <= matched->first) add(entry);
    }
  }
  // The object must show what these pods show, neither more nor less.
  ShownCpus room;
  int64_t used = 0;
  for (size_t z = 0; z < zones.size(); ++z) {
    used += zones[z].cpu_allocatable - zones[z].cpu_free;
    room.used.push_back(known.zones[z].cpu_free - zones[z].cpu_free);
    room.free.push_back(shown.zones[z].cpu_free);
  }
  if (used != lasting) return true;
  const Deal deal = NarrowZones(node.published, room, pods);
  if (deal == Deal::kUnsure) return true;
  for (size_t i = 0; i < pods.size(); ++i) {
    if (deal == Deal::kFound) entries[i]->left = pods[i].possible;
    if (believe_predictions) continue;
    // Nobody knows what is wrong: nothing that was learnt holds.
    if (deal == Deal::kNone) entries[i]->left = ~ZoneMask{0};
    const std::vector<cluster::ZoneAmount>& predicted = entries[i]->Predicted();
    if (deal == Deal::kFound && Has(predicted) && (entries[i]->left & PositionsOf(zones, predicted)) == 0) {
      entries[i]->doubtful = true;  // it is elsewhere
    }
  }
  return deal == Deal::kFound;
}

}  // namespace huygens::kubelet
