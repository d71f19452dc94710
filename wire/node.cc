#include "wire/node.h"

#include "wire/json_reader.h"
#include "wire/node_annotations.h"
#include "wire/resources.h"

namespace huygens::wire {

namespace {

Status ReadAnnotations(JsonReader& in, const ResourceNames& names, cluster::Node& node) {
  if (in.Next() == JsonType::kNull) {
    node.real_allocatable = {};
    node.usage_ceilings.clear();
  }
  return in.Members([&](const JsonKey& key) -> Status {
    const bool capacity = key.text == "huygens.dev/real-allocatable",
               ceilings = key.text == "huygens.dev/usage-ceilings";
    if (!capacity && !ceilings) return absl::OkStatus();
    std::string text;
    HUYGENS_RETURN_IF_ERROR(in.Read(text));
    if (capacity) node.real_allocatable = ParseRealAllocatable(text, names);
    if (ceilings) node.usage_ceilings = ParseUsageCeilings(text);
    return absl::OkStatus();
  });
}

}  // namespace

StatusOr<cluster::Node> DecodeNode(std::string_view json, ResourceNames& names) {
  auto node = DecodeObject<cluster::Node>(json, [&](JsonReader& in, cluster::Node& out) {
    return in.Members([&](const JsonKey& part) {
      if (part.Is("metadata")) {
        return in.Members([&](const JsonKey& key) {
          if (key.Is("name")) return in.Read(out.name);
          if (key.Is("uid")) return in.Read(out.uid);
          if (key.Is("annotations")) return ReadAnnotations(in, names, out);
          if (!key.Is("labels")) return absl::OkStatus();
          if (in.Next() == JsonType::kNull) out.labels.clear();
          return ReadTextMap(in, out.labels);
        });
      }
      if (!part.Is("status")) return absl::OkStatus();
      return in.Members([&](const JsonKey& key) {
        return key.Is("allocatable") ? ReadResourceList(in, names, out.allocatable) : absl::OkStatus();
      });
    });
  });
  if (!node.ok()) return node;
  if (node->name.empty()) return Invalid("metadata.name is missing");
  SortByKey(node->labels);
  return node;
}

}  // namespace huygens::wire
