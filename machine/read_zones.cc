// Zones: the kernel's NUMA nodes.
#include <algorithm>
#include <charconv>

#include "absl/strings/str_split.h"
#include "machine/read_parts.h"

namespace huygens::machine {

namespace {

constexpr std::string_view kNodes = "sys/devices/system/node";
constexpr std::string_view kTiers = "sys/devices/virtual/memory_tiering";

std::string OfNode(int node, std::string_view file) { return Concat(kNodes, "/node", std::to_string(node), "/", file); }

// All CPUs of a node, also those offline. Old kernels have a mask only.
StatusOr<Ids> CpusOfNode(const SystemFiles& files, int node) {
  HUYGENS_ASSIGN_OR_RETURN(std::optional<Ids> cpus, files.List(OfNode(node, "cpulist")));
  if (cpus) return *std::move(cpus);
  HUYGENS_ASSIGN_OR_RETURN(cpus, files.Mask(OfNode(node, "cpumap")));
  if (cpus) return *std::move(cpus);
  return files.Numbered(OfNode(node, ""), "cpu");  // the links node0/cpu3
}

StatusOr<std::vector<int64_t>> Distances(const SystemFiles& files, const std::string& path) {
  HUYGENS_ASSIGN_OR_RETURN(const std::optional<std::string> text, files.Text(path));
  std::vector<int64_t> distances;
  if (!text) return distances;
  for (const absl::string_view word : absl::StrSplit(ToAbsl(*text), absl::ByAnyChar(" \t\n"), absl::SkipEmpty())) {
    uint32_t distance = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), distance);
    if (error != std::errc() || end != word.data() + word.size()) {
      return files.Unusable(path, *text, "not a row of distances such as \"10 21\"");
    }
    distances.push_back(distance);
  }
  return distances;
}

// `folder` holds a folder hugepages-SIZEkB for each size of pages.
StatusOr<std::vector<HugePages>> ReadHugePages(const SystemFiles& files, const std::string& folder) {
  constexpr std::string_view kBegin = "hugepages-", kEnd = "kB";
  std::vector<HugePages> all;
  HUYGENS_ASSIGN_OR_RETURN(const std::vector<std::string> names, files.Names(folder));
  for (const std::string_view name : names) {
    if (!name.starts_with(kBegin) || !name.ends_with(kEnd)) continue;
    const std::string_view size = name.substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size());
    HugePages pages;
    const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), pages.page_kb);
    if (error != std::errc() || end != size.data() + size.size() || pages.page_kb <= 0) {
      return Invalid(Concat(files.Path(folder), " holds ", name, ", which is no size of pages"));
    }
    const std::string path = Concat(folder, "/", name, "/nr_hugepages");
    HUYGENS_ASSIGN_OR_RETURN(const std::optional<int64_t> count, files.Number(path));
    if (!count) continue;
    if (*count < 0) return files.Unusable(path, std::to_string(*count), "not a count of pages");
    pages.count = *count;
    HUYGENS_ASSIGN_OR_RETURN(pages.free, files.Number(Concat(folder, "/", name, "/free_hugepages")));
    all.push_back(pages);
  }
  std::ranges::sort(all, {}, &HugePages::page_kb);
  return all;
}

StatusOr<Zone> ReadZone(const SystemFiles& files, int node, const Ids& online) {
  Zone zone{.id = node};
  HUYGENS_ASSIGN_OR_RETURN(const Ids cpus, CpusOfNode(files, node));
  zone.claimed = Both(cpus, online);
  HUYGENS_ASSIGN_OR_RETURN(zone.memory_kb, files.MemTotal(OfNode(node, "meminfo")));
  HUYGENS_ASSIGN_OR_RETURN(zone.huge_pages, ReadHugePages(files, OfNode(node, "hugepages")));
  HUYGENS_ASSIGN_OR_RETURN(zone.distances, Distances(files, OfNode(node, "distance")));
  return zone;
}

Status ReadMemoryTiers(const SystemFiles& files, std::vector<Zone>& zones) {
  HUYGENS_ASSIGN_OR_RETURN(const Ids tiers, files.Numbered(kTiers, "memory_tier"));
  for (const int tier : tiers) {
    const std::string path = Concat(kTiers, "/memory_tier", std::to_string(tier), "/nodelist");
    HUYGENS_ASSIGN_OR_RETURN(const std::optional<Ids> nodes, files.List(path));
    for (Zone& zone : zones) {
      if (nodes && Has(*nodes, zone.id)) zone.memory_tier = tier;
    }
  }
  return absl::OkStatus();
}

// Gives each CPU to the lowest of the zones that claim it.
void Share(Machine& machine) {
  Ids left = machine.online, claimed_again;
  for (Zone& zone : machine.zones) {
    zone.cpus = Both(zone.claimed, left);
    left = Without(left, zone.cpus);
    for (const int cpu : Without(zone.claimed, zone.cpus)) claimed_again.push_back(cpu);
  }
  std::ranges::sort(claimed_again);
  claimed_again.erase(std::ranges::unique(claimed_again).begin(), claimed_again.end());
  if (!claimed_again.empty()) {
    machine.notices.push_back(Concat("CPUs ", FormatIdList(claimed_again),
                                     " are listed by several zones; each counts for the zone with the lowest id"));
  }
  machine.without_zone = std::move(left);
  if (!machine.without_zone.empty()) {
    machine.notices.push_back(Concat("CPUs ", FormatIdList(machine.without_zone),
                                     " are online and in no zone: their node is offline, so they are left out"));
  }
}

void CheckDistances(Machine& machine) {
  for (const Zone& zone : machine.zones) {
    if (zone.distances.empty() || zone.distances.size() == machine.zones.size()) continue;
    machine.notices.push_back(Concat("zone ", std::to_string(zone.id), " tells ", std::to_string(zone.distances.size()),
                                     " distances where there are ", std::to_string(machine.zones.size()),
                                     " zones, so that nobody can say which is whose"));
  }
}

}  // namespace

Status ReadZones(const SystemFiles& files, Machine& machine) {
  HUYGENS_ASSIGN_OR_RETURN(Ids nodes, files.Numbered(kNodes, "node"));
  std::erase_if(nodes, [&](int node) { return !files.IsFolder(OfNode(node, "")); });
  for (const int node : nodes) {
    HUYGENS_ASSIGN_OR_RETURN(Zone zone, ReadZone(files, node, machine.online));
    machine.zones.push_back(std::move(zone));
  }
  if (machine.zones.empty()) {
    Zone whole{.claimed = machine.online};
    HUYGENS_ASSIGN_OR_RETURN(whole.memory_kb, files.MemTotal("proc/meminfo"));
    HUYGENS_ASSIGN_OR_RETURN(whole.huge_pages, ReadHugePages(files, "sys/kernel/mm/hugepages"));
    machine.zones.push_back(std::move(whole));
  }
  Share(machine);
  CheckDistances(machine);
  return ReadMemoryTiers(files, machine.zones);
}

}  // namespace huygens::machine
