#include "capacity_writer/list_map.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/text.h"
#include "json/reader.h"

namespace huygens::capacity_writer {
namespace {

using cluster::TopologySource;

// Follows a path of members, each within the one before, and has the last one read.
template <typename Read>
Status Within(JsonReader& in, std::span<const std::string_view> path, const Read& read) {
  if (path.empty()) return read(in);
  return in.Members([&](const JsonKey& key) {
    return key.text == path.front() ? Within(in, path.subspan(1), read) : absl::OkStatus();
  });
}

Status ReadListType(JsonReader& in, bool& is_map) {
  std::string type;
  std::vector<std::string> keys;
  HUYGENS_RETURN_IF_ERROR(in.Members([&](const JsonKey& key) {
    if (key.text == "x-kubernetes-list-type") return in.Read(type);
    if (key.text != "x-kubernetes-list-map-keys") return absl::OkStatus();
    return ReadList(in, keys, [&](std::string& each) { return in.Read(each); });
  }));
  is_map = type == "map" && keys == std::vector<std::string>{"name"};
  return absl::OkStatus();
}

}  // namespace

StatusOr<bool> ZonesAreMap(std::string_view definition, TopologySource source) {
  constexpr std::string_view kZones[] = {"schema", "openAPIV3Schema", "properties", "zones"};
  constexpr std::string_view kAttributes[] = {"items", "properties", "attributes"};
  const std::string_view version = source == TopologySource::kCrane ? "v1alpha1" : "v1alpha2";
  std::optional<bool> result;
  const auto read_version = [&](JsonReader& in) -> Status {
    std::string name;
    bool zones = false, attributes = source == TopologySource::kCrane;  // a map of texts is one that is shared
    const std::string_view text = in.Skip();
    HUYGENS_ASSIGN_OR_RETURN(JsonReader names, JsonReader::Open(text));
    HUYGENS_RETURN_IF_ERROR(names.Fields("name", name));
    if (name != version) return absl::OkStatus();
    HUYGENS_ASSIGN_OR_RETURN(JsonReader whole, JsonReader::Open(text));
    HUYGENS_RETURN_IF_ERROR(Within(whole, kZones, [&](JsonReader& list) -> Status {
      const std::string_view schema = list.Skip();
      HUYGENS_ASSIGN_OR_RETURN(JsonReader type, JsonReader::Open(schema));
      HUYGENS_RETURN_IF_ERROR(ReadListType(type, zones));
      if (source == TopologySource::kCrane) return absl::OkStatus();
      HUYGENS_ASSIGN_OR_RETURN(JsonReader items, JsonReader::Open(schema));
      return Within(items, kAttributes, [&](JsonReader& inner) { return ReadListType(inner, attributes); });
    }));
    result = zones && attributes;
    return absl::OkStatus();
  };
  constexpr std::string_view kVersions[] = {"spec", "versions"};
  struct Nothing {};
  const auto read = DecodeObject<Nothing>(definition, [&](JsonReader& in, Nothing&) {
    return Within(in, kVersions,
                  [&](JsonReader& list) { return list.Elements([&](size_t) { return read_version(list); }); });
  });
  if (!read.ok()) return read.status();
  if (!result) return Invalid(Concat("the definition has no version ", version));
  return *result;
}

}  // namespace huygens::capacity_writer
