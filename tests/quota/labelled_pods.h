// Pods with quota labels, of which the account is told by a function.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "cluster/biz_group_quota.h"
#include "cluster/objects.h"
#include "quota/account.h"

namespace huygens::quota {

class LabelledPods {
 public:
  using PodPointer = std::shared_ptr<const cluster::Pod>;

  PodPointer Make(std::string uid, cluster::Pod pod, cluster::QuotaLabels labels) {
    pod.uid = pod.name = std::move(uid);
    auto made = std::make_shared<const cluster::Pod>(std::move(pod));
    labels_.emplace(made.get(), std::move(labels));
    kept_.push_back(made);
    return made;
  }
  PodPointer Bound(const PodPointer& pod, std::string node) {
    cluster::Pod bound = *pod;
    bound.node_name = std::move(node);
    return Make(pod->uid, std::move(bound), labels_.at(pod.get()));
  }
  PodPointer Relabelled(const PodPointer& pod, cluster::QuotaLabels labels) {
    return Make(pod->uid, *pod, std::move(labels));
  }
  const cluster::QuotaLabels& Of(const PodPointer& pod) const { return labels_.at(pod.get()); }

  Account::LabelsOf LabelsOf() {
    return [this](const cluster::Pod& pod) -> const cluster::QuotaLabels& { return labels_.at(&pod); };
  }

 private:
  std::map<const cluster::Pod*, cluster::QuotaLabels> labels_;
  std::vector<PodPointer> kept_;  // so that no other pod gets the address
};

}  // namespace huygens::quota
