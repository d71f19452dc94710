// Keeps the Recommendation of each target as it should be: makes it, goes on from its checkpoint (or from what Prometheus
// remembers), writes it where something changed, and gives it up once its workload or its template is gone for sure.
//
// Order and frequency of writes: what a recommendation rests on is stored before it is, so that whoever goes on from
// there, after a kill -9 too, begins with what is published. Where a value moves that pods may get both are written at
// once; else once in checkpointInterval, each target at a time of its own, and only if there were samples. Keys are
// Target::Key().
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.h"
#include "base/time.h"
#include "observe/log.h"
#include "observe/log_limit.h"
#include "recommendations/object_calls.h"
#include "recommendations/targets.h"
#include "recommendations/use_source.h"
#include "reconcile/leader_calls.h"
#include "reconcile/reconciler.h"

namespace huygens::recommendations {

class RecommendationReconciler final : public reconcile::Reconciler {
 public:
  // What is referred to outlives this.
  struct Environment {
    Targets& targets;
    reconcile::LeaderCalls& calls;
    const Clock& clock;
    observe::Log& log;
    std::function<Duration()> monotonic;
    std::shared_ptr<UseSource> source;
    std::function<std::string()> not_ready;  // why the targets are not known yet; empty: they are
  };
  explicit RecommendationReconciler(Environment environment) : environment_(std::move(environment)) {}

  std::string_view name() const override { return "recommendations"; }
  void Start(reconcile::WorkKeys& keys) override { keys_ = &keys; }
  std::string NotReady() const override { return environment_.not_ready(); }
  void ForEachKey(absl::FunctionRef<void(std::string_view)> visit) const override;
  void Reconcile(const std::string& key, Done done) override;
  void StopLeading() override;

  // A target wants to be looked at.
  void Look(const std::string& key) {
    if (keys_ != nullptr) keys_->Add(key);
  }
  struct Counts {
    uint64_t checkpoints = 0, statuses = 0, deleted = 0, restored = 0, backfilled = 0;
  };
  const Counts& counts() const { return counts_; }

 private:
  using Target = recommendation_api::Target;

  struct Schedule {
    Duration due{};    // the next checkpoint and status of a target that has not moved
    bool now = false;  // it may have been killed between a checkpoint and its status: the latter comes at once
    int backfill_tries = 0;
  };

  Schedule& ScheduleOf(const TargetState& target);
  recommendation_api::Recommendation StoredOf(const TargetState& target) const;
  void Create(TargetState& target, Done done);
  void BeginMeasuring(TargetState& target, Done done);
  void TakeCheckpoint(const std::string& key, const StatusOr<recommendation_api::Checkpoint>& checkpoint, Done done);
  void Backfill(TargetState& target, Done done);
  void Write(TargetState& target, Done done);
  // Of a checkpoint that is not the one that was known.
  void LookForCheckpoint(const std::string& key, const Status& why, Done done);
  void WriteStatus(TargetState& target, recommendation_api::RecommendationStatus status, Done done);
  void LookWhetherGone(TargetState& target, Done done);
  std::string_view WhyGone(const TargetState& target, const std::optional<bool>& exists,
                           const std::optional<recommendation_api::RecommendationTemplate>& made_by) const;
  void GiveUp(TargetState& target, std::string_view why, Done done);
  void Delete(TargetState& target, Done done);
  // After a call: what was written becomes what is known.
  void Took(const StatusOr<recommendation_api::Recommendation>& written, const Done& done,
            const std::function<void()>& next);
  // Posts a blocking call and goes on with its answer on the loop's thread.
  template <typename Ask, typename Then>
  void Post(Ask ask, Then then);

  const Environment environment_;
  reconcile::WorkKeys* keys_ = nullptr;
  TextMap<Schedule> schedules_;
  size_t backfills_ = 0;  // under way
  Counts counts_;
  observe::RateLimit warnings_{std::chrono::seconds(10)};
};

}  // namespace huygens::recommendations
