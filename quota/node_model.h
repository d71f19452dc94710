// A pod that names a model wants nodes of that model; one that names none, or only the front of one, is charged to the
// model of the node that it is on. Which model a node has is said by labels of the node. Nodes have few different
// combinations of models: each has a number, and each node the number of its own, so that labels are compared and
// budgets asked once per combination and pod, and not per node.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "cluster/account.h"
#include "cluster/biz_group_quota.h"
#include "cluster/objects.h"
#include "quota/check.h"

namespace huygens::quota {

// Label keys of nodes.
struct NodeModelLabels {
  std::string cpu = "huygens.dev/cpu-model";
  std::string gpu = "huygens.dev/gpu-model";
  std::string memory = "huygens.dev/memory-model";
};

// The nodes that have all the models that a pod's labels name (of CPU, GPU and memory).
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

// What a group says of a pod on the nodes of each combination, where that is not what it says of the pod anywhere.
class VerdictsByModel {
 public:
  // Whether there is any node of which it says another thing.
  bool Any() const { return !verdicts_.empty(); }
  // The numbers of these combinations, in order.
  std::vector<uint32_t> Refused() const;
  // Null: what it says anywhere.
  const Verdict* On(cluster::NodeIndex node) const {
    if (node >= numbers_.size() || !Any()) return nullptr;
    const uint32_t at = at_[numbers_[node]];
    return at == 0 ? nullptr : &verdicts_[at - 1];
  }

 private:
  friend class NodeModels;
  std::span<const uint32_t> numbers_;  // of NodeModels
  std::vector<uint32_t> at_;           // by number: one more than the position in verdicts_; 0: there is none
  std::vector<Verdict> verdicts_;
};

// Decision thread only.
class NodeModels {
 public:
  explicit NodeModels(NodeModelLabels keys) : keys_(std::move(keys)) {}

  // Whether the Node, which appeared or changed, is of other models than before; null: it went, and is of none.
  bool Differs(cluster::NodeIndex node, const cluster::Node* object) const;
  void Set(cluster::NodeIndex node, const cluster::Node* object);
  // The models that a pod with these labels is charged to on the node: those that it names, and the node's where it
  // names none or the front of it ("A100" on a node of "A100.80GB"). Without a group.
  cluster::QuotaLabels Charged(const cluster::QuotaLabels& labels, cluster::NodeIndex node) const;
  // The models that such a pod is charged to on nodes that accept it, where they are others than it names; without a
  // group.
  std::vector<cluster::QuotaLabels> OthersCharged(const cluster::QuotaLabels& labels) const;
  // Asks `verdict_on(models)` for each combination that accepts such a pod and charges it to other models than its own,
  // and keeps what does not fit. Holds until the next Set.
  VerdictsByModel Judge(const cluster::QuotaLabels& labels,
                        absl::FunctionRef<Verdict(const cluster::QuotaLabels& models)> verdict_on) const;
  // "quota bizrq/team: limits.cpu.A4 used 4 of 4, requested 1 (2 nodes of cpu model A4)", of the nodes that it refuses;
  // empty if there is none.
  std::string Text(const VerdictsByModel& verdicts, std::string_view group,
                   std::span<const cluster::NodeIndex> nodes) const;
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

  // Calls `take(number, models)` for each combination that accepts such a pod and charges it to other models than its
  // own.
  void ForOthersCharged(const cluster::QuotaLabels& labels,
                        absl::FunctionRef<void(size_t number, const cluster::QuotaLabels& models)> take) const;
  Models ModelsOf(const cluster::Node* object) const;
  uint32_t NumberOf(const Models& models);

  NodeModelLabels keys_;
  std::vector<Combination> combinations_{{{}, 1}};  // by number; the first is for good: nothing is said
  std::vector<uint32_t> numbers_;                   // by node
};

}  // namespace huygens::quota
