#include "workloads/pod_times.h"

#include <algorithm>
#include <optional>
#include <string>

#include "json/reader.h"

namespace huygens::workloads {
namespace {

struct Times {
  std::optional<Time> scheduled, started;
  std::optional<Time> finished;  // the last container
  std::optional<Time> changed;   // the last condition
};

void Later(std::optional<Time>& of, const std::optional<Time>& other) {
  if (other) of = of ? std::max(*of, *other) : *other;
}

Status ReadConditions(JsonReader& in, Times& out) {
  return in.Elements([&](size_t) -> Status {
    std::string type, status;
    std::optional<Time> changed;
    HUYGENS_RETURN_IF_ERROR(
        in.Fields("type", type, "status", status, "lastTransitionTime", [&] { return ReadTime(in, changed); }));
    if (type == "PodScheduled" && status == "True") out.scheduled = changed;
    Later(out.changed, changed);
    return absl::OkStatus();
  });
}

Status ReadContainers(JsonReader& in, Times& out) {
  return in.Elements([&](size_t) -> Status {
    std::optional<Time> finished;
    const auto read_terminated = [&] { return in.Fields("finishedAt", [&] { return ReadTime(in, finished); }); };
    HUYGENS_RETURN_IF_ERROR(in.Fields("state", [&] { return in.Fields("terminated", read_terminated); }));
    Later(out.finished, finished);
    return absl::OkStatus();
  });
}

Status ReadStatusOf(JsonReader& in, Times& out) {
  return in.Members([&](const JsonKey& key) -> Status {
    if (key.Is("conditions")) return ReadConditions(in, out);
    if (key.Is("containerStatuses") || key.Is("initContainerStatuses")) return ReadContainers(in, out);
    return key.Is("startTime") ? ReadTime(in, out.started) : absl::OkStatus();
  });
}

}  // namespace

Status ReadPodTimes(std::string_view json, WorkloadObject& pod) {
  const auto times = DecodeObject<Times>(
      json, [](JsonReader& in, Times& out) { return in.Fields("status", [&] { return ReadStatusOf(in, out); }); });
  if (!times.ok()) return times.status();
  pod.scheduled = times->scheduled ? times->scheduled : times->started;
  if (pod.counted.finished) pod.ended = times->finished ? times->finished : times->changed;
  return absl::OkStatus();
}

}  // namespace huygens::workloads
