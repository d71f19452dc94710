// A pod as an API server shows it before it is created: what of it the rules of lowering look at. Safe on any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/resource.h"
#include "base/status.h"
#include "cluster/objects.h"
#include "overcommit/record.h"
#include "wire/resources.h"

namespace huygens::overcommit {

// "false", "0" and the like: the pod's requests stay as they are written.
inline constexpr std::string_view kOptOutAnnotation = "huygens.dev/overcommit-allowed";

// The owner that is marked as the controller.
struct PodOwner {
  std::string group;  // of the API: "apps"
  std::string kind, name, uid;
  friend bool operator==(const PodOwner&, const PodOwner&) = default;
};

struct AdmittedPod {
  cluster::Pod pod;
  wire::TextPairs labels;
  std::optional<PodOwner> owner;
  bool has_annotations = false;  // any at all
  // Containers whose object has no map of requests: those that they have are filled in.
  std::vector<std::string> without_requests;
  bool opted_out = false;
  std::string record_text;  // as it came; empty: none
  Record record;            // empty where it cannot be read, as it comes from users
  std::string record_fault;
};

// Fails where the pod cannot be read, naming the field. A request that is missing where there is a limit is the limit, as
// the API server fills it in.
StatusOr<AdmittedPod> DecodeAdmittedPod(std::string_view json, const ResourceNames& names);

// The value; null: there is no such label.
const std::string* LabelOf(const AdmittedPod& pod, std::string_view key);

// The workload that the pod was made for, as far as the pod itself tells: of a ReplicaSet that a Deployment or an Argo
// Rollout made, which is seen by its name and the pod's hash, those; of a Job that is named as CronJobs name theirs, the
// CronJob. Nothing: the pod stands for itself.
std::optional<PodOwner> WorkloadOf(const AdmittedPod& pod);

}  // namespace huygens::overcommit
