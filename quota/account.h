// Charges pods to their groups: every pod that holds capacity, bound or reserved, from the moment it is placed to the
// moment it leaves. What counts is the pod as it was when it was placed; a pod whose labels or amounts change is taken
// off and placed again, and so moves from one group to another. Charges are exact sums, so that taking a pod off leaves
// every figure as it was.
//
// Decision thread only.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/resource.h"
#include "cluster/account.h"
#include "quota/check.h"
#include "quota/keys.h"
#include "quota/tree.h"

namespace huygens::quota {

class Account final : public cluster::Account {
 public:
  using LabelsOf = std::function<const cluster::QuotaLabels&(const cluster::Pod&)>;
  // `names` must outlive this.
  Account(const ResourceNames& names, KeyOptions options, LabelsOf labels_of);

  void Place(const cluster::PlacedPod& pod) override;
  void Leave(const cluster::PlacedPod& pod) override;
  void NodeChanged(cluster::NodeIndex, const cluster::NodeTopology*) override {}
  // A node's share of a group is nobody's question, so what is compared is which pods were charged.
  bool Recount(cluster::NodeIndex node, std::span<const cluster::PlacedPod* const> pods) override;

  void Set(cluster::BizGroupQuota group);
  void Remove(std::string_view name);
  // The groups that changed since the last call and their parents, by name: pods of theirs may fit that did not.
  std::vector<std::string> TakeChanged();

  // Whether the pod, which is not charged yet, fits into its group; pods without a group always do.
  Verdict Check(const cluster::Pod& pod) const;
  const cluster::QuotaLabels& LabelsFor(const cluster::Pod& pod) const { return labels_of_(pod); }
  const Tree& tree() const { return tree_; }

 private:
  using Pods = std::vector<std::shared_ptr<const cluster::Pod>>;

  Amounts UsageOf(const cluster::Pod& pod) const;
  bool Counts(const cluster::Pod& pod) const { return !labels_of_(pod).group.empty(); }
  void NoteChange(std::string_view name);

  const ResourceNames& names_;
  const KeyOptions options_;
  const LabelsOf labels_of_;
  Tree tree_;
  std::vector<Pods> charged_;  // by node; only pods of a group
  std::set<std::string> changed_;
};

}  // namespace huygens::quota
