// Pods and what they use, as tests of recommendations write them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "base/time.h"
#include "recommendations/pod_use.h"

namespace huygens::recommendations {

inline constexpr Time kNoon{std::chrono::sys_days(std::chrono::year(2026) / 3 / 2) + std::chrono::hours(12)};

struct PodText {
  std::string name = "cart-6d4b75cb6d-hwqxv";
  std::string workload = "cart";  // a Deployment; empty: nobody made it
  std::string hash = "6d4b75cb6d";
  std::string cpu = "4", memory = "1Gi";
  std::string limit_cpu = "8";
  std::string labels;       // more of them, each with a comma in front
  std::string annotations;  // members of an object
  std::string created = "2026-03-01T00:00:00Z";
  std::string last_state = "{}";
  std::string phase = "Running";
  std::string version = "1";
};

inline std::string PodJson(const PodText& pod) {
  const std::string owner = pod.workload.empty()
                                ? ""
                                : Concat(R"("ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":")",
                                         pod.workload, "-", pod.hash, R"(","uid":"rs","controller":true}],)");
  return Concat(
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")", pod.name, R"(","namespace":"shop","uid":"uid-)",
      pod.name, R"(",)", owner, R"("creationTimestamp":")", pod.created, R"(","labels":{"pod-template-hash":")",
      pod.hash, R"(","huygens.dev/pool":"shared")", pod.labels, R"(},"annotations":{)", pod.annotations,
      R"(}},"spec":{"nodeName":"n","containers":[{"name":"app","resources":{"requests":{"cpu":")", pod.cpu,
      R"(","memory":")", pod.memory, R"("},"limits":{"cpu":")", pod.limit_cpu,
      R"(","memory":"2Gi"}}}]},"status":{"phase":")", pod.phase,
      R"(","containerStatuses":[{"name":"app","state":{"running":{"startedAt":"2026-03-01T00:00:00Z"}},"lastState":)",
      pod.last_state, "}]}}");
}

inline PodUse UseOf(std::string_view pod, Time time, int64_t milli, int64_t bytes) {
  return {"shop", std::string(pod), time, {{"app", {milli, bytes}}}};
}

inline std::string MetricsJson(std::string_view pod, Time time, std::string_view cpu, std::string_view memory) {
  return Concat(R"({"apiVersion":"metrics.k8s.io/v1beta1","kind":"PodMetrics","metadata":{"name":")", pod,
                R"(","namespace":"shop"},"timestamp":")", FormatRfc3339(time),
                R"(","window":"30s","containers":[{"name":"app","usage":{"cpu":")", cpu, R"(","memory":")", memory,
                R"("}}]})");
}

}  // namespace huygens::recommendations
