#include "wire/pod_annotations.h"

#include <algorithm>
#include <initializer_list>
#include <string>

#include "absl/strings/ascii.h"
#include "json/reader.h"
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

Status ReadResultEntry(JsonReader& in, const PodResourceNames& names, ResultEntry& entry) {
  const auto read_capacity = [&] { return ReadKnownResources(in, names, entry.capacity); };
  return in.Fields("name", entry.name, "type", entry.type, "resources",
                   [&] { return in.Fields("capacity", read_capacity); });
}

StatusOr<std::vector<ResultEntry>> DecodeResult(std::string_view text, const PodResourceNames& names) {
  HUYGENS_ASSIGN_OR_RETURN(JsonReader in, JsonReader::Open(text));
  std::vector<ResultEntry> entries;
  HUYGENS_RETURN_IF_ERROR(ReadList(in, entries, [&](ResultEntry& entry) { return ReadResultEntry(in, names, entry); }));
  return entries;
}

bool AnyNegative(const ResourceVector& amounts) {
  return std::any_of(amounts.begin(), amounts.end(), [](const auto& entry) { return entry.second < 0; });
}

// Ordered by zone, entries of one zone added up.
std::vector<cluster::ZoneAmount> ByZone(std::vector<cluster::ZoneAmount> zones) {
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

// {"name":"node0","cpu":"2","memory":"4Gi"}, or as in a topology-result,
// {"name":"node0","type":"Node","attributes":{...},"resources":{"capacity":{"cpu":"2","memory":"4Gi"}}}
Status ReadMarkedZone(JsonReader& in, const PodResourceNames& names, cluster::ZoneAmount& zone) {
  HUYGENS_RETURN_IF_ERROR(in.Members([&](const JsonKey& key) -> Status {
    if (key.text == "name") {
      std::string name;
      HUYGENS_RETURN_IF_ERROR(in.Read(name));
      zone.zone = cluster::ParseZoneId(name).value_or(-1);
      return absl::OkStatus();
    }
    if (key.text == "type" || key.text == "attributes") return absl::OkStatus();
    if (key.text == "resources") {
      return in.Fields("capacity", [&] { return ReadKnownResources(in, names, zone.amount); });
    }
    std::optional<ResourceId> resource = names.Find(key.text);
    if (!resource) return absl::OkStatus();
    Quantity amount;
    HUYGENS_RETURN_IF_ERROR(ReadQuantity(in, amount));
    zone.amount.Set(*resource, BaseUnits(*resource, amount));
    return absl::OkStatus();
  }));
  return zone.zone < 0 || AnyNegative(zone.amount) ? Invalid("not a share of a zone") : absl::OkStatus();
}

// Empty if any of it cannot be read, or promises a negative amount.
std::vector<cluster::ZoneAmount> MarkedZones(std::string_view json, const PodResourceNames& names) {
  auto in = JsonReader::Open(json);
  std::vector<cluster::ZoneAmount> zones;
  if (!in.ok() || !ReadList(*in, zones, [&](auto& zone) { return ReadMarkedZone(*in, names, zone); }).ok()) return {};
  return ByZone(std::move(zones));
}

// As Kubernetes: what huygens writes of a pod's labels is made of such values. The annotation could be of any length,
// and a model makes a key of quota for each of its parts.
bool IsLabelValue(std::string_view text) {
  constexpr size_t kMost = 63;
  const auto ends = [](char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)); };
  return text.empty() ||
         (text.size() <= kMost && ends(text.front()) && ends(text.back()) &&
          std::ranges::all_of(text, [&](char c) { return ends(c) || c == '-' || c == '_' || c == '.'; }));
}

bool AreLabelValues(const cluster::QuotaLabels& labels) {
  return IsLabelValue(labels.group) && IsLabelValue(labels.cpu_model) && IsLabelValue(labels.gpu_model) &&
         IsLabelValue(labels.memory_model);
}

// {"cpu":"A4","gpu":"A100.80GB"}
Status ReadMarkedModels(JsonReader& in, cluster::QuotaLabels& labels) {
  return in.Fields("cpu", labels.cpu_model, "gpu", labels.gpu_model, "memory", labels.memory_model);
}

}  // namespace

cluster::CpuPolicy ParseCpuPolicy(std::string_view text) {
  if (text == "none") return cluster::CpuPolicy::kNone;
  if (text == "exclusive") return cluster::CpuPolicy::kExclusive;
  if (text == "numa") return cluster::CpuPolicy::kNuma;
  if (text == "immovable") return cluster::CpuPolicy::kImmovable;
  return cluster::CpuPolicy::kUnset;
}

cluster::Smt ParseSmt(std::string_view text) {
  if (text == "spread") return cluster::Smt::kSpread;
  if (text == "pack") return cluster::Smt::kPack;
  if (text == "isolate") return cluster::Smt::kIsolate;
  return cluster::Smt::kUnset;
}

std::optional<bool> ParseBoolWord(std::string_view text) {
  if (OneOf(text, {"1", "t", "T", "true", "TRUE", "True"})) return true;
  if (OneOf(text, {"0", "f", "F", "false", "FALSE", "False"})) return false;
  return std::nullopt;
}

std::vector<cluster::ZoneAmount> ParseTopologyResult(std::string_view text, const PodResourceNames& names) {
  auto entries = DecodeResult(text, names);
  if (!entries.ok()) return {};
  std::vector<cluster::ZoneAmount> zones;
  for (ResultEntry& entry : *entries) {
    std::optional<int> id = cluster::ParseZoneId(entry.name);
    if (entry.type != "Node" || !id) continue;
    if (AnyNegative(entry.capacity)) return {};
    zones.push_back({*id, std::move(entry.capacity)});
  }
  return ByZone(std::move(zones));
}

Boxed<cluster::PlacementMark> ParsePlacementMark(std::string_view text, const PodResourceNames& names) {
  cluster::QuotaLabels labels;
  bool of_zones = false;
  auto mark = DecodeObject<cluster::PlacementMark>(text, [&](JsonReader& in, cluster::PlacementMark& out) {
    return in.Members([&](const JsonKey& key) {
      if (key.Is("uid")) return in.Read(out.uid);
      if (key.Is("node")) return in.Read(out.node);
      if (key.Is("group")) return in.Read(labels.group);
      if (key.Is("models")) return ReadMarkedModels(in, labels);
      if (key.Is("zones")) {
        of_zones = true;
        out.zones = MarkedZones(in.Skip(), names);
      }
      return absl::OkStatus();
    });
  });
  if (!mark.ok() || mark->uid.empty() || mark->node.empty()) return {};
  mark->of_zones = of_zones;
  if (!labels.group.empty() && AreLabelValues(labels)) {
    mark->quota = std::make_shared<const cluster::QuotaLabels>(std::move(labels));
  }
  return *std::move(mark);
}

}  // namespace huygens::wire
