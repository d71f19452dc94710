#include "device_plugins/waiting_pods.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/quantity.h"
#include "json/reader.h"

namespace huygens::device_plugins {
namespace {

constexpr std::string_view kResult = "topology.crane.io/topology-result";
constexpr std::string_view kSeen = "kubernetes.io/config.seen";

// 3 of "node3".
std::optional<int> ZoneOf(std::string_view name) {
  if (!name.starts_with("node")) return std::nullopt;
  name.remove_prefix(4);
  int zone = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), zone);
  if (error != std::errc() || end != name.data() + name.size() || zone < 0) return std::nullopt;
  return zone;
}

struct ResultZone {
  std::string name, type;
};

// Users can write what they like there: what is no list of zones chooses none.
std::vector<int> ZonesOf(std::string_view result) {
  std::vector<int> zones;
  auto in = JsonReader::Open(result);
  if (!in.ok()) return {};
  const Status read = in->Elements([&](size_t) -> Status {
    ResultZone zone;
    HUYGENS_RETURN_IF_ERROR(in->Fields("name", zone.name, "type", zone.type));
    const std::optional<int> number = ZoneOf(zone.name);
    if (zone.type == "Node" && number) zones.push_back(*number);
    return absl::OkStatus();
  });
  return read.ok() ? zones : std::vector<int>();
}

struct ListedPod {
  WaitingPod waiting;
  std::string phase, deleted_at;
  bool begun = false;  // a container runs, or has run
};

Status ReadContainers(JsonReader& in, std::string_view resource, std::vector<int64_t>& counts) {
  return in.Elements([&](size_t) {
    const auto limits = [&] {
      return in.Members([&](const JsonKey& key) -> Status {
        if (key.text != resource) return absl::OkStatus();
        std::string text;
        HUYGENS_RETURN_IF_ERROR(in.Read(text));
        const StatusOr<Quantity> count = Quantity::Parse(text);
        if (count.ok()) counts.push_back(count->Value());
        return absl::OkStatus();
      });
    };
    const auto resources = [&] { return in.Fields("limits", limits); };
    return in.Fields("resources", resources);
  });
}

Status ReadContainerStatuses(JsonReader& in, bool& begun) {
  return in.Elements([&](size_t) {
    const auto state = [&] {
      return in.Members([&](const JsonKey& key) -> Status {
        begun = begun || key.Is("running") || key.Is("terminated");
        return absl::OkStatus();
      });
    };
    return in.Fields("state", state);
  });
}

Status ReadPod(JsonReader& in, std::string_view resource, ListedPod& pod) {
  const auto annotations = [&] {
    return in.Members([&](const JsonKey& key) -> Status {
      if (key.text == kSeen) return in.Read(pod.waiting.seen);
      if (key.text != kResult) return absl::OkStatus();
      std::string result;
      HUYGENS_RETURN_IF_ERROR(in.Read(result));
      pod.waiting.zones = ZonesOf(result);
      return absl::OkStatus();
    });
  };
  const auto metadata = [&] { return in.Fields("annotations", annotations, "deletionTimestamp", pod.deleted_at); };
  const auto containers = [&] { return ReadContainers(in, resource, pod.waiting.counts); };
  const auto spec = [&] { return in.Fields("containers", containers, "initContainers", containers); };
  const auto statuses = [&] { return ReadContainerStatuses(in, pod.begun); };
  const auto status = [&] {
    return in.Fields("phase", pod.phase, "containerStatuses", statuses, "initContainerStatuses", statuses);
  };
  return in.Fields("metadata", metadata, "spec", spec, "status", status);
}

}  // namespace

StatusOr<std::vector<WaitingPod>> DecodeWaitingPods(std::string_view pod_list, std::string_view resource) {
  using Pods = std::vector<WaitingPod>;
  return DecodeObject<Pods>(pod_list, [&](JsonReader& in, Pods& pods) {
    const auto items = [&] {
      return in.Elements([&](size_t) -> Status {
        ListedPod pod;
        HUYGENS_RETURN_IF_ERROR(ReadPod(in, resource, pod));
        const bool waits = (pod.phase.empty() || pod.phase == "Pending") && !pod.begun && pod.deleted_at.empty();
        if (waits && !pod.waiting.counts.empty()) pods.push_back(std::move(pod.waiting));
        return absl::OkStatus();
      });
    };
    return in.Fields("items", items);
  });
}

}  // namespace huygens::device_plugins
