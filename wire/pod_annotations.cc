#include "wire/pod_annotations.h"

#include <algorithm>
#include <initializer_list>
#include <string>

#include "wire/json_reader.h"
#include "wire/resources.h"

namespace huygens::wire {
namespace {

bool OneOf(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

struct ResultEntry {
  std::string name;
  std::string type;
  ResourceVector capacity;
};

Status ReadResultEntry(JsonReader& in, const ResourceNames& names, ResultEntry& entry) {
  return in.Members([&](const JsonKey& key) {
    if (key.Is("name")) return in.Read(entry.name);
    if (key.Is("type")) return in.Read(entry.type);
    if (!key.Is("resources")) return absl::OkStatus();
    return in.Members([&](const JsonKey& kind) {
      return kind.Is("capacity") ? ReadKnownResources(in, names, entry.capacity) : absl::OkStatus();
    });
  });
}

StatusOr<std::vector<ResultEntry>> DecodeResult(std::string_view text, const ResourceNames& names) {
  HUYGENS_ASSIGN_OR_RETURN(JsonReader in, JsonReader::Open(text));
  std::vector<ResultEntry> entries;
  HUYGENS_RETURN_IF_ERROR(ReadList(in, entries, [&](ResultEntry& entry) { return ReadResultEntry(in, names, entry); }));
  return entries;
}

bool AnyNegative(const ResourceVector& amounts) {
  return std::any_of(amounts.begin(), amounts.end(), [](const auto& entry) { return entry.second < 0; });
}

}  // namespace

cluster::CpuPolicy ParseCpuPolicy(std::string_view text) {
  if (text == "none") return cluster::CpuPolicy::kNone;
  if (text == "exclusive") return cluster::CpuPolicy::kExclusive;
  if (text == "numa") return cluster::CpuPolicy::kNuma;
  if (text == "immovable") return cluster::CpuPolicy::kImmovable;
  return cluster::CpuPolicy::kUnset;
}

std::optional<bool> ParseBoolWord(std::string_view text) {
  if (OneOf(text, {"1", "t", "T", "true", "TRUE", "True"})) return true;
  if (OneOf(text, {"0", "f", "F", "false", "FALSE", "False"})) return false;
  return std::nullopt;
}

std::vector<cluster::ZoneAmount> ParseTopologyResult(std::string_view text, const ResourceNames& names) {
  auto entries = DecodeResult(text, names);
  if (!entries.ok()) return {};
  std::vector<cluster::ZoneAmount> zones;
  for (ResultEntry& entry : *entries) {
    std::optional<int> id = cluster::ParseZoneId(entry.name);
    if (entry.type != "Node" || !id) continue;
    if (AnyNegative(entry.capacity)) return {};
    zones.push_back({*id, std::move(entry.capacity)});
  }
  std::stable_sort(zones.begin(), zones.end(), [](const auto& a, const auto& b) { return a.zone < b.zone; });
  std::vector<cluster::ZoneAmount> merged;
  for (cluster::ZoneAmount& zone : zones) {
    if (!merged.empty() && merged.back().zone == zone.zone) {
      merged.back().amount.Add(zone.amount);
    } else {
      merged.push_back(std::move(zone));
    }
  }
  return merged;
}

std::optional<cluster::PlacementMark> ParsePlacementMark(std::string_view text) {
  auto mark = DecodeObject<cluster::PlacementMark>(text, [](JsonReader& in, cluster::PlacementMark& out) {
    return in.Members([&](const JsonKey& key) {
      if (key.Is("uid")) return in.Read(out.uid);
      if (key.Is("node")) return in.Read(out.node);
      return absl::OkStatus();
    });
  });
  if (!mark.ok() || mark->uid.empty() || mark->node.empty()) return std::nullopt;
  return *std::move(mark);
}

}  // namespace huygens::wire
