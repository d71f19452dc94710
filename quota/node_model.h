// A pod that names a model wants nodes of that model. Which model a node has is said by labels of the node. Pure.
#pragma once

#include <string>

#include "cluster/biz_group_quota.h"
#include "cluster/objects.h"

namespace huygens::quota {

// Label keys of nodes.
struct NodeModelLabels {
  std::string cpu = "huygens.dev/cpu-model";
  std::string gpu = "huygens.dev/gpu-model";
  std::string memory = "huygens.dev/memory-model";
};

// Whether the node has each model that the pod's labels name; "A100" accepts a node of "A100.80GB".
bool HasModels(const cluster::Node& node, const cluster::QuotaLabels& labels, const NodeModelLabels& keys);

}  // namespace huygens::quota
