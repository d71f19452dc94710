// The HPA controller's questions, as recorded vectors have them.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "recommend/replica_calculator.h"
#include "tests/recommend/vectors.h"

namespace huygens::recommend {

inline constexpr std::array<const char*, 3> kBasisNames = {"request", "original", "limit"};
inline constexpr std::array<const char*, 3> kAmountFields = {"request_m", "original_m", "limit_m"};
inline constexpr Time kAskedAt = Time(std::chrono::sys_days(std::chrono::year(2026) / 3 / 2));

inline Time SecondsAgo(const json::value& seconds) { return kAskedAt - std::chrono::seconds(seconds.as_int64()); }

inline std::optional<int64_t> VectorAmount(const json::object& object, const char* field, bool whole_bytes) {
  const json::value* value = object.if_contains(field);
  if (!value || value->is_null()) return std::nullopt;
  return whole_bytes ? value->as_int64() / 1000 * 1000 : value->as_int64();
}

inline ScaleQuestion QuestionOf(const json::object& vector) {
  ScaleQuestion question;
  question.resource = Text(vector.at("resource"));
  question.container = Text(vector.at("container"));
  question.current_replicas = vector.at("current_replicas").as_int64();
  question.target_percent = vector.at("target_utilization").as_int64();
  question.tolerance_down = Number(vector.at("tolerance_down"));
  question.tolerance_up = Number(vector.at("tolerance_up"));
  question.now = kAskedAt;
  const bool bytes = question.resource == "memory";
  for (const json::value& value : vector.at("pods").as_array()) {
    const json::object& fields = value.as_object();
    ScaledPod& pod = question.pods.emplace_back();
    pod.name = Text(fields.at("name"));
    const std::string phase = Text(fields.at("phase")), ready = Text(fields.at("ready"));
    pod.phase = phase == "Pending"  ? ScaledPod::Phase::kPending
                : phase == "Failed" ? ScaledPod::Phase::kFailed
                                    : ScaledPod::Phase::kRunning;
    pod.deleting = fields.contains("deleting") && fields.at("deleting").as_bool();
    if (ready != "none") pod.ready = ready == "True";
    if (!fields.at("started_s_ago").is_null()) pod.started = SecondsAgo(fields.at("started_s_ago"));
    pod.ready_since = SecondsAgo(fields.at("ready_changed_s_ago"));
    pod.has_metric = fields.at("has_metric").as_bool();
    pod.metric_time = SecondsAgo(fields.at("metric_s_ago"));
    pod.metric_window = std::chrono::seconds(fields.at("metric_window_s").as_int64());
    pod.pod_request = VectorAmount(fields, "pod_level_request_m", bytes);
    for (const json::value& each : fields.at("containers").as_array()) {
      ScaledContainer& container = pod.containers.emplace_back();
      container.name = Text(each.at("name"));
      for (size_t basis = 0; basis < 3; ++basis) {
        container.amounts[basis] = VectorAmount(each.as_object(), kAmountFields[basis], bytes);
      }
      container.usage = VectorAmount(each.as_object(), "usage_m", false);
    }
  }
  return question;
}

}  // namespace huygens::recommend
