#include "wire/node.h"

#include "base/text.h"
#include "json/reader.h"
#include "wire/node_annotations.h"
#include "wire/resources.h"
#include "wire/unknown_annotations.h"

namespace huygens::wire {

namespace {

constexpr size_t kQuotedBytes = 200;

// Takes what was parsed from an annotation; where that failed the value of an absent one, and the reason into `fault`.
template <typename Value>
void Take(std::string_view name, std::string_view text, StatusOr<Value> parsed, Value& value, Status& fault) {
  if (!parsed.ok()) {
    fault = Annotate(parsed.status(), Concat("annotation ", name, " is ignored: ", CutText(text, kQuotedBytes)));
  }
  value = parsed.ok() ? *std::move(parsed) : Value();
}

Status ReadAnnotations(JsonReader& in, const ResourceNames& names, cluster::Node& node, Status& fault) {
  if (in.Next() == JsonType::kNull) {
    node.real_allocatable = {};
    node.usage_ceilings.clear();
  }
  return in.Members([&](const JsonKey& key) -> Status {
    const bool capacity = key.text == kRealAllocatableAnnotation, ceilings = key.text == kUsageCeilingsAnnotation;
    if (!capacity && !ceilings) {
      const std::string misspelt = KeyFault("annotation", key.text, kNodeAnnotations, {}, "");
      if (!misspelt.empty() && fault.ok()) fault = Invalid(misspelt);
      return absl::OkStatus();
    }
    std::string text;
    HUYGENS_RETURN_IF_ERROR(in.Read(text));
    if (capacity) Take(key.text, text, ParseRealAllocatable(text, names), node.real_allocatable, fault);
    if (ceilings) Take(key.text, text, ParseUsageCeilings(text), node.usage_ceilings, fault);
    return absl::OkStatus();
  });
}

}  // namespace

StatusOr<cluster::Node> DecodeNode(std::string_view json, ResourceNames& names, Status* ignored) {
  Status fault, left_out;
  auto node = DecodeObject<cluster::Node>(json, [&](JsonReader& in, cluster::Node& out) {
    const auto labels = [&] {
      if (in.Next() == JsonType::kNull) out.labels.clear();
      return ReadTextMap(in, out.labels);
    };
    const auto metadata = [&] {
      return in.Fields(
          "name", out.name, "uid", out.uid, "annotations", [&] { return ReadAnnotations(in, names, out, fault); },
          "labels", labels);
    };
    const auto status = [&] {
      return in.Fields(
          "capacity", [&] { return ReadResourceList(in, names, out.capacity, &left_out); }, "allocatable",
          [&] { return ReadResourceList(in, names, out.allocatable, &left_out); });
    };
    return in.Fields("metadata", metadata, "status", status);
  });
  if (!node.ok()) return node;
  if (node->name.empty()) return Invalid("metadata.name is missing");
  SortByKey(node->labels);
  if (fault.ok()) fault = Annotate(left_out, "status.allocatable");
  if (ignored != nullptr) *ignored = std::move(fault);
  return node;
}

}  // namespace huygens::wire
