// Carries watch events from the reflectors' threads to the decision thread and applies them there, in bounded slices
// between requests, so that a storm of events holds no request back for more than a fraction of a millisecond.
#pragma once

#include <array>
#include <functional>

#include "extender/context.h"
#include "extender/node_faults.h"
#include "kube/event_sink.h"
#include "kube/known_faults.h"
#include "net/backpressure.h"
#include "net/event_loop.h"
#include "net/time_sliced_queue.h"

namespace huygens::extender {

// Batches that may wait, by the JSON that they were read from: several pages of pods, worked off within a second.
inline constexpr size_t kMostWaitingBytes = size_t{32} << 20;

class Inbox final : public kube::EventSink {
 public:
  Inbox(Context& context, net::EventLoop& loop) : context_(context), loop_(loop) {}

  // Any thread. Waits while megabytes of earlier batches are not applied yet, so not the decision thread unless the
  // batch counts no bytes.
  void Deliver(kube::EventBatch batch) override;
  void Report(kube::WatchReport report) override;
  void ObjectFault(cluster::Kind kind, std::string_view object, const Status& fault, bool in_use) override;

  // Any thread. Nobody waits in Deliver any more, and what is delivered from now on is dropped: before the reflectors
  // are stopped.
  void Close() { backpressure_.Close(); }
  // Bytes delivered and not applied yet. Any thread.
  size_t waiting_bytes() const { return backpressure_.taken(); }

  // Decision thread. What a kind's watch last reported, and the resource version up to which its changes are applied.
  const kube::WatchReport& Watch(cluster::Kind kind) const { return watches_[static_cast<size_t>(kind)]; }
  uint64_t Seen(cluster::Kind kind) const { return seen_[static_cast<size_t>(kind)]; }
  // Since when nothing was heard of the kind, not even a bookmark, of which the API server sends one a minute; zero
  // where there is nothing to hear: before the first list, or without its CRD.
  Duration Silence(cluster::Kind kind) const;
  // Called after `kind` got further.
  void OnProgress(std::function<void(cluster::Kind)> call) { on_progress_ = std::move(call); }
  // What of Nodes is ignored.
  NodeFaults& node_faults() { return node_faults_; }

 private:
  void TellUnreadable();
  void LogFault(cluster::Kind kind, std::string_view object, std::string_view fault, bool in_use);
  // As a fault of the object, though it is in use.
  void ReportUnknownSettings(const cluster::Event& event);
  void ReportUnknownSetting(cluster::Kind kind, std::string_view object, std::string_view fault);
  // A few events of the batch; whether it has more.
  bool ApplySome(kube::EventBatch& batch);
  void Finish(const kube::EventBatch& batch);

  Context& context_;
  net::EventLoop& loop_;
  std::function<void(cluster::Kind)> on_progress_;
  std::array<kube::WatchReport, cluster::kKindCount> watches_;
  std::array<uint64_t, cluster::kKindCount> seen_{};
  std::array<Duration, cluster::kKindCount> heard_{};  // by Context::monotonic
  std::array<kube::KnownFaults, cluster::kKindCount> unknown_settings_;
  NodeFaults node_faults_;
  size_t next_ = 0;  // of the batch under way
  net::Backpressure backpressure_{kMostWaitingBytes};
  net::TimeSlicedQueue<kube::EventBatch> batches_{loop_, [this](kube::EventBatch& batch) { return ApplySome(batch); }};
};

}  // namespace huygens::extender
