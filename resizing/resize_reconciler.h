// Lowers what running Burstable pods ask for, without a restart, in pools with inPlace: one pod after another, no more than
// overcommit.resizesPerMinute, by the subresource pods/resize (Kubernetes 1.33). One key. Each interval of scans it looks
// for pods that would ask for less; each is read anew before it is written. A pod that the API server refuses to resize
// is left alone for an hour. What the rules of a lowering are says resize_plan.h.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/resource.h"
#include "base/text.h"
#include "base/time.h"
#include "observe/log.h"
#include "observe/log_limit.h"
#include "observe/recommendation_metrics.h"
#include "recommendations/recommender.h"
#include "recommendations/targets.h"
#include "reconcile/leader_calls.h"
#include "reconcile/reconciler.h"
#include "resizing/candidates.h"
#include "resizing/resize_plan.h"
#include "resizing/running_pod.h"
#include "settings/overcommit.h"

namespace huygens::resizing {

class ResizeReconciler final : public reconcile::Reconciler {
 public:
  // What is referred to outlives this.
  struct Environment {
    const recommendations::Targets& targets;
    reconcile::LeaderCalls& calls;
    const Clock& clock;
    observe::Log& log;
    std::function<std::string()> not_ready;  // why the targets are not known yet; empty: they are
  };
  explicit ResizeReconciler(Environment environment) : environment_(std::move(environment)) {}

  std::string_view name() const override { return "resizing"; }
  void Start(reconcile::WorkKeys&) override {}
  std::string NotReady() const override { return environment_.not_ready(); }
  void ForEachKey(absl::FunctionRef<void(std::string_view)> visit) const override { visit("resizing"); }
  void Reconcile(const std::string& key, Done done) override;
  void StopLeading() override;
  void RefreshMetrics(observe::Metrics& metrics) const override;

  const observe::ResizeCounts& counts() const { return counts_; }

 private:
  struct Attempt {
    std::string path;  // of the pod
    Candidate pod;
    Done done;
  };

  void Read(const std::shared_ptr<Attempt>& attempt);
  void TakePod(const std::shared_ptr<Attempt>& attempt, const StatusOr<RunningPod>& pod);
  void WriteRecord(const std::shared_ptr<Attempt>& attempt, const RunningPod& pod, const ResizePlan& plan);
  void WriteRequests(const std::shared_ptr<Attempt>& attempt, const RunningPod& pod, const std::string& requests);
  // Of a call that failed.
  void Fail(const std::shared_ptr<Attempt>& attempt, const Status& status);
  void LeaveAlone(const std::string& uid);
  bool IsLeftAlone(const std::string& uid);
  // The next pod comes in its turn.
  void Next(const std::shared_ptr<Attempt>& attempt) const;

  const Environment environment_;
  const ResourceNames names_;
  std::deque<Candidate> queue_;
  TextMap<Time> left_alone_;  // until then, by UID
  observe::ResizeCounts counts_;
  observe::RateLimit warnings_{std::chrono::seconds(60)};
};

// Whether any pool lowers pods in place.
bool IsWanted(const settings::OvercommitConfiguration& configuration);
std::unique_ptr<reconcile::Reconciler> MakeResizing(std::shared_ptr<recommendations::Recommender> recommender);

}  // namespace huygens::resizing
