#include "agent/machine_drawing.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <tuple>

#include "kubelet_api/kubelet_differences.h"

namespace huygens::agent {

namespace {

using machine::Core;
using machine::FormatIdList;
using machine::Ids;
using machine::Machine;
using machine::Zone;

constexpr size_t kColumns = 100;
constexpr int64_t kKbOfMib = 1024, kKbOfGib = 1024 * kKbOfMib;
constexpr int64_t kLastLevelFrom = 3;  // caches below belong to a core or two: not drawn
constexpr size_t kDifferences = 5;

std::string Plural(size_t count, std::string_view one) {
  return Concat(std::to_string(count), " ", one, count == 1 ? "" : "s");
}

// "30.9 GiB", "2 MiB", "64 KiB".
std::string Size(int64_t kb) {
  if (kb < kKbOfMib) return Concat(std::to_string(kb), " KiB");
  const bool large = kb >= kKbOfGib;
  const int64_t unit = large ? kKbOfGib : kKbOfMib;
  char text[32];
  std::snprintf(text, sizeof text, kb % unit == 0 ? "%.0f" : "%.1f",
                static_cast<double>(kb) / static_cast<double>(unit));
  return Concat(text, large ? " GiB" : " MiB");
}

// Cores side by side, in columns of one width.
std::string Rows(const std::vector<std::string>& cells, std::string_view indent) {
  size_t width = 0;
  for (const std::string& cell : cells) width = std::max(width, cell.size());
  const size_t per_row = std::max<size_t>(1, (kColumns - indent.size()) / (width + 1));
  std::string out;
  for (size_t i = 0; i < cells.size(); ++i) {
    const bool first = i % per_row == 0, last = (i + 1) % per_row == 0 || i + 1 == cells.size();
    out += Concat(first ? indent : " ", cells[i]);
    out += last ? "\n" : std::string(width - cells[i].size(), ' ');
  }
  return out;
}

class Drawing {
 public:
  explicit Drawing(const Machine& machine) : machine_(machine) {}

  std::string Draw(const StatusOr<kubelet_api::KubeletMachine>& kubelet) {
    Head();
    for (const Zone& zone : machine_.zones) DrawZone(zone);
    if (!machine_.without_zone.empty()) {
      out_ += "\nwithout zone\n";
      DrawCores(machine_.without_zone);
    }
    DrawDistances();
    DrawKubelet(kubelet);
    for (const std::string& notice : machine_.notices) out_ += Concat("! ", notice, "\n");
    return std::move(out_);
  }

 private:
  void Head() {
    std::set<size_t> threads;
    for (const Core& core : machine_.cores) threads.insert(core.cpus.size());
    std::string per_core;
    for (const size_t count : threads) per_core += Concat(per_core.empty() ? "" : " or ", std::to_string(count));
    out_ += Concat(Plural(machine_.zones.size(), "zone"), ", ", Plural(machine_.packages.size(), "package"), ", ",
                   Plural(machine_.cores.size(), "core"), ", ", Plural(machine_.online.size(), "CPU"), " online (",
                   per_core, threads == std::set<size_t>{1} ? " thread" : " threads", " a core)\n");
    const Ids offline = machine::Without(machine_.present, machine_.online);
    if (!offline.empty()) out_ += Concat("offline: CPUs ", FormatIdList(offline), "\n");
    if (!machine_.isolated.empty()) {
      out_ += Concat("isolated: CPUs ", FormatIdList(machine_.isolated), ", marked * below\n");
    }
  }

  void DrawZone(const Zone& zone) {
    out_ += Concat("\nzone ", std::to_string(zone.id), "  ");
    if (zone.cpus.empty()) {
      out_ += Concat("no CPUs", zone.claimed.empty() ? "" : " of its own", Nearest(zone));
    } else {
      out_ += Concat(Plural(zone.cpus.size(), "CPU"), " (", FormatIdList(zone.cpus), ")");
    }
    out_ += Concat("\n  memory ", zone.memory_kb ? Size(*zone.memory_kb) : "unknown");
    if (zone.memory_tier) out_ += Concat(", tier ", std::to_string(*zone.memory_tier));
    for (const machine::HugePages& pages : zone.huge_pages) {
      if (pages.count == 0) continue;
      out_ += Concat(", ", std::to_string(pages.count), " pages of ", Size(pages.page_kb));
      if (pages.free) out_ += Concat(" (", std::to_string(*pages.free), " free)");
    }
    out_ += "\n";
    DrawCores(zone.cpus);
  }

  // Which zone with CPUs is the nearest to one that has none.
  std::string Nearest(const Zone& zone) const {
    if (zone.distances.size() != machine_.zones.size()) return "";
    const Zone* nearest = nullptr;
    int64_t distance = 0;
    for (size_t i = 0; i < machine_.zones.size(); ++i) {
      const Zone& other = machine_.zones[i];
      if (other.cpus.empty() || (nearest != nullptr && zone.distances[i] >= distance)) continue;
      nearest = &other;
      distance = zone.distances[i];
    }
    if (nearest == nullptr) return "";
    return Concat(", nearest to zone ", std::to_string(nearest->id), " (distance ", std::to_string(distance), ")");
  }

  // The cores that have their lowest CPU in `cpus`, by package and last-level cache.
  void DrawCores(const Ids& cpus) {
    using Group = std::tuple<std::optional<int64_t>, const machine::Cache*>;
    std::vector<std::pair<Group, std::vector<std::string>>> groups;
    for (const Core& core : machine_.cores) {
      if (!machine::Has(cpus, core.cpus.front())) continue;
      const Group group(core.package, LastLevelCache(core.cpus.front()));
      auto at = std::ranges::find(groups, group, [](const auto& each) { return each.first; });
      if (at == groups.end()) at = groups.insert(at, {group, {}});
      at->second.push_back(Cell(core));
    }
    for (const auto& [group, cells] : groups) {
      const auto& [package, cache] = group;
      out_ += Concat("  package ", package ? std::to_string(*package) : "unknown");
      if (cache != nullptr) {
        out_ += Concat(", L", std::to_string(cache->level), cache->kb ? Concat(" ", Size(*cache->kb)) : "");
      }
      out_ += Concat(", ", Plural(cells.size(), "core"), "\n", Rows(cells, "    "));
    }
  }

  const machine::Cache* LastLevelCache(int cpu) const {
    const machine::Cache* last = nullptr;
    for (const machine::Cache& cache : machine_.caches) {
      if (cache.level < kLastLevelFrom || !machine::Has(cache.cpus, cpu)) continue;
      if (last == nullptr || cache.level > last->level) last = &cache;
    }
    return last;
  }

  std::string Cell(const Core& core) const {
    std::string cell = "[";
    for (const int cpu : core.cpus) {
      if (cell.size() > 1) cell += ' ';
      cell += Concat(std::to_string(cpu), machine::Has(machine_.isolated, cpu) ? "*" : "");
    }
    return cell + "]";
  }

  void DrawDistances() {
    const auto told = [&](const Zone& zone) { return zone.distances.size() == machine_.zones.size(); };
    if (machine_.zones.size() < 2 || !std::ranges::all_of(machine_.zones, told)) return;
    size_t width = 0;
    for (const Zone& zone : machine_.zones) {
      width = std::max(width, std::to_string(zone.id).size());
      for (const int64_t distance : zone.distances) width = std::max(width, std::to_string(distance).size());
    }
    const auto cell = [&](const std::string& text) { return Concat(std::string(width + 1 - text.size(), ' '), text); };
    out_ += Concat("\ndistances\n  ", cell(""));
    for (const Zone& zone : machine_.zones) out_ += cell(std::to_string(zone.id));
    for (const Zone& zone : machine_.zones) {
      out_ += Concat("\n  ", cell(std::to_string(zone.id)));
      for (const int64_t distance : zone.distances) out_ += cell(std::to_string(distance));
    }
    out_ += "\n";
  }

  void DrawKubelet(const StatusOr<kubelet_api::KubeletMachine>& kubelet) {
    out_ += "\n";
    if (!kubelet.ok()) {
      out_ += Concat("! kubelet finds no zones here: ", Message(kubelet.status()), "\n");
      return;
    }
    const std::vector<std::string> differences = kubelet_api::KubeletDifferences(machine_, *kubelet);
    if (differences.empty()) {
      out_ += "kubelet sees the same zones and cores\n";
      return;
    }
    out_ += "kubelet sees this machine differently:\n";
    for (size_t i = 0; i < std::min(kDifferences, differences.size()); ++i) {
      out_ += Concat("  ", differences[i], "\n");
    }
    if (differences.size() > kDifferences) {
      out_ += Concat("  and ", std::to_string(differences.size() - kDifferences), " more\n");
    }
  }

  const Machine& machine_;
  std::string out_;
};

}  // namespace

std::string DrawMachine(const Machine& machine, const StatusOr<kubelet_api::KubeletMachine>& kubelet) {
  return Drawing(machine).Draw(kubelet);
}

}  // namespace huygens::agent
