#include "cli/node_view.h"

#include "wire/json_reader.h"
#include "wire/resources.h"

namespace huygens::cli {

namespace {

using wire::JsonKey;
using wire::JsonReader;

Status ReadZone(JsonReader& in, NodeZonesView::Zone& zone) {
  return in.Members([&](const JsonKey& key) {
    if (key.text == "name") return in.Read(zone.name);
    if (key.text == "absent") return in.Read(zone.absent);
    if (key.text == "stale") return in.Read(zone.stale);
    if (key.text == "offlineCpu") return in.Read(zone.offline_cpu);
    if (key.text == "allocatable") return wire::ReadTextMap(in, zone.allocatable);
    if (key.text == "effective") return wire::ReadTextMap(in, zone.effective);
    if (key.text == "available") return wire::ReadTextMap(in, zone.available);
    if (key.text == "used") return wire::ReadTextMap(in, zone.used);
    if (key.text == "free") return wire::ReadTextMap(in, zone.free);
    if (key.text == "cores") return in.Read(zone.cores.emplace());
    return key.text == "wholeCores" ? in.Read(zone.whole_cores.emplace()) : absl::OkStatus();
  });
}

Status ReadShare(JsonReader& in, ZoneView& share) {
  return in.Members([&](const JsonKey& key) {
    if (key.text == "name") return in.Read(share.name);
    return key.text == "amount" ? wire::ReadTextMap(in, share.amounts) : absl::OkStatus();
  });
}

Status ReadPod(JsonReader& in, NodeZonesView::Pod& pod) {
  return in.Members([&](const JsonKey& key) {
    if (key.text == "pod") return in.Read(pod.pod);
    if (key.text == "uid") return in.Read(pod.uid);
    if (key.text == "reservation") return in.Read(pod.reservation);
    if (key.text == "counted") return in.Read(pod.counted);
    if (key.text != "zones") return absl::OkStatus();
    return wire::ReadList(in, pod.zones, [&](ZoneView& share) { return ReadShare(in, share); });
  });
}

}  // namespace

StatusOr<NodeZonesView> DecodeNodeZones(std::string_view json) {
  return wire::DecodeObject<NodeZonesView>(json, [](JsonReader& in, NodeZonesView& node) {
    return in.Members([&](const JsonKey& key) {
      if (key.text == "name") return in.Read(node.name);
      if (key.text == "known") return in.Read(node.known);
      if (key.text == "mode") return in.Read(node.mode);
      if (key.text == "singleNuma") return in.Read(node.single_numa);
      if (key.text == "lostTopology") return in.Read(node.lost_topology);
      if (key.text == "lossLeftSeconds") return in.Read(node.loss_left_seconds.emplace());
      if (key.text == "lossGraceSeconds") return in.Read(node.loss_grace_seconds.emplace());
      if (key.text == "defect") return in.Read(node.defect);
      if (key.text == "notices") {
        return wire::ReadList(in, node.notices, [&](std::string& text) { return in.Read(text); });
      }
      if (key.text == "zones") return wire::ReadList(in, node.zones, [&](auto& zone) { return ReadZone(in, zone); });
      return key.text == "pods" ? wire::ReadList(in, node.pods, [&](auto& pod) { return ReadPod(in, pod); })
                                : absl::OkStatus();
    });
  });
}

}  // namespace huygens::cli
