// The ResourceClaims that placed pods of groups hold. Each is charged once, to the group of one of its holders: the
// first in its status.reservedFor, which kube-scheduler writes before it asks for the bind; where none of them is in
// there, bound pods come before reserved ones, and then the first by namespace, name and UID. When that pod ends the
// next one's group is charged. All of it follows from the objects as they are, whatever the order in which they came.
//
// Where templates are known, in manifests, a claim that a pod has by a template and without a name is one of that pod
// alone.
//
// A claim that nobody of a group holds costs nothing, whoever may have it allocated. Decision thread only.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/text.h"
#include "cluster/account.h"
#include "quota/amounts.h"
#include "quota/device_classes.h"
#include "quota/node_model.h"
#include "quota/tree.h"

namespace huygens::quota {

class Claims {
 public:
  // All must outlive this.
  Claims(Tree& tree, const NodeModels& models, const DeviceClasses& classes, const KeyOptions& options)
      : tree_(tree), models_(models), classes_(classes), options_(options) {}

  // One with a defect holds what it held when it could be read last.
  void Set(const std::shared_ptr<const cluster::ResourceClaim>& claim);
  void Remove(std::string_view key);

  // A pod of a group, which has claims, came to the node, or left it.
  void Hold(const std::shared_ptr<const cluster::Pod>& pod, cluster::NodeIndex node);
  void Drop(const cluster::Pod& pod);
  // Its node's models, or the classes, have changed.
  void ChargeAgain(const cluster::Pod& pod);
  void ChargeAllAgain();
  // Whether it is known to hold all that it names there.
  bool Holds(const cluster::Pod& pod, cluster::NodeIndex node) const;

  // Adds what the pod, charged to these models, takes by its claims: nothing for those for which another pod is
  // charged. Of claims that are not known, or not readable, it says so: "claim NAME not seen yet"; empty: all are.
  std::string AddUsage(const cluster::Pod& pod, const cluster::QuotaLabels& models, Amounts& usage) const;

 private:
  struct Holder {
    std::shared_ptr<const cluster::Pod> pod;
    cluster::NodeIndex node = 0;
  };
  struct Record {
    std::shared_ptr<const cluster::ResourceClaim> claim;  // null: not seen yet, or gone
    TextMap<Holder> holders;                              // by UID
    std::string payer;                                    // the UID of the one for which it is charged; empty: none
    std::string group;                                    // of the payer
    Amounts charged;
  };

  // Null: not known.
  const cluster::ResourceClaim* TemplateOf(const cluster::Pod& pod, const cluster::PodClaim& claim) const;
  static const Holder* PayerOf(const Record& record);
  Amounts UsageOf(const cluster::ResourceClaim& claim, const cluster::QuotaLabels& models) const;
  void Settle(Record& record);
  void SettleOrForget(std::string_view key);

  Tree& tree_;
  const NodeModels& models_;
  const DeviceClasses& classes_;
  const KeyOptions& options_;
  TextMap<Record> records_;  // by namespace/name
};

}  // namespace huygens::quota
