#include "quota/workload_kinds.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>

#include "base/text.h"

namespace huygens::quota {
namespace {

using Counts = StatusOr<std::vector<int64_t>>;
using Count = Counts (*)(const Workload&, const ReplicaOptions&);

Counts One(int64_t pods) { return std::vector<int64_t>{pods}; }

Counts CountPod(const Workload& workload, const ReplicaOptions&) { return One(workload.finished ? 0 : 1); }

// Not every definition of a kind refuses less than none.
int64_t AtLeastNone(std::optional<int64_t> pods) { return std::max<int64_t>(pods.value_or(1), 0); }

Counts CountReplicas(const Workload& workload, const ReplicaOptions&) { return One(AtLeastNone(workload.replicas)); }

// The new pods never outnumber the replicas, so a rollout at most doubles them.
Counts CountRollout(const Workload& workload, const ReplicaOptions& options) {
  const int64_t replicas = AtLeastNone(workload.replicas);
  if (!options.include_surge || workload.recreate) return One(replicas);
  if (workload.blue_green) return One(replicas + AtLeastNone(workload.preview_replicas.value_or(replicas)));
  HUYGENS_ASSIGN_OR_RETURN(int64_t surge, SurgeOf(workload.max_surge.value_or("25%"), replicas));
  return One(replicas + std::clamp<int64_t>(surge, 0, replicas));
}

// Without completions the first success says that the work is done: what still runs may end, nothing is started.
// A Job can have failed while its pods take their time to end.
Counts CountJob(const Workload& workload, const ReplicaOptions&) {
  if (workload.managed_elsewhere) return One(0);
  if (workload.finished) return One(workload.active + workload.terminating);
  if (workload.suspended) return One(0);
  const int64_t parallelism = AtLeastNone(workload.parallelism);
  if (workload.completions) return One(std::clamp<int64_t>(*workload.completions - workload.succeeded, 0, parallelism));
  if (!workload.parallelism) return One(workload.succeeded > 0 ? 0 : 1);  // both default to 1
  return One(workload.succeeded > 0 ? workload.active : parallelism);
}

// With cleanPodPolicy None parameter servers run on when the work is done.
Counts CountRoles(const Workload& workload, const ReplicaOptions&) {
  std::vector<int64_t> pods;
  for (const Role& role : workload.roles) {
    int64_t most = std::max(AtLeastNone(role.replicas), role.max_replicas.value_or(0));
    pods.push_back(workload.finished ? role.active : workload.suspended ? 0 : most);
  }
  return pods;
}

// A CronJob's Jobs are admitted one by one; a DaemonSet grows with the nodes, without any admission.
Counts CountNothing(const Workload&, const ReplicaOptions&) { return One(0); }

struct Kind {
  std::string_view group;
  std::string_view name;
  Count count;
  std::string_view path;
};
constexpr std::array<Kind, 16> kKinds = {{
    {"", "Pod", CountPod, "/api/v1/pods"},
    {"", "ReplicationController", CountReplicas, "/api/v1/replicationcontrollers"},
    {"apps", "Deployment", CountRollout, "/apis/apps/v1/deployments"},
    {"apps", "ReplicaSet", CountReplicas, "/apis/apps/v1/replicasets"},
    {"apps", "StatefulSet", CountReplicas, "/apis/apps/v1/statefulsets"},
    {"apps", "DaemonSet", CountNothing, "/apis/apps/v1/daemonsets"},
    {"batch", "Job", CountJob, "/apis/batch/v1/jobs"},
    {"batch", "CronJob", CountNothing, "/apis/batch/v1/cronjobs"},
    {"argoproj.io", "Rollout", CountRollout, "/apis/argoproj.io/v1alpha1/rollouts"},
    {"apps.kruise.io", "CloneSet", CountReplicas, "/apis/apps.kruise.io/v1alpha1/clonesets"},
    {"apps.kruise.io", "StatefulSet", CountReplicas, "/apis/apps.kruise.io/v1beta1/statefulsets"},
    {"kubeflow.org", "TFJob", CountRoles, "/apis/kubeflow.org/v1/tfjobs"},
    {"kubeflow.org", "PyTorchJob", CountRoles, "/apis/kubeflow.org/v1/pytorchjobs"},
    {"kubeflow.org", "MPIJob", CountRoles, "/apis/kubeflow.org/v1/mpijobs"},
    {"kubeflow.org", "XGBoostJob", CountRoles, "/apis/kubeflow.org/v1/xgboostjobs"},
    {"kubeflow.org", "JAXJob", CountRoles, "/apis/kubeflow.org/v1/jaxjobs"},
}};

const Kind* FindKind(std::string_view group, std::string_view name) {
  const auto* at = std::find_if(kKinds.begin(), kKinds.end(),
                                [&](const Kind& kind) { return kind.group == group && kind.name == name; });
  return at == kKinds.end() ? nullptr : at;
}

// The names of all resources in the table are those of their kinds, in small letters and with an s.
bool IsPlural(std::string_view resource, std::string_view kind) {
  return resource.size() == kind.size() + 1 && resource.back() == 's' &&
         std::equal(kind.begin(), kind.end(), resource.begin(),
                    [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
}

}  // namespace

std::string KindText(std::string_view group, std::string_view kind) {
  return Concat(kind, group.empty() ? "" : ".", group);
}

StatusOr<int64_t> SurgeOf(const IntOrText& surge, int64_t replicas) {
  if (const int64_t* number = std::get_if<int64_t>(&surge)) return *number;
  std::string_view text = std::get<std::string>(surge);
  int64_t percent = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  if (error != std::errc() || std::string_view(end, text.data() + text.size()) != "%") {
    return Invalid(Concat("surge \"", text, "\" is neither a number nor a percentage"));
  }
  const __int128 surged = (static_cast<__int128>(percent) * replicas + 99) / 100;
  return static_cast<int64_t>(std::min<__int128>(surged, std::numeric_limits<int64_t>::max()));
}

StatusOr<std::vector<int64_t>> ChargedPods(const Workload& workload, const ReplicaOptions& options) {
  const Kind* kind = FindKind(workload.group, workload.kind);
  if (!kind) {
    return Invalid(Concat("pods of ", workload.group, "/", workload.kind, " cannot be counted: the kind is not known"));
  }
  return kind->count(workload, options);
}

bool ChargesForItsPods(std::string_view group, std::string_view kind) {
  const Kind* known = FindKind(group, kind);
  return known && known->count != CountNothing;
}

bool IsKnownResource(std::string_view group, std::string_view resource) {
  return std::any_of(kKinds.begin(), kKinds.end(),
                     [&](const Kind& kind) { return kind.group == group && IsPlural(resource, kind.name); });
}

std::vector<ChargedKind> ChargedKinds() {
  std::vector<ChargedKind> charged;
  for (const Kind& kind : kKinds) {
    if (kind.count == CountNothing || kind.count == CountPod) continue;
    charged.push_back({kind.group, kind.name, kind.path, kind.group.find('.') == std::string_view::npos});
  }
  return charged;
}

void Scale(Workload& workload, int64_t replicas) {
  workload.replicas = replicas;
  for (Role& role : workload.roles) {
    if (role.name == "Worker") role.replicas = replicas;
  }
}

}  // namespace huygens::quota
