// How many pods a workload is charged for when it is admitted as a whole: one row per kind. What is read of the object
// is here; a kind is a row in workload_kinds.cc that says how its pods are counted. Rules are those of the controllers
// (k8s.io/kubernetes pkg/controller/{deployment,job}); missing values are defaulted as the API server does. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/status.h"

namespace huygens::quota {

// 3, or "25%".
using IntOrText = std::variant<int64_t, std::string>;

struct Role {  // of a training job; each has a template of its own
  std::string name;
  std::optional<int64_t> replicas;
  std::optional<int64_t> max_replicas;  // elastic: its autoscaler may go there
  int64_t active = 0;                   // pods that still run, as the status has them
};

struct Workload {
  std::string group;  // of the API: "apps", "batch", "argoproj.io"; empty for Pod and ReplicationController
  std::string kind;
  std::optional<int64_t> replicas;
  // Rollouts of Deployments and Argo Rollouts.
  bool recreate = false;    // strategy Recreate: the old pods end first
  bool blue_green = false;  // Argo: two whole sets of pods
  std::optional<IntOrText> max_surge;
  std::optional<int64_t> preview_replicas;
  // Jobs.
  std::optional<int64_t> parallelism;
  std::optional<int64_t> completions;
  int64_t succeeded = 0;
  int64_t active = 0;
  int64_t terminating = 0;  // pods that were told to end and still run
  bool suspended = false;   // training jobs, too
  bool finished = false;
  bool managed_elsewhere = false;  // spec.managedBy names another controller
  std::vector<Role> roles;
};

struct ReplicaOptions {
  bool include_surge = false;  // charge what a rollout adds at its peak
};

// Pods per template: one number, or one per role. Of work that has finished those that still run. Fails on a kind that
// is not in the table, and on a surge that is neither a number nor a percentage.
StatusOr<std::vector<int64_t>> ChargedPods(const Workload& workload, const ReplicaOptions& options = {});

// Whether what objects of this kind make is charged with them: such an object's ReplicaSets, Jobs and pods are not
// charged again. False for kinds whose pods or jobs are charged one by one (CronJob, DaemonSet) and unknown ones.
bool ChargesForItsPods(std::string_view group, std::string_view kind);
// Whether the table has the kind of this name in URLs: "deployments".
bool IsKnownResource(std::string_view group, std::string_view resource);

// A kind whose objects are charged as a whole, and where an API server lists them.
struct ChargedKind {
  std::string_view group, kind;  // of the API: "apps", "Deployment"
  std::string_view path;         // "/apis/apps/v1/deployments"
  bool built_in = false;         // every API server serves it
};
// Those of the table, in its order, but for pods.
std::vector<ChargedKind> ChargedKinds();
// "Deployment.apps", "Pod": as reservations name kinds.
std::string KindText(std::string_view group, std::string_view kind);

// The workload as its subresource `scale` will have made it: the workers of a training job, else the replicas.
void Scale(Workload& workload, int64_t replicas);

// `surge` of so many replicas, rounded up.
StatusOr<int64_t> SurgeOf(const IntOrText& surge, int64_t replicas);

}  // namespace huygens::quota
