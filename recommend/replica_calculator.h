// How many replicas kube-controller-manager's HPA controller wants for a target of average utilization: the arithmetic
// of pkg/controller/podautoscaler/replica_calculator.go of Kubernetes v1.36.3, GetResourceReplicas, step by step, with a
// choice of what utilization is a share of.
//
// Amounts are in thousandths: of cores, of bytes. Pure; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/time.h"

namespace huygens::recommend {

// What a pod's use is compared with: requests as they are (upstream), as they were written, or limits.
enum class Basis : uint8_t { kRequest, kOriginal, kLimit };

struct ScaledContainer {
  std::string name;
  std::array<std::optional<int64_t>, 3> amounts;  // by Basis
  std::optional<int64_t> usage;                   // nothing: its metric lacks the resource
};

struct ScaledPod {
  enum class Phase : uint8_t { kPending, kRunning, kFailed, kOther };

  std::string name;
  Phase phase = Phase::kRunning;
  bool deleting = false;
  std::optional<bool> ready;  // the condition; nothing: there is none
  Time ready_since;           // when it last changed
  std::optional<Time> started;
  // Containers and init containers that are restarted; not the other init containers.
  std::vector<ScaledContainer> containers;
  std::optional<int64_t> pod_request;  // spec.resources of the pod, which upstream's basis prefers
  bool has_metric = false;
  Time metric_time;
  Duration metric_window{};
};

struct ScaleQuestion {
  std::string resource = "cpu";
  std::string container;  // of a ContainerResource metric; empty: all of a pod
  int64_t current_replicas = 0;
  int64_t target_percent = 0;
  double tolerance_down = 0.1, tolerance_up = 0.1;
  Time now;
  std::vector<ScaledPod> pods;
  Duration cpu_initialization = std::chrono::seconds(300);
  Duration initial_readiness_delay = std::chrono::seconds(30);
};

struct ScaleAnswer {
  int64_t replicas = 0;
  int64_t percent = 0;  // as `kubectl get hpa` shows it
  int64_t average = 0;  // use of a pod
};

// The sums from which the count follows: what utilization is of which pods. For the front.
struct ScaleSums {
  std::vector<size_t> ready, missing, unready;  // positions in pods; those that are ignored are in none
  std::vector<std::optional<int64_t>> usage;    // of each pod; nothing: no metric
  std::vector<int64_t> amounts;                 // of each pod, by the basis
  int64_t ready_usage = 0, ready_amount = 0;
};

// Errors have upstream's texts: what has no metrics, and which container has no amount.
StatusOr<ScaleSums> SumUp(const ScaleQuestion& question, Basis basis);

// What is decided by the use of all ready pods together, `ready_usage`, in place of that of the sums.
struct ScaleOutcome {
  ScaleAnswer answer;
  int64_t deciding_percent = 0;  // the whole percent that decided
  bool with_missing = false;     // decided with assumptions about pods without a metric, or not ready
  int64_t assumed_usage = 0;     // of missing pods, then
  int64_t all_amount = 0;        // of all pods that count, then
};
StatusOr<ScaleOutcome> ScaleOutcomeOf(const ScaleQuestion& question, const ScaleSums& sums, int64_t ready_usage);

StatusOr<ScaleAnswer> Replicas(const ScaleQuestion& question, Basis basis);

}  // namespace huygens::recommend
