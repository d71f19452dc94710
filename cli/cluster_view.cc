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

Status ReadZone(JsonReader& in, ZoneView& zone) {
  return in.Members([&](const JsonKey& key) {
    if (key.text == "name") return in.Read(zone.name);
    return key.text == "amount" ? wire::ReadTextMap(in, zone.amounts) : absl::OkStatus();
  });
}

struct PodOnNode {
  std::string uid;
  std::vector<ZoneView> zones;
};

Status ReadPod(JsonReader& in, PodOnNode& pod) {
  return in.Members([&](const JsonKey& key) {
    if (key.text == "uid") return in.Read(pod.uid);
    if (key.text != "zones") return absl::OkStatus();
    return wire::ReadList(in, pod.zones, [&](ZoneView& zone) { return ReadZone(in, zone); });
  });
}

StatusOr<std::vector<PodOnNode>> DecodePodsOn(std::string_view json) {
  return wire::DecodeObject<std::vector<PodOnNode>>(json, [&](JsonReader& in, std::vector<PodOnNode>& out) {
    return in.Members([&](const JsonKey& key) {
      if (key.text != "pods") return absl::OkStatus();
      return wire::ReadList(in, out, [&](PodOnNode& pod) { return ReadPod(in, pod); });
    });
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

StatusOr<std::vector<std::string>> DecodeUidsOf(std::string_view json) {
  HUYGENS_ASSIGN_OR_RETURN(auto pods, DecodePodsOn(json));
  std::vector<std::string> uids;
  uids.reserve(pods.size());
  for (PodOnNode& pod : pods) uids.push_back(std::move(pod.uid));
  return uids;
}

StatusOr<std::vector<ZoneView>> DecodeZonesOf(std::string_view json, std::string_view uid) {
  HUYGENS_ASSIGN_OR_RETURN(auto pods, DecodePodsOn(json));
  for (PodOnNode& pod : pods) {
    if (pod.uid == uid) return std::move(pod.zones);
  }
  return std::vector<ZoneView>();
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
