// A pod that names a model wants nodes of that model. Which model a node has is said by labels of the node. Nodes have
// few different combinations of models: each has a number, and each node the number of its own, so that labels are
// compared once per combination and pod, and not per node.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cluster/account.h"
#include "cluster/biz_group_quota.h"
#include "cluster/objects.h"

namespace huygens::quota {

// Label keys of nodes.
struct NodeModelLabels {
  std::string cpu = "huygens.dev/cpu-model";
  std::string gpu = "huygens.dev/gpu-model";
  std::string memory = "huygens.dev/memory-model";
};

// The nodes that have each model that a pod's labels name.
class WantedModels {
 public:
  WantedModels() = default;  // the pod names none

  bool Any() const { return !accepted_.empty(); }
  bool Accept(cluster::NodeIndex node) const { return node < numbers_.size() && accepted_[numbers_[node]]; }

 private:
  friend class NodeModels;
  std::span<const uint32_t> numbers_;  // of NodeModels
  std::vector<char> accepted_;         // by number, 0 or 1; empty: the pod names no model
};

// Decision thread only.
class NodeModels {
 public:
  explicit NodeModels(NodeModelLabels keys) : keys_(std::move(keys)) {}

  // The Node appeared or changed; null: it went.
  void Set(cluster::NodeIndex node, const cluster::Node* object);
  // "A100" accepts a node of "A100.80GB". Holds until the next Set.
  WantedModels Wanted(const cluster::QuotaLabels& labels) const;
  // What the pod wants and what those of the nodes, which must be known, say that are of other models; empty if none
  // is.
  std::string Explain(const cluster::QuotaLabels& labels, std::span<const cluster::NodeIndex> nodes) const;

 private:
  using Models = std::array<std::string, 3>;  // cpu, gpu, memory; empty: nothing is said
  struct Combination {
    Models models;
    size_t nodes = 0;  // 0: the number is free
  };

  uint32_t NumberOf(const Models& models);

  NodeModelLabels keys_;
  std::vector<Combination> combinations_{{{}, 1}};  // by number; the first is for good: nothing is said
  std::vector<uint32_t> numbers_;                   // by node
};

}  // namespace huygens::quota
