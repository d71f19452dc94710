// A workload of any kind of quota/workload_kinds.h, read from its object: whose it is, how its pods are counted, and a
// pod as each of its templates makes it. Safe on any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/resource.h"
#include "base/status.h"
#include "base/time.h"
#include "cluster/objects.h"
#include "quota/workload_kinds.h"

namespace huygens::workloads {

struct WorkloadObject {
  std::string name, namespace_name, uid, resource_version;
  cluster::QuotaLabels labels;  // of the workload itself; those of its template count for nothing
  // The owner reference with controller: true; empty: it stands for itself.
  std::string owner_group, owner_kind, owner_uid;
  bool deleting = false;
  quota::Workload counted;
  // Filled in as the API server fills in pods. One, or one per role in the order of counted.roles; none where the
  // object refers to that of another.
  std::vector<cluster::Pod> templates;
  // Pods: since when on a node (condition PodScheduled, else status.startTime), and when the last container of one that has
  // finished did so, where anybody says.
  std::optional<Time> scheduled, ended;
  // Argo Rollouts: the workload that has the template (spec.workloadRef); empty: it has its own.
  std::string template_group, template_kind, template_name;
};

// `group` and `kind` say how the object is to be read; of a Pod the object is its own template. Names of resources are
// looked up in `names`, never put there.
StatusOr<WorkloadObject> DecodeWorkload(std::string_view group, std::string_view kind, std::string_view json,
                                        const ResourceNames& names);

}  // namespace huygens::workloads
