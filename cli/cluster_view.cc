#include "cli/cluster_view.h"

#include "wire/json_reader.h"
#include "wire/resources.h"

namespace huygens::cli {

namespace {

using wire::JsonKey;
using wire::JsonReader;

Status ReadNode(JsonReader& in, ResourceNames& names, NodeView& node) {
  return in.Members([&](const JsonKey& key) {
    if (key.text == "name") return in.Read(node.name);
    if (key.text == "known") return in.Read(node.known);
    if (key.text == "allocatable") return wire::ReadResourceList(in, names, node.allocatable);
    if (key.text == "pods") return in.Read(node.pods);
    if (key.text == "requested") return wire::ReadResourceList(in, names, node.requested);
    return absl::OkStatus();
  });
}

}  // namespace

StatusOr<std::vector<NodeView>> DecodeNodes(std::string_view json, ResourceNames& names) {
  return wire::DecodeObject<std::vector<NodeView>>(json, [&](JsonReader& in, std::vector<NodeView>& nodes) {
    return in.Members([&](const JsonKey& key) {
      if (key.text != "nodes") return absl::OkStatus();
      return wire::ReadList(in, nodes, [&](NodeView& node) { return ReadNode(in, names, node); });
    });
  });
}

std::string ToText(const std::vector<ZoneView>& zones) {
  std::string text;
  for (const ZoneView& zone : zones) {
    text += Concat(text.empty() ? "" : ", ", zone.name, ":");
    for (const auto& [resource, amount] : zone.amounts) text += Concat(" ", amount, " ", resource);
  }
  return text;
}

}  // namespace huygens::cli
