// A pod that holds room already and is asked about again: bound and resized in place (Kubernetes asks the extenders
// about it from 1.37 on), or reserved while kube-scheduler has not heard of its Binding. What it holds itself must not
// count against it. As long as this object lives, the accounts show the cluster without the pod; State itself stays as
// it is. Decision thread only.
#pragma once

#include <span>

#include "cluster/state.h"

namespace huygens::placement {

class OwnHold {
 public:
  // `state` and `accounts` must outlive this.
  OwnHold(const cluster::State& state, std::span<cluster::Account* const> accounts, const cluster::Pod& asking)
      : OwnHold(accounts, state.FindPlaced(asking.uid)) {}
  // What is held for it; null: nothing is.
  OwnHold(std::span<cluster::Account* const> accounts, const cluster::PlacedPod* placed)
      : placed_(placed), accounts_(accounts) {
    if (!placed_) return;
    for (cluster::Account* account : accounts_) account->Leave(*placed_);
  }
  ~OwnHold() {
    if (!placed_) return;
    for (cluster::Account* account : accounts_) account->Place(*placed_);
  }
  OwnHold(const OwnHold&) = delete;
  OwnHold& operator=(const OwnHold&) = delete;

 private:
  const cluster::PlacedPod* placed_;  // null where it holds nothing
  std::span<cluster::Account* const> accounts_;
};

}  // namespace huygens::placement
