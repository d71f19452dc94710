#include "capacity_writer/fact_document.h"

#include <string>

#include "base/text.h"
#include "cluster/objects.h"
#include "json/reader.h"

namespace huygens::capacity_writer {
namespace {

Status ReadZone(JsonReader& in, std::optional<int>& zone) {
  std::string name;
  if (in.Next() == JsonType::kNumber) {
    name = std::string(in.Skip());
  } else {
    HUYGENS_RETURN_IF_ERROR(in.Read(name));
  }
  zone = cluster::ParseZoneId(name);
  if (!zone) return Invalid(Concat("\"", CutText(name, 40), "\" has no number of a zone at its end"));
  return absl::OkStatus();
}

Status ReadFact(JsonReader& in, bool per_zone, real_capacity::Fact& out) {
  std::optional<int> zone;
  bool has_value = false;
  HUYGENS_RETURN_IF_ERROR(in.Fields(
      "node", out.node, "zone", [&] { return ReadZone(in, zone); }, "value",
      [&] {
        has_value = in.Next() == JsonType::kNumber;
        return in.Read(out.value);
      }));
  if (out.node.empty()) return Invalid("node is missing");
  if (!has_value) return Invalid("value is missing");
  if (per_zone && !zone) return Invalid("zone is missing");
  out.zone = per_zone ? *zone : real_capacity::kWholeNode;
  return absl::OkStatus();
}

}  // namespace

StatusOr<FactDocument> DecodeFactDocument(std::string_view json, bool per_zone) {
  bool has_items = false;
  auto document = DecodeObject<FactDocument>(json, [&](JsonReader& in, FactDocument& out) {
    return in.Fields(
        "time", [&] { return ReadTime(in, out.time); }, "items",
        [&] {
          has_items = in.Next() == JsonType::kArray;
          return ReadList(in, out.facts, [&](real_capacity::Fact& fact) { return ReadFact(in, per_zone, fact); });
        });
  });
  if (!document.ok()) return document.status();
  if (!has_items) return Invalid("items is missing");
  return document;
}

}  // namespace huygens::capacity_writer
