#include "wire/node.h"

#include <optional>
#include <string>

#include "base/text.h"
#include "json/reader.h"
#include "wire/node_annotations.h"
#include "wire/resources.h"
#include "wire/unknown_annotations.h"

namespace huygens::wire {

namespace {

constexpr size_t kQuotedBytes = 200;
constexpr size_t kMostKeys = 8;  // that are told of one node

// The texts of annotations, and what is wrong with them; read when all names of resources are known.
struct Annotations {
  std::optional<std::string> capacity, ceilings;
  std::string faults;

  void Add(std::string_view fault) {
    if (!fault.empty()) faults += Concat(faults.empty() ? "" : "; ", fault);
  }
};

Status ReadAnnotations(JsonReader& in, Annotations& out) {
  if (in.Next() == JsonType::kNull) out = {};
  size_t misspelt = 0;
  return in.Members([&](const JsonKey& key) -> Status {
    if (key.text == kRealAllocatableAnnotation) return in.Read(out.capacity.emplace());
    if (key.text == kUsageCeilingsAnnotation) return in.Read(out.ceilings.emplace());
    const std::string fault = misspelt == kMostKeys
                                  ? std::string()
                                  : KeyFault("annotation", key.text, kNodeAnnotations, kNodeLabels, "labels");
    misspelt += fault.empty() ? 0 : 1;
    out.Add(fault);
    return absl::OkStatus();
  });
}

// Takes what was parsed from an annotation; where that failed the value of an absent one.
template <typename Value>
void Take(std::string_view name, std::string_view text, StatusOr<Value> parsed, Value& value,
          Annotations& annotations) {
  if (parsed.ok()) {
    value = *std::move(parsed);
    return;
  }
  const Status fault =
      Annotate(parsed.status(), Concat("annotation ", name, " is ignored: ", CutText(text, kQuotedBytes)));
  annotations.Add(Message(fault));
}

void Take(Annotations& annotations, const ResourceNames& names, cluster::Node& node) {
  if (const auto& text = annotations.capacity) {
    std::string unknown;
    Take(kRealAllocatableAnnotation, *text, ParseRealAllocatable(*text, names, &unknown), node.real_allocatable,
         annotations);
    if (!unknown.empty()) {
      annotations.Add(Concat("annotation ", kRealAllocatableAnnotation, ": nobody has mentioned a resource ",
                             CutText(unknown, kQuotedBytes), ", so it is left out"));
    }
  }
  if (const auto& text = annotations.ceilings) {
    Take(kUsageCeilingsAnnotation, *text, ParseUsageCeilings(*text), node.usage_ceilings, annotations);
  }
}

}  // namespace

StatusOr<cluster::Node> DecodeNode(std::string_view json, ResourceNames& names, Status* ignored) {
  Status left_out;
  Annotations annotations;
  auto node = DecodeObject<cluster::Node>(json, [&](JsonReader& in, cluster::Node& out) {
    const auto labels = [&] {
      if (in.Next() == JsonType::kNull) out.labels.clear();
      return ReadTextMap(in, out.labels);
    };
    const auto metadata = [&] {
      return in.Fields(
          "name", out.name, "uid", out.uid, "annotations", [&] { return ReadAnnotations(in, annotations); }, "labels",
          labels);
    };
    const auto condition = [&](size_t) -> Status {
      std::string type, status;
      HUYGENS_RETURN_IF_ERROR(in.Fields("type", type, "status", status));
      if (type == "Ready") out.ready = status == "True";
      return absl::OkStatus();
    };
    const auto status = [&] {
      return in.Fields(
          "conditions", [&] { return in.Elements(condition); }, "capacity",
          [&] { return ReadResourceList(in, names, out.capacity, &left_out); }, "allocatable",
          [&] { return ReadResourceList(in, names, out.allocatable, &left_out); });
    };
    const auto spec = [&] { return in.Fields("unschedulable", out.unschedulable); };
    return in.Fields("metadata", metadata, "spec", spec, "status", status);
  });
  if (!node.ok()) return node;
  if (node->name.empty()) return Invalid("metadata.name is missing");
  SortByKey(node->labels);
  Take(annotations, names, *node);
  if (!left_out.ok()) annotations.Add(Message(Annotate(left_out, "status.allocatable")));
  if (ignored != nullptr) *ignored = annotations.faults.empty() ? absl::OkStatus() : Invalid(annotations.faults);
  return node;
}

}  // namespace huygens::wire
