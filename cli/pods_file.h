// The pods of a manifest file (or directory) as an API server would hold them: with namespace, UID and the requests
// that follow from limits. Blocking; any thread.
#pragma once

#include <string>
#include <vector>

#include "base/resource.h"
#include "base/status.h"
#include "cluster/objects.h"

namespace huygens::cli {

struct PodManifest {
  cluster::Pod pod;
  std::string json;                  // what the verbs are sent
  std::vector<std::string> only_on;  // nodes that a DaemonSet's affinity (matchFields metadata.name) names; empty: any
  std::vector<std::string>
      not_looked_at;  // fields that kube-scheduler would heed and `place` does not: "spec.nodeSelector"
  std::vector<std::string> not_understood;  // labels and annotations that count as absent: wire/unknown_annotations.h
};

// In the order of the file. Pods without a namespace are in "default"; pods without a UID get one made from namespace
// and name, always the same, so that placing them twice is seen as that. Other kinds are passed over. Errors name file
// and line; a file without pods is one.
StatusOr<std::vector<PodManifest>> ReadPods(const std::string& path, ResourceNames& names);

}  // namespace huygens::cli
