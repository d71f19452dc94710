#include "capacity_writer/zone_object.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/quantity.h"
#include "base/text.h"
#include "json/reader.h"

namespace huygens::capacity_writer {
namespace {

using cluster::TopologySource;
using real_capacity::Attributes;
using Names = std::set<std::string, std::less<>>;
using OwnedNames = std::map<std::string, Names, std::less<>>;  // of attributes, by zone

// Crane has a map, the community a list of {name, value}.
Status ReadAttributes(JsonReader& in, Attributes& out) {
  out.clear();
  if (in.Next() != JsonType::kArray) {
    return in.Members([&](const JsonKey& key) { return in.Read(out.emplace_back(key.text, "").second); });
  }
  return ReadList(in, out, [&](std::pair<std::string, std::string>& attribute) {
    return in.Fields("name", attribute.first, "value", attribute.second);
  });
}

// A quantity of CPUs as text or number; what cannot be read is 0, for it is no more than a name of formulas.
Status ReadCpus(JsonReader& in, int64_t& out) {
  std::string text;
  if (in.Next() == JsonType::kNumber) {
    text = std::string(in.Skip());
  } else {
    HUYGENS_RETURN_IF_ERROR(in.Read(text));
  }
  const auto quantity = Quantity::Parse(text);
  out = quantity.ok() ? quantity->MilliValue() : 0;
  return absl::OkStatus();
}

Status ReadResources(JsonReader& in, ZoneObject::Zone& zone) {
  if (in.Next() == JsonType::kArray) {
    return in.Elements([&](size_t) -> Status {
      std::string name;
      int64_t capacity = 0, allocatable = 0;
      HUYGENS_RETURN_IF_ERROR(in.Fields(
          "name", name, "capacity", [&] { return ReadCpus(in, capacity); }, "allocatable",
          [&] { return ReadCpus(in, allocatable); }));
      if (name != "cpu") return absl::OkStatus();
      zone.capacity = capacity;
      zone.allocatable = allocatable;
      return absl::OkStatus();
    });
  }
  const auto cpu_of = [&in](int64_t& cpus) {
    return [&in, &cpus] {
      return in.Members([&](const JsonKey& key) { return key.text == "cpu" ? ReadCpus(in, cpus) : absl::OkStatus(); });
    };
  };
  const auto capacity = cpu_of(zone.capacity), allocatable = cpu_of(zone.allocatable);
  return in.Fields("capacity", capacity, "allocatable", allocatable);
}

Status ReadZone(JsonReader& in, ZoneObject::Zone& zone) {
  std::string type;
  bool has_resources = false;
  HUYGENS_RETURN_IF_ERROR(in.Members([&](const JsonKey& key) -> Status {
    if (key.Is("name")) return in.Read(zone.name);
    if (key.Is("type")) return in.Read(type);
    if (key.Is("resources")) {
      has_resources = in.Next() != JsonType::kNull;
      return ReadResources(in, zone);
    }
    if (!key.Is("attributes")) return absl::OkStatus();
    zone.has_attributes = in.Next() != JsonType::kNull;
    return ReadAttributes(in, zone.attributes);
  }));
  // One that its agent has given up is left with what others own of it: no amounts.
  zone.counts = type == "Node" && has_resources;
  return absl::OkStatus();
}

// The name in a key of a map list: k:{"name":"node0"}.
std::string NameInKey(std::string_view key) {
  if (!key.starts_with("k:")) return {};
  std::string name;
  auto in = JsonReader::Open(key.substr(2));
  if (!in.ok() || !in->Fields("name", name).ok()) return {};
  return name;
}

// f:attributes of a zone: names of a map, "f:offline_capacity", or keys of a list.
Status ReadOwnedAttributes(JsonReader& in, Names& out) {
  return in.Members([&](const JsonKey& key) {
    if (key.text.starts_with("f:")) {
      out.emplace(key.text.substr(2));
    } else if (std::string name = NameInKey(key.text); !name.empty()) {
      out.insert(std::move(name));
    }
    return absl::OkStatus();
  });
}

Status ReadOwnedFields(JsonReader& in, OwnedNames& out) {
  return in.Members([&](const JsonKey& field) -> Status {
    if (field.text != "f:zones") return absl::OkStatus();
    return in.Members([&](const JsonKey& zone) -> Status {
      const std::string name = NameInKey(zone.text);
      if (name.empty()) return absl::OkStatus();
      return in.Members([&](const JsonKey& part) {
        return part.text == "f:attributes" ? ReadOwnedAttributes(in, out[name]) : absl::OkStatus();
      });
    });
  });
}

// Those that this writer applied.
Status ReadManagedFields(JsonReader& in, OwnedNames& out) {
  return in.Elements([&](size_t) -> Status {
    std::string manager, operation;
    OwnedNames owned;
    HUYGENS_RETURN_IF_ERROR(
        in.Fields("manager", manager, "operation", operation, "fieldsV1", [&] { return ReadOwnedFields(in, owned); }));
    if (manager == kFieldManager && operation == "Apply") out.merge(owned);
    return absl::OkStatus();
  });
}

Status ReadMetadata(JsonReader& in, ZoneObject& out, OwnedNames& owned) {
  return in.Members([&](const JsonKey& key) -> Status {
    if (key.Is("name")) return in.Read(out.name);
    if (key.Is("uid")) return in.Read(out.uid);
    if (key.Is("resourceVersion")) return in.Read(out.resource_version);
    if (key.Is("managedFields")) return ReadManagedFields(in, owned);
    if (!key.Is("ownerReferences")) return absl::OkStatus();
    return in.Elements([&](size_t) -> Status {
      std::string kind, uid;
      HUYGENS_RETURN_IF_ERROR(in.Fields("kind", kind, "uid", uid));
      if (kind == "Node" && out.node_uid.empty()) out.node_uid = uid;
      return absl::OkStatus();
    });
  });
}

// By number: those of type Node that have one and any amount, and others with something of huygens' in them.
Status TakeZones(std::vector<ZoneObject::Zone> zones, OwnedNames owned, ZoneObject& out) {
  std::map<int, std::string> names;
  for (size_t i = 0; i < zones.size(); ++i) {
    ZoneObject::Zone& zone = zones[i];
    zone.index = i;
    if (const auto found = owned.find(zone.name); found != owned.end()) zone.ours = std::move(found->second);
    const std::optional<int> id = cluster::ParseZoneId(zone.name);
    zone.counts = zone.counts && id.has_value();
    if (!zone.counts && zone.ours.empty()) continue;
    zone.id = id.value_or(0);
    if (zone.counts) {
      const auto [other, is_new] = names.emplace(zone.id, zone.name);
      if (!is_new) return Invalid(Concat("zones ", other->second, " and ", zone.name, " have the same number"));
    }
    out.zones.push_back(std::move(zone));
  }
  return absl::OkStatus();
}

}  // namespace

StatusOr<ZoneObject> DecodeZoneObject(std::string_view json, TopologySource source) {
  std::vector<ZoneObject::Zone> zones;
  OwnedNames owned;
  auto object = DecodeObject<ZoneObject>(json, [&](JsonReader& in, ZoneObject& out) {
    return in.Members([&](const JsonKey& key) {
      if (key.Is("metadata")) return ReadMetadata(in, out, owned);
      if (!key.Is("zones")) return absl::OkStatus();
      return ReadList(in, zones, [&](ZoneObject::Zone& zone) { return ReadZone(in, zone); });
    });
  });
  if (!object.ok()) return object.status();
  object->source = source;
  if (object->name.empty() || object->uid.empty()) return Invalid("an object without a name or a UID");
  HUYGENS_RETURN_IF_ERROR(TakeZones(std::move(zones), std::move(owned), *object));
  return object;
}

}  // namespace huygens::capacity_writer
