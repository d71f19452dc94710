// One instance of `huygens controller` in the simulation: production's reconciler of groups, its loop and the beginning of
// its terms, on watches and calls that are simulated. Who leads says whoever owns it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "controller/cluster_view.h"
#include "controller/quota_reconciler.h"
#include "controller/transfer_reconciler.h"
#include "reconcile/fresh_start.h"
#include "reconcile/reconcile_loop.h"
#include "tests/simulation/webhook_instance.h"

namespace huygens::simulation {

class ControllerInstance final : public controller::ClusterView {
 public:
  ControllerInstance(const Surroundings& given, Stream random, Duration resync);

  // From now on, as soon as all is listed.
  void Lead();
  void StopLeading();
  bool leads() const { return leads_; }

  const workloads::WorkloadIndex& workloads() const override { return index_; }
  std::string NotReady() const override;
  Duration Silence(std::string_view kind) const override;
  void CatchUp(std::string_view kind) override;

  Line& line() { return line_; }
  Watch& watch(std::string_view kind) { return *Find(kind); }
  const observe::QuotaCounts& counts() const { return reconciler_->counts(); }

 private:
  class Store;

  class Transfers;

  reconcile::ReconcileLoop::Environment LoopEnvironment(const Stream& random);
  // Answers come to the term in which was asked.
  template <typename T>
  std::function<void(StatusOr<T>)> OfThisTerm(std::function<void(StatusOr<T>)> done);
  void Told(const Change& change);
  void Begin();
  Watch* Find(std::string_view kind) const;

  const Surroundings given_;
  const SkewedClock clock_;
  workloads::WorkloadIndex index_;
  Line line_;
  std::unique_ptr<controller::QuotaReconciler> reconciler_;
  std::unique_ptr<controller::TransferReconciler> transfers_;
  std::unique_ptr<reconcile::ReconcileLoop> loop_, transfer_loop_;
  std::map<std::string, std::unique_ptr<Watch>, std::less<>> watches_;
  std::unique_ptr<reconcile::FreshStart> fresh_;
  bool leads_ = false;
  uint64_t term_ = 0;
};

}  // namespace huygens::simulation
