#include "resizing/resize_reconciler.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "kube/object_call.h"
#include "observe/controller_metrics.h"
#include "observe/metrics.h"

namespace huygens::resizing {
namespace {

using reconcile::Reconciled;

constexpr Duration kCallTimeout = std::chrono::seconds(5);
constexpr Duration kLeftAlone = std::chrono::hours(1);
constexpr size_t kMostQueued = 1'000;  // the rest comes with the next look, by what is known then

std::string PathOf(std::string_view key) {
  const size_t slash = key.find('/');
  return Concat("/api/v1/namespaces/", key.substr(0, slash), "/pods/", key.substr(slash + 1));
}

// Owns what its reconciler shares with those of recommendations.
class Sharing final : public reconcile::Reconciler {
 public:
  explicit Sharing(std::shared_ptr<recommendations::Recommender> recommender)
      : recommender_(std::move(recommender)),
        resizing_({.targets = recommender_->targets(),
                   .calls = recommender_->environment().calls,
                   .clock = recommender_->environment().clock,
                   .log = recommender_->environment().log,
                   .not_ready = [shared = recommender_.get()] { return shared->NotReady(); }}) {}

  std::string_view name() const override { return resizing_.name(); }
  void Start(reconcile::WorkKeys& keys) override { resizing_.Start(keys); }
  std::string NotReady() const override { return resizing_.NotReady(); }
  void ForEachKey(absl::FunctionRef<void(std::string_view)> visit) const override { resizing_.ForEachKey(visit); }
  void Reconcile(const std::string& key, Done done) override { resizing_.Reconcile(key, std::move(done)); }
  void StopLeading() override { resizing_.StopLeading(); }
  void RefreshMetrics(observe::Metrics& metrics) const override { resizing_.RefreshMetrics(metrics); }

 private:
  const std::shared_ptr<recommendations::Recommender> recommender_;
  ResizeReconciler resizing_;
};

}  // namespace

void ResizeReconciler::StopLeading() {
  queue_.clear();
  left_alone_.clear();
}

void ResizeReconciler::RefreshMetrics(observe::Metrics& metrics) const { metrics.controller().SetResizes(counts_); }

void ResizeReconciler::LeaveAlone(const std::string& uid) {
  const Time now = environment_.clock.Now();
  absl::erase_if(left_alone_, [&](const auto& each) { return each.second <= now; });
  left_alone_.insert_or_assign(uid, now + kLeftAlone);
}

bool ResizeReconciler::IsLeftAlone(const std::string& uid) {
  const auto until = left_alone_.find(uid);
  return until != left_alone_.end() && until->second > environment_.clock.Now();
}

void ResizeReconciler::Reconcile(const std::string& /*key*/, Done done) {
  if (queue_.empty()) {
    for (Candidate& each : CandidatesOf(environment_.targets, environment_.clock.Now())) {
      if (queue_.size() == kMostQueued) break;
      if (!IsLeftAlone(each.uid)) queue_.push_back(std::move(each));
    }
  }
  if (queue_.empty()) return done({.again = environment_.targets.pools().configuration().interval});
  auto attempt = std::make_shared<Attempt>();
  attempt->pod = std::move(queue_.front());
  queue_.pop_front();
  attempt->path = PathOf(attempt->pod.key);
  attempt->done = std::move(done);
  Read(attempt);
}

void ResizeReconciler::Next(const std::shared_ptr<Attempt>& attempt) const {
  const settings::OvercommitConfiguration& configuration = environment_.targets.pools().configuration();
  const Duration turn = Duration(std::chrono::minutes(1)) / configuration.resizes_per_minute;
  attempt->done({.again = queue_.empty() ? std::max(turn, configuration.interval) : turn});
}

void ResizeReconciler::Fail(const std::shared_ptr<Attempt>& attempt, const Status& status) {
  // It is gone, or somebody has changed it: the watch tells, and then it is looked at again.
  if (absl::IsNotFound(status) || absl::IsAborted(status)) {
    ++counts_.kept;
    return Next(attempt);
  }
  if (absl::IsFailedPrecondition(status)) {
    ++counts_.refused;
    LeaveAlone(attempt->pod.uid);
    if (const auto left_out = warnings_.Allow(environment_.clock.Now())) {
      environment_.log.Warn("a running pod is not lowered: the API server refuses it",
                            {{"pod", attempt->pod.key}, {"why", Message(status)}, {"leftOut", *left_out}});
    }
    return Next(attempt);
  }
  ++counts_.failed;
  // Who may not do it says so each time; that one pod may not be resized, as on a node that is gone, keeps no other waiting.
  if (absl::IsPermissionDenied(status)) LeaveAlone(attempt->pod.uid);
  attempt->done({.status = Annotate(status, Concat("pod ", attempt->pod.key))});
}

void ResizeReconciler::Read(const std::shared_ptr<Attempt>& attempt) {
  environment_.calls.Post([this, attempt](net::Client& client, Duration longest) -> kube::CallPool::Then {
    const auto decode = [this](std::string_view json) { return DecodeRunningPod(json, names_); };
    auto pod = std::make_shared<StatusOr<RunningPod>>(
        kube::CallForObject(decode, client, "GET", attempt->path, "", std::min(kCallTimeout, longest)));
    return [this, attempt, pod] { TakePod(attempt, *pod); };
  });
}

void ResizeReconciler::TakePod(const std::shared_ptr<Attempt>& attempt, const StatusOr<RunningPod>& pod) {
  if (!pod.ok()) return Fail(attempt, pod.status());
  // By what is known now: the queue was made some time ago.
  const recommendations::PodEntry* known = environment_.targets.FindPod(attempt->pod.key);
  std::optional<PodTerms> terms;
  if (known != nullptr && known->uid() == attempt->pod.uid) {
    terms = TermsOf(environment_.targets, *known, environment_.clock.Now());
  }
  if (!terms || std::string_view(pod->admitted.pod.uid) != attempt->pod.uid) {
    ++counts_.kept;
    return Next(attempt);
  }
  const ResizePlan plan = PlanResize(*pod, terms->pool, terms->recommendation ? &*terms->recommendation : nullptr);
  if (plan.verdict != Verdict::kLower) {
    ++counts_.kept;
    LeaveAlone(attempt->pod.uid);
    environment_.log.Debug("a running pod is not lowered", {{"pod", attempt->pod.key}, {"why", Name(plan.verdict)}});
    return Next(attempt);
  }
  WriteRecord(attempt, *pod, plan);
}

void ResizeReconciler::WriteRecord(const std::shared_ptr<Attempt>& attempt, const RunningPod& pod,
                                   const ResizePlan& plan) {
  environment_.calls.Post([this, attempt, body = AnnotationPatch(pod, plan.record), requests = plan.requests](
                              net::Client& client, Duration longest) -> kube::CallPool::Then {
    const auto decode = [this](std::string_view json) { return DecodeRunningPod(json, names_); };
    auto written = std::make_shared<StatusOr<RunningPod>>(
        kube::CallForObject(decode, client, "PATCH", Concat(attempt->path, "/status"), body,
                            std::min(kCallTimeout, longest), kube::PatchHeaders("merge")));
    return [this, attempt, written, requests] {
      if (!written->ok()) return Fail(attempt, written->status());
      WriteRequests(attempt, **written, requests);
    };
  });
}

void ResizeReconciler::WriteRequests(const std::shared_ptr<Attempt>& attempt, const RunningPod& pod,
                                     const std::string& requests) {
  environment_.calls.Post([this, attempt, body = ResizePatch(attempt->pod.uid, pod.resource_version, requests)](
                              net::Client& client, Duration longest) -> kube::CallPool::Then {
    Status written = kube::CallForObject(client, "PATCH", Concat(attempt->path, "/resize"), body,
                                         std::min(kCallTimeout, longest), kube::PatchHeaders("strategic-merge"))
                         .status();
    return [this, attempt, written] {
      if (!written.ok()) return Fail(attempt, written);
      ++counts_.lowered;
      Next(attempt);
    };
  });
}

bool IsWanted(const settings::OvercommitConfiguration& configuration) {
  return configuration.mode == settings::OvercommitMode::kEnforce &&
         std::ranges::any_of(configuration.pools, &settings::PoolConfiguration::in_place);
}

std::unique_ptr<reconcile::Reconciler> MakeResizing(std::shared_ptr<recommendations::Recommender> recommender) {
  return std::make_unique<Sharing>(std::move(recommender));
}

}  // namespace huygens::resizing
