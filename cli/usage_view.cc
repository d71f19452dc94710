#include "cli/usage_view.h"

#include "cli/json_number.h"

namespace huygens::cli {

namespace {

using wire::JsonKey;
using wire::JsonReader;

Status ReadPod(JsonReader& in, PodUseView& pod) {
  return in.Members([&](const JsonKey& key) {
    if (key.text == "pod") return in.Read(pod.pod);
    if (key.text == "workload") return in.Read(pod.workload);
    if (key.text == "peak") return in.Read(pod.peak);
    return key.text == "measured" ? in.Read(pod.measured) : absl::OkStatus();
  });
}

Status ReadUse(JsonReader& in, ResourceUseView& use) {
  return in.Members([&](const JsonKey& key) {
    if (key.text == "resource") return in.Read(use.name);
    if (key.text == "state") return in.Read(use.state);
    if (key.text == "ageSeconds") return in.Read(use.age_seconds.emplace());
    if (key.text == "capacity") return in.Read(use.capacity);
    if (key.text == "ceiling") return in.Read(use.ceiling);
    if (key.text == "now") return in.Read(use.now);
    if (key.text == "peak") return in.Read(use.peak);
    if (key.text == "headroom") return in.Read(use.headroom);
    if (key.text == "nowShare") return ReadNumber(in, use.now_share.emplace());
    if (key.text == "peakShare") return ReadNumber(in, use.peak_share.emplace());
    if (key.text == "sumOfPeaks") return in.Read(use.sum_of_peaks);
    if (key.text == "peakOfSum") return in.Read(use.peak_of_sum);
    if (key.text == "peakSlot") return in.Read(use.peak_slot);
    if (key.text == "system") return in.Read(use.system);
    if (key.text == "pods") return wire::ReadList(in, use.pods, [&](PodUseView& pod) { return ReadPod(in, pod); });
    if (key.text != "curve") return absl::OkStatus();
    return wire::ReadList(in, use.curve, [&](double& value) { return ReadNumber(in, value); });
  });
}

Status ReadTopNode(JsonReader& in, NodeUseView& node) {
  return in.Members([&](const JsonKey& key) -> Status {
    if (key.text == "name") return in.Read(node.name);
    if (key.text == "fits") return in.Read(node.fits.emplace());
    if (key.text == "unrequested") {
      return in.Members([&](const JsonKey& resource) {
        if (resource.text == "cpu") return in.Read(node.unrequested_cpu);
        return resource.text == "memory" ? in.Read(node.unrequested_memory) : absl::OkStatus();
      });
    }
    if (key.text != "usage") return absl::OkStatus();
    return in.Members([&](const JsonKey& resource) {
      ResourceUseView& use = node.resources.emplace_back();
      use.name = resource.text;
      return ReadUse(in, use);
    });
  });
}

}  // namespace

StatusOr<UsageTopView> DecodeUsageTop(std::string_view json) {
  return wire::DecodeObject<UsageTopView>(json, [](JsonReader& in, UsageTopView& out) {
    return in.Members([&](const JsonKey& key) {
      if (key.text == "by") return in.Read(out.by);
      if (key.text == "check") return in.Read(out.check);
      if (key.text == "staleShare") return ReadNumber(in, out.stale_share);
      if (key.text == "nodes") return in.Read(out.nodes);
      if (key.text == "fits") return in.Read(out.fits.emplace());
      if (key.text != "top") return absl::OkStatus();
      return wire::ReadList(in, out.top, [&](NodeUseView& node) { return ReadTopNode(in, node); });
    });
  });
}

StatusOr<NodeUseView> DecodeNodeUse(std::string_view json) {
  return wire::DecodeObject<NodeUseView>(json, [](JsonReader& in, NodeUseView& out) {
    return in.Members([&](const JsonKey& key) -> Status {
      if (key.text == "name") return in.Read(out.name);
      if (key.text == "noUsage") return in.Read(out.no_usage);
      if (key.text == "kubelet") {
        return wire::ReadList(in, out.kubelet, [&](KubeletSettingView& setting) {
          return in.Members([&](const JsonKey& part) {
            if (part.text == "name") return in.Read(setting.name);
            if (part.text == "value") return in.Read(setting.value);
            return part.text == "from" ? in.Read(setting.from) : absl::OkStatus();
          });
        });
      }
      if (key.text != "usage") return absl::OkStatus();
      return in.Members([&](const JsonKey& part) {
        if (part.text == "slotSeconds") return in.Read(out.slot_seconds);
        if (part.text != "resources") return absl::OkStatus();
        return wire::ReadList(in, out.resources, [&](ResourceUseView& use) { return ReadUse(in, use); });
      });
    });
  });
}

}  // namespace huygens::cli
