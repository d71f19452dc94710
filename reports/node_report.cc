#include "reports/node_report.h"

#include <algorithm>

#include "admin_api/sentences.h"
#include "base/quantity.h"
#include "reports/nodes_now.h"
#include "reports/table.h"
#include "reports/when.h"

namespace huygens::reports {

namespace {

using admin_api::NodeDocument;

constexpr size_t kMostPods = 40;

std::string_view Meaning(const NodeDocument& node) {
  if (node.mode == "managed") {
    return node.single_numa ? "managed: huygens chooses zones, one for each pod that does not say otherwise"
                            : "managed: huygens chooses zones";
  }
  if (node.mode == "kubelet" && node.kubelet.empty() && node.defect.empty()) {
    return "kubelet: its object says that kubelet pins, and nothing that huygens could predict it by: every pod passes "
           "the zones, and gets none from huygens";
  }
  if (node.mode == "kubelet") return "kubelet: kubelet pins, huygens predicts what it will do";
  if (node.mode == "unusable") return "unusable: pods that ask for zones are refused until its object is mended";
  return "none: no NodeResourceTopology, so it has no zones";
}

// "8", or with several resources "8 cpu, 64Gi memory"
std::string AmountsText(const admin_api::Amounts& amounts) {
  if (amounts.size() == 1 && amounts.front().first == "cpu") return amounts.front().second;
  std::string text;
  for (const auto& [resource, amount] : amounts) text += Concat(text.empty() ? "" : ", ", amount, " ", resource);
  return text;
}

std::string CpuOf(const admin_api::Amounts& amounts) {
  for (const auto& [resource, amount] : amounts) {
    if (resource == "cpu") return amount;
  }
  return "";
}

// What counts of a zone whose real capacity is out of date, by what it can give.
std::string_view CountsOf(const NodeDocument::Zone& zone) {
  const std::string gives = CpuOf(zone.effective.value_or(admin_api::Amounts()));
  if (gives == CpuOf(zone.allocatable)) return "what it claims counts";
  return gives == zone.offline_cpu ? "that figure goes on counting" : "it counts for nothing";
}

// Of a zone that only pods name.
std::string_view Absence(const NodeDocument& node) {
  if (!node.defect.empty()) return "counts for nothing while the object cannot be used";
  if (node.mode == "none") return "its object is gone; counts again when it is back";
  return "not in the object any more; counts again when it is back";
}

std::string Remark(const NodeDocument& node, const NodeDocument::Zone& zone, Time now) {
  std::string text;
  const auto add = [&](std::string_view remark) { text += Concat(text.empty() ? "" : "; ", remark); };
  if (zone.absent) add(Absence(node));
  if (!zone.offline_cpu.empty()) add(Concat("real capacity ", zone.offline_cpu, " cpu"));
  if (zone.stale) {
    const auto updated = ParseRfc3339(zone.offline_updated);
    add(Concat("that is out of date", updated.ok() ? Concat(", of ", When(*updated, now)) : std::string(), ": ",
               CountsOf(zone), " (topology.realCapacity.whenStale)"));
  }
  if (zone.cores) {
    add(Concat(std::to_string(zone.whole_cores.value_or(0)), " of ", std::to_string(*zone.cores), " cores unused"));
  }
  return zone.stale ? Concat("! ", text) : text;
}

std::string ZoneTable(const NodeDocument& node, Time now) {
  const bool kubelet = node.mode == "kubelet";
  Table table(kubelet ? std::vector<std::string>{"  ZONE", "ALLOCATABLE", "AVAILABLE (OBJECT)", "FREE", "NOTE"}
                      : std::vector<std::string>{"  ZONE", "CAN GIVE", "USED", "FREE", "NOTE"});
  for (const NodeDocument::Zone& zone : node.zones) {
    const bool published = kubelet && !zone.absent;
    std::vector<std::string> row{
        Concat("  ", zone.name),
        AmountsText(published ? zone.allocatable : zone.effective.value_or(admin_api::Amounts())),
        AmountsText((published ? zone.available : zone.used).value_or(admin_api::Amounts())), AmountsText(zone.free)};
    if (std::string remark = Remark(node, zone, now); !remark.empty()) row.push_back(std::move(remark));
    table.AddRow(std::move(row));
  }
  return table.Text();
}

std::string How(const NodeDocument::Pod& pod) {
  if (!pod.reservation.empty()) {
    return Concat(pod.reservation, ": ",
                  pod.reservation == "reserved" ? "its Binding is on the way"
                  : pod.reservation == "held"   ? "promised to a pod of a gang, which is not bound yet"
                                                : "bound, not seen");
  }
  if (pod.counted == "published") return "in what the object says";
  if (pod.counted == "observed") return "zones seen on the node";
  if (pod.counted == "predicted") return "zones as predicted";
  return pod.counted == "everyZone" ? "zones unknown: charged to each" : "";
}

std::string PodTable(const NodeDocument& node) {
  Table table({"  POD", "HOLDS", "NOTE"});
  size_t shown = 0, holding = 0;
  std::vector<std::string> names;  // of those without zones
  for (const NodeDocument::Pod& pod : node.pods) {
    if (pod.zones.empty() && pod.counted.empty()) {
      names.push_back(pod.pod);
      continue;
    }
    if (++holding > kMostPods) continue;
    ++shown;
    std::vector<std::string> row{Concat("  ", pod.pod), ToText(pod.zones)};
    if (std::string how = How(pod); !how.empty()) row.push_back(std::move(how));
    table.AddRow(std::move(row));
  }
  const size_t without = names.size();
  std::string text = shown == 0 ? "" : Concat("\n", table.Text());
  if (holding > shown) text += Concat("  ... and ", std::to_string(holding - shown), " more; -o json lists all\n");
  if (without == 0) return text;
  text += Concat("  ", std::to_string(without), without == 1 ? " pod" : " pods", " without zones: ", FirstNames(names),
                 "; `huygens explain ", names.front(), "` says why\n");
  return text;
}

// "requested 30200m of 32 cpu, 1800m left for kube-scheduler; 10 of it by default/search-1, which holds no zones"
std::string RequestsLine(const NodeDocument& node) {
  const auto has = Quantity::Parse(CpuOf(node.allocatable)), requested = Quantity::Parse(CpuOf(node.requested));
  if (!has.ok() || !requested.ok()) return "";
  const auto text = [](int64_t milli) { return Quantity::FromMilli(milli).Canonical(); };
  int64_t without = 0, most = 0, pods = 0;
  std::string_view largest;
  for (const NodeDocument::Pod& pod : node.pods) {
    const auto cpu = Quantity::Parse(CpuOf(pod.requests));
    if (!cpu.ok() || cpu->Sign() <= 0 || !pod.zones.empty() || !pod.counted.empty()) continue;
    without = SaturatingAdd(without, cpu->MilliValue());
    ++pods;
    if (cpu->MilliValue() <= most) continue;
    most = cpu->MilliValue();
    largest = pod.pod;
  }
  const int64_t all = std::max<int64_t>(0, has->MilliValue()), taken = std::max<int64_t>(0, requested->MilliValue());
  const int64_t left = std::max<int64_t>(0, all - taken);
  std::string line = Concat("requested ", requested->Canonical(), " of ", has->Canonical(), " cpu, ", text(left),
                            " left for kube-scheduler");
  if (pods == 1) line += Concat("; ", text(without), " of it by ", largest, ", which holds no zones");
  if (pods > 1) {
    line += Concat("; ", text(without), " of it by ", std::to_string(pods), " pods that hold no zones, most by ",
                   largest, ": ", text(most));
  }
  return line + "\n";
}

std::string LossLine(const NodeDocument& node) {
  if (!node.loss_left_seconds || !node.loss_grace_seconds) {
    return "! its NodeResourceTopology was deleted; pods that need zones wait for it, for topology.lossGrace at most\n";
  }
  return Concat("! ",
                admin_api::LossText(std::chrono::seconds(*node.loss_left_seconds),
                                    std::chrono::seconds(*node.loss_grace_seconds)),
                ", then the node counts as one without\n");
}

}  // namespace

std::string ToText(const std::vector<admin_api::ZoneShare>& zones) {
  std::string text;
  for (const admin_api::ZoneShare& zone : zones) {
    text += Concat(text.empty() ? "" : ", ", zone.name, ":");
    for (const auto& [resource, amount] : zone.amount) text += Concat(" ", amount, " ", resource);
  }
  return text;
}

std::string NodeZonesText(const NodeDocument& node, Time now) {
  std::string text = Concat("zones: ", Meaning(node), "\n");
  if (!node.known)
    text += "! there is no Node object of this name (any more): only pods or a topology object name it\n";
  if (node.lost_topology) text += LossLine(node);
  if (!node.defect.empty()) text += Concat("! its NodeResourceTopology cannot be used: ", node.defect, "\n");
  for (const std::string& notice : node.notices) text += Concat("! ", notice, "\n");
  if (const auto written = ParseRfc3339(node.topology_written); written.ok()) {
    text += Concat("its topology object was written ", When(*written, now), "\n");
  }
  text += RequestsLine(node);
  if (!node.zones.empty()) text += Concat("\n", ZoneTable(node, now));
  return text + PodTable(node);
}

}  // namespace huygens::reports
