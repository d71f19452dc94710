#include "wire/topology.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/quantity.h"
#include "base/text.h"
#include "json/reader.h"
#include "wire/object_meta.h"
#include "wire/resources.h"
#include "wire/zone_attributes.h"

namespace huygens::wire {
namespace {

using cluster::NodeTopology;
using cluster::Zone;

// A zone before it is known whether it is one of type Node and how the zones named in its costs are numbered.
struct NamedZone {
  Zone zone;
  std::string type;
  std::vector<std::pair<std::string, int32_t>> costs;
  TextPairs attributes;
};

// Where names of resources come from, and what happened to the last for which there was no room.
struct Names {
  ResourceNames& table;
  Status left_out;
};

// Crane has a map, the community a list of {name, value}; either is read for both. A list may name one twice: which of
// these counts is for whoever reads it to say.
Status ReadAttributes(JsonReader& in, TextPairs& out) {
  out.clear();
  if (in.Next() != JsonType::kArray) return ReadTextMap(in, out);
  return ReadList(in, out, [&](std::pair<std::string, std::string>& attribute) {
    return in.Fields("name", attribute.first, "value", attribute.second);
  });
}

// Crane: {"capacity":{...},"allocatable":{...}}.
Status ReadZoneResourceMaps(JsonReader& in, Names& names, Zone& zone) {
  const auto read = [&](ResourceVector& amounts) {
    return [&] { return ReadResourceList(in, names.table, amounts, &names.left_out); };
  };
  const auto capacity = read(zone.capacity), allocatable = read(zone.allocatable);
  return in.Fields("capacity", capacity, "allocatable", allocatable);
}

// Community: [{"name":"cpu","capacity":"32","allocatable":"30","available":"26"}].
Status ReadZoneResource(JsonReader& in, Names& names, Zone& zone) {
  std::string name;
  std::optional<Quantity> capacity, allocatable, available;
  HUYGENS_RETURN_IF_ERROR(in.Fields(
      "name", name, "capacity", [&] { return ReadQuantity(in, capacity.emplace()); }, "allocatable",
      [&] { return ReadQuantity(in, allocatable.emplace()); }, "available",
      [&] { return ReadQuantity(in, available.emplace()); }));
  const StatusOr<ResourceId> id = names.table.Intern(name);
  if (!id.ok()) {  // the row is lost; what else the zone has is not
    names.left_out = id.status();
    return absl::OkStatus();
  }
  if (capacity) zone.capacity.Set(*id, BaseUnits(*id, *capacity));
  if (allocatable) zone.allocatable.Set(*id, BaseUnits(*id, *allocatable));
  if (available) zone.available.Set(*id, BaseUnits(*id, *available));
  return absl::OkStatus();
}

Status ReadZone(JsonReader& in, Names& names, NamedZone& out) {
  return in.Members([&](const JsonKey& key) {
    if (key.Is("name")) return in.Read(out.zone.name);
    if (key.Is("type")) return in.Read(out.type);
    if (key.Is("parent")) return in.Read(out.zone.parent);
    if (key.Is("attributes")) return ReadAttributes(in, out.attributes);
    if (key.Is("costs")) {
      return ReadList(in, out.costs, [&](std::pair<std::string, int32_t>& cost) {
        return in.Fields("name", cost.first, "value", cost.second);
      });
    }
    if (!key.Is("resources")) return absl::OkStatus();
    if (in.Next() == JsonType::kObject) return ReadZoneResourceMaps(in, names, out.zone);
    return in.Elements([&](size_t) { return ReadZoneResource(in, names, out.zone); });
  });
}

// metadata.managedFields: the newest entry of whoever wrote the zones. A time that cannot be read is no defect.
Status ReadManagedFields(JsonReader& in, std::optional<Time>& written) {
  return in.Elements([&](size_t) -> Status {
    std::string time;
    bool zones = false;
    HUYGENS_RETURN_IF_ERROR(in.Members([&](const JsonKey& part) -> Status {
      if (part.Is("time")) return in.Read(time);
      if (!part.Is("fieldsV1")) return absl::OkStatus();
      return in.Members([&](const JsonKey& field) {
        zones = zones || field.text == "f:zones";
        return absl::OkStatus();
      });
    }));
    auto parsed = ParseRfc3339(time);
    if (zones && parsed.ok()) written = std::max(written.value_or(*parsed), *parsed);
    return absl::OkStatus();
  });
}

// metadata of either kind. `fingerprint` takes the annotation in which exporters wrote it before it was an attribute.
Status ReadMetadata(JsonReader& in, NodeTopology& out, std::string& fingerprint) {
  return in.Members([&](const JsonKey& key) -> Status {
    if (key.Is("name")) return in.Read(out.node_name);
    if (key.Is("managedFields")) return ReadManagedFields(in, out.written);
    if (key.Is("annotations")) {
      return in.Members([&](const JsonKey& annotation) {
        return annotation.text == "topology.node.k8s.io/fingerprint" ? in.Read(fingerprint) : absl::OkStatus();
      });
    }
    if (!key.Is("ownerReferences")) return absl::OkStatus();
    out.owner_uid.clear();
    return in.Elements([&](size_t) -> Status {
      std::string kind, uid;
      HUYGENS_RETURN_IF_ERROR(in.Fields("kind", kind, "uid", uid));
      if (kind == "Node" && out.owner_uid.empty()) out.owner_uid = uid;
      return absl::OkStatus();
    });
  });
}

constexpr std::string_view kCommunityPrefix = "node-";

// "node-1", where upstream's plugin reads the number as Go's Atoi does ("node-01", "node-+1"), "node1" and "1".
std::optional<int> ParseCommunityZoneId(std::string_view name) {
  if (name.starts_with(kCommunityPrefix)) {
    name.remove_prefix(kCommunityPrefix.size());
    if (name.starts_with('+')) name.remove_prefix(1);
  } else if (name.starts_with("node")) {
    name.remove_prefix(4);
  }
  if (name.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  return cluster::ParseZoneId(name);
}

std::optional<int> ZoneIdOf(std::string_view name, cluster::TopologySource source) {
  return source == cluster::TopologySource::kCommunity ? ParseCommunityZoneId(name) : cluster::ParseZoneId(name);
}

void SetCosts(NamedZone& named, cluster::TopologySource source) {
  for (const auto& [name, distance] : named.costs) {
    if (std::optional<int> id = ZoneIdOf(name, source)) named.zone.costs.emplace_back(*id, distance);
  }
  // The first of two costs to one zone counts.
  auto by_zone = [](const auto& a, const auto& b) { return a.first < b.first; };
  auto same_zone = [](const auto& a, const auto& b) { return a.first == b.first; };
  std::stable_sort(named.zone.costs.begin(), named.zone.costs.end(), by_zone);
  named.zone.costs.erase(std::unique(named.zone.costs.begin(), named.zone.costs.end(), same_zone),
                         named.zone.costs.end());
}

// More than any machine has, in base units: a pebibyte, say.
constexpr int64_t kMostOfZone = int64_t{1} << 50;

// Whoever wrote them: a zone's amounts are from 0 to what a machine may have.
Status CheckAmounts(const Zone& zone, const ResourceNames& names) {
  using Amounts = std::pair<std::string_view, const ResourceVector*>;
  for (const auto& [field, amounts] : {Amounts("capacity", &zone.capacity), Amounts("allocatable", &zone.allocatable),
                                       Amounts("available", &zone.available)}) {
    for (const auto& [resource, amount] : *amounts) {
      if (amount >= 0 && amount <= kMostOfZone) continue;
      return Invalid(Concat("zone ", zone.name, ": ", field, " of ", names.Name(resource), " is ",
                            amount < 0 ? "negative" : "more than any machine has"));
    }
  }
  return absl::OkStatus();
}

bool HasNoAmount(const Zone& zone) {
  return zone.capacity.empty() && zone.allocatable.empty() && zone.available.empty();
}

// What kubelet cannot have, or huygens not hold. `zones` are ordered by id.
Status CheckZones(const std::vector<Zone>& zones, const ResourceNames& names, bool zones_count) {
  if (zones.size() > cluster::kMaxZones) {
    return Invalid(
        Concat(std::to_string(zones.size()), " zones; at most ", std::to_string(cluster::kMaxZones), " are supported"));
  }
  auto by_id = [](const Zone& zone, int id) { return zone.id < id; };
  int64_t cpus = 0;
  for (size_t i = 0; i < zones.size(); ++i) {
    const Zone& zone = zones[i];
    HUYGENS_RETURN_IF_ERROR(CheckAmounts(zone, names));
    if (i > 0 && zones[i - 1].id == zone.id) {
      return Invalid(Concat("zones ", zones[i - 1].name, " and ", zone.name, " have the same number"));
    }
    for (int id : zone.memory_group) {
      auto at = std::lower_bound(zones.begin(), zones.end(), id, by_id);
      if (at != zones.end() && at->id == id) continue;
      return Invalid(Concat("zone ", zone.name, ": memoryGroup names zone ", std::to_string(id), ", which is none"));
    }
    const int64_t milli = std::max({zone.capacity.Get(kCpu), zone.allocatable.Get(kCpu), zone.available.Get(kCpu)});
    cpus = SaturatingAdd(cpus, milli / 1000);
  }
  if (zones_count && std::all_of(zones.begin(), zones.end(), HasNoAmount))
    return Invalid("no zone says how much it has of anything");
  if (cpus <= cluster::kMaxCpus) return absl::OkStatus();
  return Invalid(Concat(std::to_string(cpus), " CPUs; at most ", std::to_string(cluster::kMaxCpus), " are supported"));
}

// Fills out.zones; an error is a defect of the object.
Status TakeZones(std::vector<NamedZone> named, const ResourceNames& names, NodeTopology& out, Status& ignored) {
  const bool community = out.source == cluster::TopologySource::kCommunity;
  // Upstream's plugin knows no other spelling. Where this one is used, zones of another are none of kubelet's.
  const bool spelt_out =
      community && std::any_of(named.begin(), named.end(), [&](const NamedZone& one) {
        return one.type == "Node" && one.zone.name.starts_with(kCommunityPrefix) && ZoneIdOf(one.zone.name, out.source);
      });
  Status nameless;
  for (NamedZone& one : named) {
    if (one.type != "Node") continue;
    Zone& zone = one.zone;
    if (spelt_out && !zone.name.starts_with(kCommunityPrefix)) continue;
    std::optional<int> id = ZoneIdOf(zone.name, out.source);
    if (!id) {
      nameless.Update(
          Invalid(Concat("zone \"", CutText(zone.name, 40),
                         community ? "\" is not called node-N, nor is any other" : "\" has no number in its name")));
      if (!community) return nameless;
      continue;
    }
    zone.id = *id;
    SetCosts(one, out.source);
    std::string misspelt;
    if (Status status = SetZoneAttributes(one.attributes, zone, misspelt); !status.ok())
      return Annotate(status, Concat("zone ", zone.name));
    if (!misspelt.empty()) ignored.Update(Invalid(Concat("zone ", zone.name, ": ", misspelt)));
    out.zones.push_back(std::move(zone));
  }
  // Where kubelet pins, nobody gets a zone for want of amounts: the community's plugin takes such objects, too.
  const bool zones_count = out.pinned_by_agent;
  if (out.zones.empty()) {
    if (nameless.ok() && zones_count) return Invalid("there is no zone of type Node in it");
    return nameless;
  }
  std::sort(out.zones.begin(), out.zones.end(), [](const Zone& a, const Zone& b) { return a.id < b.id; });
  return CheckZones(out.zones, names, zones_count);
}

void SortByName(TextPairs& attributes) {
  std::stable_sort(attributes.begin(), attributes.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
}

void SetDefect(const Status& status, NodeTopology& out) {
  out.defect = std::string(Message(status));
  out.zones.clear();
}

// Reads the fields that both kinds have; `read_own(in, key)` reads the others.
template <typename ReadOwn>
StatusOr<NodeTopology> Decode(std::string_view json, ResourceNames& table, Status* left_out, NodeTopology out,
                              ReadOwn&& read_own) {
  Names names{table, {}};
  std::vector<NamedZone> zones;
  std::string fingerprint;
  auto decoded = DecodeObject<NodeTopology>(json, [&](JsonReader& in, NodeTopology&) {
    return in.Members([&](const JsonKey& key) {
      if (key.Is("metadata")) return ReadMetadata(in, out, fingerprint);
      if (key.Is("attributes")) return ReadAttributes(in, out.attributes);
      if (key.Is("zones")) return ReadList(in, zones, [&](NamedZone& zone) { return ReadZone(in, names, zone); });
      return read_own(in, key, out);
    });
  });
  constexpr std::string_view kFingerprint = "nodeTopologyPodsFingerprint";
  auto is_fingerprint = [&](const auto& attribute) { return attribute.first == kFingerprint; };
  if (!fingerprint.empty() && std::none_of(out.attributes.begin(), out.attributes.end(), is_fingerprint)) {
    out.attributes.emplace_back(kFingerprint, std::move(fingerprint));
  }
  SortByName(out.attributes);
  if (!decoded.ok()) {  // if it says which node it is about, that node must not pass as one without topology
    auto meta = DecodeObjectMeta(json);
    if (!meta.ok() || meta->name.empty()) return decoded.status();
    out.node_name = meta->name;
    SetDefect(decoded.status(), out);
    return out;
  }
  if (out.node_name.empty()) return Invalid("metadata.name is missing");
  if (Status status = TakeZones(std::move(zones), table, out, names.left_out); !status.ok()) SetDefect(status, out);
  if (left_out != nullptr) *left_out = std::move(names.left_out);
  return out;
}

}  // namespace

StatusOr<NodeTopology> DecodeCraneTopology(std::string_view json, ResourceNames& names, Status* left_out) {
  NodeTopology topology;
  topology.source = cluster::TopologySource::kCrane;
  topology.single_numa = true;  // the default of the CRD, which the API server fills in but a manifest may lack
  return Decode(json, names, left_out, std::move(topology), [](JsonReader& in, const JsonKey& key, NodeTopology& out) {
    if (!key.Is("craneManagerPolicy")) return absl::OkStatus();
    return in.Members([&](const JsonKey& policy) -> Status {
      std::string text;
      if (policy.Is("cpuManagerPolicy")) {
        HUYGENS_RETURN_IF_ERROR(in.Read(text));
        out.pinned_by_agent = text == "Static";
      } else if (policy.Is("topologyManagerPolicy")) {
        HUYGENS_RETURN_IF_ERROR(in.Read(text));
        out.single_numa = text.empty() || text == "SingleNUMANodePodLevel";
      }
      return absl::OkStatus();
    });
  });
}

StatusOr<NodeTopology> DecodeCommunityTopology(std::string_view json, ResourceNames& names, Status* left_out) {
  constexpr std::string_view kDeprecated = "topologyPolicies";
  NodeTopology topology;
  topology.source = cluster::TopologySource::kCommunity;
  std::vector<std::string> policies;
  auto decoded =
      Decode(json, names, left_out, std::move(topology), [&](JsonReader& in, const JsonKey& key, NodeTopology&) {
        if (!key.Is(kDeprecated)) return absl::OkStatus();
        return ReadList(in, policies, [&](std::string& policy) { return in.Read(policy); });
      });
  if (!decoded.ok() || policies.empty()) return decoded;
  for (const auto& [name, value] : decoded->attributes) {
    if (name == kDeprecated) return decoded;
  }
  std::string joined;
  for (size_t i = 0; i < policies.size(); ++i) joined += i == 0 ? policies[i] : Concat(",", policies[i]);
  decoded->attributes.emplace_back(kDeprecated, std::move(joined));
  SortByName(decoded->attributes);
  return decoded;
}

}  // namespace huygens::wire
