#include "recommendations/recommendation_reconciler.h"

#include <algorithm>
#include <utility>

#include "recommendations/target_status.h"
#include "wire/object_meta.h"

namespace huygens::recommendations {

namespace {

using recommend::TargetHistory;
using recommendation_api::Checkpoint;
using recommendation_api::Dimension;
using recommendation_api::Recommendation;
using recommendation_api::RecommendationStatus;
using recommendation_api::RecommendationTemplate;
using recommendation_api::Target;
using reconcile::Reconciled;

constexpr Duration kWriteTimeout = std::chrono::seconds(5);
constexpr Duration kLookAgain = std::chrono::minutes(10);  // whether a workload without pods is still there
constexpr int kBackfillTries = 5;
constexpr size_t kMostBackfills = 2;     // at once, so that scans find a thread
constexpr int64_t kMostPoints = 10'900;  // Prometheus gives 11 000 at a time

// Whether the template would have the target if it had pods.
bool Covers(const RecommendationTemplate& object, const Target& target) {
  const bool here = object.namespaces.empty() ||
                    std::ranges::find(object.namespaces, target.namespace_name) != object.namespaces.end();
  // A pod that nobody made stands for itself in the dimension workload, too.
  const bool dimension = object.dimension == target.dimension ||
                         (object.dimension == Dimension::kWorkload && target.dimension == Dimension::kPod);
  const bool kind = object.kinds.empty() || target.dimension != Dimension::kWorkload ||
                    std::ranges::find(object.kinds, target.kind) != object.kinds.end();
  return here && dimension && kind;
}

// What the pods of a target used, as Prometheus remembers it.
StatusOr<TargetHistory> ReadPast(UseSource& source, const Target& target, const recommend::Profile& profile, Time first,
                                 Time last, Duration step, int64_t original_cpu) {
  TargetHistory history = EmptyHistory(profile);
  const UseSource::VisitPast visit = [&](std::string_view pod, Time time, recommend::Resource resource, int64_t used) {
    const std::optional<int64_t> amount[] = {used};
    const recommend::PodReading reading{pod, std::min(time, last), original_cpu, amount};
    const recommend::PodReading nothing{pod, std::min(time, last), original_cpu, {}};
    if (resource == recommend::Resource::kCpu) {
      history.Add(reading, nothing);
    } else {
      history.Add(nothing, reading);
    }
  };
  HUYGENS_RETURN_IF_ERROR(source.ReadPast(target, first, last, step, visit));
  history.ForgetPods(Time::max());
  return history;
}

}  // namespace

template <typename Ask, typename Then>
void RecommendationReconciler::Post(Ask ask, Then then) {
  environment_.calls.Post(
      [ask = std::move(ask), then = std::move(then)](net::Client& client, Duration longest) -> kube::CallPool::Then {
        return [then, answer = ask(client, std::min(kWriteTimeout, longest))]() mutable { then(std::move(answer)); };
      });
}

void RecommendationReconciler::ForEachKey(absl::FunctionRef<void(std::string_view)> visit) const {
  environment_.targets.ForEach([&](const TargetState& target) { visit(target.key); });
}

void RecommendationReconciler::StopLeading() {
  schedules_.clear();
  backfills_ = 0;
  environment_.targets.ForgetHistories();
}

RecommendationReconciler::Schedule& RecommendationReconciler::ScheduleOf(const TargetState& target) {
  const auto [at, is_new] = schedules_.try_emplace(target.key);
  if (is_new) {
    // Not random: an instance that goes on writes at the same times.
    const Duration interval = environment_.targets.pools().configuration().checkpoint_interval;
    at->second.due =
        environment_.monotonic() + Duration(static_cast<int64_t>(recommendation_api::StableHash(target.key) %
                                                                 static_cast<uint64_t>(interval.count())));
  }
  return at->second;
}

Recommendation RecommendationReconciler::StoredOf(const TargetState& target) const {
  Recommendation recommendation;
  recommendation.metadata.name = target.target.ObjectName();
  recommendation.metadata.namespace_name = target.target.namespace_name;
  recommendation.metadata.uid = target.uid;
  if (target.version > 0) recommendation.metadata.resource_version = std::to_string(target.version);
  recommendation.target = target.target;
  recommendation.template_name = target.template_name;
  return recommendation;
}

void RecommendationReconciler::Reconcile(const std::string& key, Done done) {
  TargetState* target = environment_.targets.Find(key);
  if (target == nullptr || target->deletion) {
    schedules_.erase(key);
    return done({});
  }
  if (target->pods.empty()) return LookWhetherGone(*target, std::move(done));
  if (target->uid.empty()) return Create(*target, std::move(done));
  if (!target->measuring) return BeginMeasuring(*target, std::move(done));
  Write(*target, std::move(done));
}

void RecommendationReconciler::Took(const StatusOr<Recommendation>& written, const Done& done,
                                    const std::function<void()>& next) {
  if (!written.ok()) {
    // Somebody else has written it, or deleted it: the watch tells, and then it is looked at again.
    return done({.status = written.status()});
  }
  environment_.targets.SetStored(*written);
  next();
}

void RecommendationReconciler::Create(TargetState& target, Done done) {
  Recommendation recommendation = StoredOf(target);
  recommendation.metadata.resource_version.clear();
  Post([recommendation](net::Client& client,
                        Duration timeout) { return CreateRecommendation(client, recommendation, timeout); },
       [this, key = target.key, done = std::move(done)](const StatusOr<Recommendation>& created) {
         Took(created, done, [&] {
           const TargetState* known = environment_.targets.Find(key);
           if (known != nullptr && known->uid.empty()) return done({.status = Internal("it was not created")});
           Reconcile(key, done);
         });
       });
}

void RecommendationReconciler::BeginMeasuring(TargetState& target, Done done) {
  Post([in = target.target.namespace_name, name = target.target.ObjectName()](
           net::Client& client, Duration timeout) { return ReadCheckpoint(client, in, name, timeout); },
       [this, key = target.key, done = std::move(done)](const StatusOr<Checkpoint>& checkpoint) {
         TakeCheckpoint(key, checkpoint, done);
       });
}

void RecommendationReconciler::TakeCheckpoint(const std::string& key, const StatusOr<Checkpoint>& checkpoint,
                                              Done done) {
  TargetState* target = environment_.targets.Find(key);
  if (target == nullptr) return done({});
  if (checkpoint.ok()) {
    target->checkpoint_version = checkpoint->metadata.resource_version;
    TargetHistory history = EmptyHistory(target->profile);
    const bool of_it = checkpoint->target == target->key && !checkpoint->history.empty();
    const Status loaded = of_it ? history.Load(checkpoint->history) : Refused("checkpoint: it is of another target");
    if (loaded.ok()) {
      ++counts_.restored;
      ScheduleOf(*target).now = true;
      environment_.targets.Begin(*target, std::move(history));
      return Reconcile(key, std::move(done));
    }
    if (const auto left_out = warnings_.Allow(environment_.clock.Now())) {
      environment_.log.Warn("history begins anew", {{"target", key}, {"why", Message(loaded)}, {"leftOut", *left_out}});
    }
  } else if (!absl::IsNotFound(checkpoint.status())) {
    return done({.status = checkpoint.status()});
  }
  Schedule& schedule = ScheduleOf(*target);
  const Duration back = environment_.targets.pools().configuration().backfill;
  if (environment_.source->has_past() && back > Duration::zero() && schedule.backfill_tries < kBackfillTries) {
    return Backfill(*target, std::move(done));
  }
  environment_.targets.Begin(*target, std::nullopt);
  Reconcile(key, std::move(done));
}

void RecommendationReconciler::Backfill(TargetState& target, Done done) {
  if (backfills_ >= kMostBackfills) return done({.again = std::chrono::seconds(1)});
  ++backfills_;
  const settings::OvercommitConfiguration& configuration = environment_.targets.pools().configuration();
  const Time last = environment_.clock.Now();
  const Time first = last - configuration.backfill;
  // As often as scans do, so that what is remembered weighs as much as what is measured.
  const Duration step = std::max(configuration.interval, Duration(configuration.backfill / kMostPoints));
  const int64_t original =
      target.shape == nullptr ? 0 : target.shape->SumOf(&PodContainer::original, recommend::Resource::kCpu).value_or(0);
  environment_.calls.Post([this, source = environment_.source, of = target.target, key = target.key,
                           profile = target.profile, first, last, step, original,
                           done = std::move(done)](net::Client&, Duration) -> kube::CallPool::Then {
    auto past = std::make_shared<StatusOr<TargetHistory>>(ReadPast(*source, of, profile, first, last, step, original));
    return [this, key, done, past] {
      --backfills_;
      TargetState* known = environment_.targets.Find(key);
      if (known == nullptr) return done({});
      if (!past->ok()) {
        ++ScheduleOf(*known).backfill_tries;
        return done({.status = Annotate(past->status(), "history of Prometheus")});
      }
      ++counts_.backfilled;
      environment_.targets.Begin(*known, std::move(**past));
      known->unsaved = known->history.cpu().samples() + known->history.memory().samples() > 0;
      Reconcile(key, done);
    };
  });
}

void RecommendationReconciler::Write(TargetState& target, Done done) {
  if (target.template_name != target.stored_template && !target.template_name.empty()) {
    return Post(
        [recommendation = StoredOf(target)](net::Client& client, Duration timeout) {
          return WriteTemplateName(client, recommendation, timeout);
        },
        [this, key = target.key, done = std::move(done)](const StatusOr<Recommendation>& written) {
          Took(written, done, [&] { Reconcile(key, done); });
        });
  }
  Schedule& schedule = ScheduleOf(target);
  const Duration now = environment_.monotonic();
  RecommendationStatus status = StatusOf(target, environment_.targets.pools(), environment_.clock.Now());
  const bool due = (now >= schedule.due || std::exchange(schedule.now, false)) &&
                   (target.unsaved || DigestOf(status) != target.stored_digest);
  // What nobody goes by yet moves often: of a young history the value can wait.
  const auto* effective = recommendation_api::FindCondition(status.conditions, recommendation_api::kEffective);
  const bool matters = effective != nullptr && effective->status == "True";
  const bool changed =
      OutlineOf(status) != target.stored_outline || (matters && DigestOf(status) != target.stored_digest);
  if (now >= schedule.due) {
    const Duration interval = environment_.targets.pools().configuration().checkpoint_interval;
    schedule.due += interval * ((now - schedule.due) / interval + 1);
  }
  if (!due && !changed) return done({.again = schedule.due - now});
  if (!target.unsaved) return WriteStatus(target, std::move(status), std::move(done));
  Checkpoint checkpoint;
  checkpoint.metadata.name = target.target.ObjectName();
  checkpoint.metadata.namespace_name = target.target.namespace_name;
  checkpoint.metadata.resource_version = target.checkpoint_version;
  checkpoint.metadata.owners = {{std::string(recommendation_api::kApiVersion),
                                 std::string(recommendation_api::kRecommendationKind), checkpoint.metadata.name,
                                 target.uid}};
  checkpoint.target = target.key;
  checkpoint.history = target.history.Save();
  target.unsaved = false;
  const recommend::PerResource<double> model = target.Model();
  Post([checkpoint = std::move(checkpoint)](net::Client& client,
                                            Duration timeout) { return WriteCheckpoint(client, checkpoint, timeout); },
       [this, key = target.key, model, status = std::move(status),
        done = std::move(done)](const StatusOr<std::string>& version) {
         TargetState* known = environment_.targets.Find(key);
         if (known == nullptr) return done({});
         if (!version.ok()) {
           known->unsaved = true;
           // Another one stands there: it is looked for, and what was measured meanwhile replaces it.
           if (absl::IsAborted(version.status()) || absl::IsNotFound(version.status())) {
             return LookForCheckpoint(key, version.status(), done);
           }
           return done({.status = version.status()});
         }
         ++counts_.checkpoints;
         known->checkpoint_version = *version;
         known->saved_model = model;
         WriteStatus(*known, status, done);
       });
}

void RecommendationReconciler::LookForCheckpoint(const std::string& key, const Status& why, Done done) {
  const TargetState* target = environment_.targets.Find(key);
  if (target == nullptr) return done({});
  Post([in = target->target.namespace_name, name = target->target.ObjectName()](
           net::Client& client, Duration timeout) { return ReadCheckpoint(client, in, name, timeout); },
       [this, key, why, done = std::move(done)](const StatusOr<Checkpoint>& checkpoint) {
         TargetState* known = environment_.targets.Find(key);
         if (known == nullptr) return done({});
         if (checkpoint.ok()) known->checkpoint_version = checkpoint->metadata.resource_version;
         if (absl::IsNotFound(checkpoint.status())) known->checkpoint_version.clear();
         done({.status = why});  // tried again soon
       });
}

void RecommendationReconciler::WriteStatus(TargetState& target, RecommendationStatus status, Done done) {
  Recommendation recommendation = StoredOf(target);
  recommendation.status = std::move(status);
  const Duration again = std::max(ScheduleOf(target).due - environment_.monotonic(), Duration::zero());
  Post(
      [recommendation = std::move(recommendation)](net::Client& client, Duration timeout) {
        return WriteRecommendationStatus(client, recommendation, timeout);
      },
      [this, again, done = std::move(done)](const StatusOr<Recommendation>& written) {
        Took(written, done, [&] {
          ++counts_.statuses;
          done({.again = again});
        });
      });
}

void RecommendationReconciler::LookWhetherGone(TargetState& target, Done done) {
  if (target.uid.empty()) {
    schedules_.erase(target.key);
    environment_.targets.Remove(target.key);
    return done({});
  }
  struct Answer {
    StatusOr<std::optional<bool>> exists;
    StatusOr<std::optional<RecommendationTemplate>> made_by;
  };
  Post(
      [of = target.target, name = target.template_name](net::Client& client, Duration timeout) {
        return Answer{TargetExists(client, of, timeout), FindTemplate(client, name, timeout)};
      },
      [this, key = target.key, done = std::move(done)](const Answer& answer) {
        TargetState* known = environment_.targets.Find(key);
        if (known == nullptr) return done({});
        if (!known->pods.empty()) return Reconcile(key, done);
        // An API server that does not answer says nothing of what there is.
        if (!answer.exists.ok()) return done({.status = answer.exists.status()});
        if (!answer.made_by.ok()) return done({.status = answer.made_by.status()});
        const std::string_view why = WhyGone(*known, *answer.exists, *answer.made_by);
        if (!why.empty()) return GiveUp(*known, why, done);
        if (known->gone_since) return GiveUp(*known, "", done);
        // A workload of no replicas keeps what is stored of it, and goes on from there when its pods come back.
        if (!known->measuring || known->shape == nullptr) return done({.again = kLookAgain});
        Write(*known, [done](const Reconciled& result) {
          Reconciled again = result;
          if (again.status.ok()) again.again = std::min(again.again.value_or(kLookAgain), kLookAgain);
          done(again);
        });
      });
}

std::string_view RecommendationReconciler::WhyGone(const TargetState& target, const std::optional<bool>& exists,
                                                   const std::optional<RecommendationTemplate>& made_by) const {
  if (exists == false) return kWorkloadGone;
  bool covered = made_by && Covers(*made_by, target.target);
  bool defective = made_by && !made_by->defect.empty();
  environment_.targets.ForEachTemplate([&](const RecommendationTemplate& each) {
    covered = covered || Covers(each, target.target);
    defective = defective || !each.defect.empty();
  });
  if (defective) return {};  // nobody knows what is meant: nothing is given up for it
  if (!covered) return made_by ? kNotSelected : kTemplateGone;
  return environment_.targets.HasUnselectedPods(target.target) ? kNotSelected : std::string_view();
}

void RecommendationReconciler::GiveUp(TargetState& target, std::string_view why, Done done) {
  const Time now = environment_.clock.Now();
  const Duration keep = environment_.targets.pools().configuration().keep_for;
  if (!why.empty() && target.gone_since && now - *target.gone_since >= keep) return Delete(target, std::move(done));
  Recommendation recommendation = StoredOf(target);
  recommendation.status.conditions = target.conditions;
  if (!why.empty()) {
    recommendation.status.gone_since = target.gone_since.value_or(std::chrono::floor<std::chrono::seconds>(now));
    for (const recommendation_api::Condition& each :
         StatusOf(target, environment_.targets.pools(), now, why).conditions) {
      recommendation_api::SetCondition(recommendation.status.conditions, each, now);
    }
  }
  const Duration again = why.empty() ? kLookAgain
                                     : std::clamp<Duration>(*recommendation.status.gone_since + keep - now,
                                                            std::chrono::seconds(1), kLookAgain);
  if (recommendation.status.gone_since == target.gone_since) return done({.again = again});
  Post([recommendation = std::move(recommendation)](
           net::Client& client, Duration timeout) { return WriteGone(client, recommendation, timeout); },
       [this, again, done = std::move(done)](const StatusOr<Recommendation>& written) {
         Took(written, done, [&] { done({.again = again}); });
       });
}

void RecommendationReconciler::Delete(TargetState& target, Done done) {
  Post([recommendation = StoredOf(target)](
           net::Client& client, Duration timeout) { return DeleteRecommendation(client, recommendation, timeout); },
       [this, key = target.key, uid = target.uid, done = std::move(done)](const Status& deleted) {
         if (!deleted.ok()) return done({.status = deleted});
         ++counts_.deleted;
         environment_.log.Info("recommendation deleted", {{"target", key}});
         schedules_.erase(key);
         environment_.targets.RemoveStored(uid);
         environment_.targets.Remove(key);
         done({});
       });
}

}  // namespace huygens::recommendations
