// Charges pods to their groups: every pod that holds capacity, bound or reserved, from the moment it is placed to the
// moment it leaves, under the models that its labels name and under those of its node. What counts is the pod as it was
// when it was placed; a pod whose labels or amounts change is taken off and placed again, and so moves from one group
// to another (unless it says which it was bound with: cluster::QuotaLabelsOf). When a node's models change, the pods on
// it move to the new ones. Charges are exact sums, so that taking a pod off leaves every figure as it was.
//
// What pods take by ResourceClaims is charged claim by claim (quota/claims.h). A claim may come after the pod that
// names it; until then the pod's group, where it has a budget of devices, takes no such pod.
//
// Decision thread only.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/resource.h"
#include "cluster/account.h"
#include "quota/check.h"
#include "quota/claims.h"
#include "quota/device_classes.h"
#include "quota/node_model.h"
#include "quota/options.h"
#include "quota/tree.h"

namespace huygens::quota {

class Account final : public cluster::Account {
 public:
  // `names` must outlive this.
  Account(const ResourceNames& names, Options options);

  void Place(const cluster::PlacedPod& pod) override;
  void Leave(const cluster::PlacedPod& pod) override;
  void NodeObjectChanged(cluster::NodeIndex node, const cluster::Node* object) override;
  void NodeChanged(cluster::NodeIndex, const cluster::NodeTopology*) override {}
  // A node's share of a group is nobody's question, so what is compared is which pods were charged.
  bool Recount(cluster::NodeIndex node, std::span<const cluster::PlacedPod* const> pods) override;

  void GroupChanged(const cluster::BizGroupQuota& group) override { tree_.Set(group); }
  void GroupGone(std::string_view name) override { tree_.Remove(name); }
  void ClaimChanged(const std::shared_ptr<const cluster::ResourceClaim>& claim) override { claims_.Set(claim); }
  void ClaimGone(std::string_view key) override { claims_.Remove(key); }
  void ClassChanged(const cluster::DeviceClass& device_class) override;
  void ClassGone(std::string_view name) override;
  // Why nobody could read ResourceClaims, or DeviceClasses, so far; empty: they are read, or will be soon.
  void SetUnreadable(std::string claims, std::string classes);

  // Whether the pod, which is not charged yet, fits into its group beside what is charged and `others`; pods without a
  // group always do. Where workloads are charged when they are admitted only the hours count.
  Verdict Check(const cluster::Pod& pod, const Amounts& others = {}) const;
  // What there is to say besides on nodes whose models the pod would be charged to, or that it must name. Nothing for a
  // pod that fits nowhere.
  VerdictsByModel CheckByModel(const cluster::Pod& pod, const Amounts& others = {}) const;
  // Whether the pod has a group.
  static bool Counts(const cluster::Pod& pod);
  // What the pod, which has a group, costs it by its labels alone, and on a node.
  Amounts UsageOf(const cluster::Pod& pod) const;
  Amounts UsageOn(const cluster::Pod& pod, cluster::NodeIndex node) const;
  // Whether charges have moved to other models since the last call, since a node with pods changed its own.
  bool TakeMoved() { return std::exchange(moved_, false); }
  // The pods on the node that are charged to a group, in no particular order.
  std::span<const std::shared_ptr<const cluster::Pod>> ChargedOn(cluster::NodeIndex node) const;
  // As UsageOf, and besides under the models of nodes that would take the pod, where its labels name none or the front
  // of one.
  Amounts UsageAnywhere(const cluster::Pod& pod) const;
  const Tree& tree() const { return tree_; }
  const NodeModels& models() const { return models_; }
  const DeviceClasses& classes() const { return classes_; }
  // Whether the group, or one above it, has a budget of devices of any class.
  bool MindsDevices(const Group& group) const;
  bool MindsDevices(const Amounts& hard) const;

 private:
  using Pods = std::vector<std::shared_ptr<const cluster::Pod>>;

  // Without its claims, which are charged by themselves.
  Amounts OwnUsageOn(const cluster::Pod& pod, cluster::NodeIndex node) const;
  // What the pod takes, charged to these models; without what its claims take where they are charged to other pods.
  Amounts Usage(const cluster::Pod& pod, const cluster::QuotaLabels& models) const;
  // The same for a check of the group. Refuses if the group minds devices and nobody knows which the pod would take.
  Verdict UsageFor(const Group& group, const cluster::Pod& pod, const cluster::QuotaLabels& models,
                   Amounts& usage) const;
  // What is unknown of the devices that the pod asks for; empty: nothing is.
  std::string AddClaims(const cluster::Pod& pod, const cluster::QuotaLabels& models, Amounts& usage) const;
  // As `now`; nothing: the class of this name is gone.
  void ChangeClass(std::string_view name, const cluster::DeviceClass* now);
  // As charged to these models.
  Verdict CheckAs(const cluster::Pod& pod, const cluster::QuotaLabels& models, const Amounts& others) const;
  Verdict CheckHours(const cluster::Pod& pod, const cluster::QuotaLabels& models) const;
  Verdict CheckNamed(const cluster::Pod& pod, const cluster::QuotaLabels& models) const;
  void Charge(cluster::NodeIndex node, const cluster::Pod& pod);
  void Release(cluster::NodeIndex node, const cluster::Pod& pod);

  const ResourceNames& names_;
  const Options options_;
  Tree tree_;
  NodeModels models_;
  DeviceClasses classes_;
  Claims claims_{tree_, models_, classes_, options_.keys};
  std::string claims_unreadable_, classes_unreadable_;  // why; empty: they are read
  std::vector<Pods> charged_;                           // by node; only pods of a group
  bool moved_ = false;
};

}  // namespace huygens::quota
