#include "wire/zone_attributes.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "base/quantity.h"
#include "base/text.h"
#include "base/time.h"
#include "wire/unknown_annotations.h"

namespace huygens::wire {
namespace {

using cluster::Core;
using cluster::Zone;

Status SetOfflineCapacity(std::string_view text, Zone& zone) {
  HUYGENS_ASSIGN_OR_RETURN(Quantity quantity, Quantity::Parse(text));
  if (quantity.Sign() < 0) return Invalid("is negative");
  zone.offline_cpu = BaseUnits(kCpu, quantity);
  return absl::OkStatus();
}

Status SetOfflineUpdated(std::string_view text, Zone& zone) {
  HUYGENS_ASSIGN_OR_RETURN(zone.offline_updated, ParseRfc3339(text));
  return absl::OkStatus();
}

Status SetMemoryGroup(std::string_view text, Zone& zone) {
  std::vector<int> group;
  for (const absl::string_view part : absl::StrSplit(ToAbsl(text), ',')) {
    const std::string_view name = ToStd(part);
    std::optional<int> id = cluster::ParseZoneId(name);
    if (!id) return Invalid(Concat("zone \"", CutText(name, 40), "\" has no number in its name"));
    group.push_back(*id);
  }
  std::sort(group.begin(), group.end());
  group.erase(std::unique(group.begin(), group.end()), group.end());
  if (!std::binary_search(group.begin(), group.end(), zone.id)) return Invalid("does not name the zone itself");
  zone.memory_group = std::move(group);
  return absl::OkStatus();
}

StatusOr<uint16_t> ParseCpu(std::string_view text) {
  uint16_t cpu = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cpu);
  if (error == std::errc() && end == text.data() + text.size()) return cpu;
  return Invalid(Concat("\"", CutText(text, 40), "\" is no CPU number"));
}

// "3" or "2-3", appended to `core`.
Status AddCpuRange(std::string_view text, Core& core) {
  // One core has a handful of threads; a wide range is a zone's list in the wrong place.
  constexpr int kMaxThreads = 64;
  size_t dash = text.find('-');
  HUYGENS_ASSIGN_OR_RETURN(int first, ParseCpu(text.substr(0, dash)));
  int last = first;
  if (dash != std::string_view::npos) {
    HUYGENS_ASSIGN_OR_RETURN(last, ParseCpu(text.substr(dash + 1)));
  }
  if (last < first) return Invalid(Concat("range \"", CutText(text, 40), "\" runs backwards"));
  if (last - first >= kMaxThreads - static_cast<int>(core.size()))
    return Invalid(Concat("range \"", CutText(text, 40), "\" is too wide for a core"));
  for (int cpu = first; cpu <= last; ++cpu) core.push_back(static_cast<uint16_t>(cpu));
  return absl::OkStatus();
}

Status SetCores(std::string_view text, Zone& zone) {
  // A short text can name many: what is read of it is bounded before it is looked at as a whole.
  constexpr size_t kCpuNumbers = 1 << 16;
  zone.cores.clear();
  if (text.empty()) return absl::OkStatus();
  std::vector<uint16_t> all;
  for (const absl::string_view list : absl::StrSplit(ToAbsl(text), ';')) {
    Core& core = zone.cores.emplace_back();
    for (const absl::string_view range : absl::StrSplit(list, ',')) {
      HUYGENS_RETURN_IF_ERROR(AddCpuRange(ToStd(range), core));
    }
    std::sort(core.begin(), core.end());
    all.insert(all.end(), core.begin(), core.end());
    if (all.size() > kCpuNumbers) return Invalid("more CPUs than there are numbers");
  }
  std::sort(all.begin(), all.end());
  auto twice = std::adjacent_find(all.begin(), all.end());
  if (twice != all.end()) return Invalid(Concat("CPU ", std::to_string(*twice), " is listed twice"));
  std::sort(zone.cores.begin(), zone.cores.end());
  return absl::OkStatus();
}

using Setter = Status (*)(std::string_view text, Zone& zone);
constexpr std::pair<std::string_view, Setter> kSetters[] = {
    {"offline_capacity", SetOfflineCapacity},
    {"offline_capacity_updated", SetOfflineUpdated},
    {"memoryGroup", SetMemoryGroup},
    {"huygens.dev/cores", SetCores},
};

}  // namespace

Status SetZoneAttributes(const TextPairs& attributes, Zone& zone, std::string& misspelt) {
  std::vector<std::string_view> names;
  for (const auto& known : kSetters) names.push_back(known.first);
  for (const auto& [name, text] : attributes) {
    if (misspelt.empty()) misspelt = KeyFault("attribute", name, names, {}, "");
    for (const auto& [known, set] : kSetters) {
      if (name != known) continue;
      if (Status status = set(text, zone); !status.ok()) {
        return Annotate(status, Concat(name, " \"", CutText(text, 40), "\""));
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace huygens::wire
