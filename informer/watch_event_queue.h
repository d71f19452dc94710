// Carries watch events from the reflectors' threads to the one thread that owns what they are applied to, and has them
// applied there in bounded slices between requests, so that a storm of events holds no request back for more than a
// fraction of a millisecond. What client-go's DeltaFIFO is between a reflector and its handlers; no event is merged
// with another here.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>

#include "base/steady_now.h"
#include "base/time.h"
#include "cluster/watch_event.h"
#include "kube/watch_event_sink.h"
#include "net/backpressure.h"
#include "net/event_loop.h"
#include "net/time_sliced_queue.h"
#include "observe/log.h"
#include "observe/metrics.h"

namespace huygens::informer {

// Batches that may wait, by the JSON that they were read from: several pages of pods, worked off within a second.
inline constexpr size_t kMostWaitingBytes = size_t{32} << 20;

// What a service does with the events. Called on the thread of the queue's loop.
class WatchEventHandler {
 public:
  virtual ~WatchEventHandler() = default;
  virtual void Apply(cluster::Kind kind, const cluster::WatchEvent& event) = 0;
  // As cluster::State::Sweep: before the end of a list is applied, removes at most `limit` of the objects that it did
  // not name. Whether there may be more.
  virtual bool Sweep(cluster::Kind kind, size_t limit) = 0;
  // The watch of a kind is in another state, or broken for another reason.
  virtual void WatchChanged(const kube::WatchReport& /*report*/) {}
  // kube::WatchEventSink::ObjectFault; it has been counted and logged. An empty `fault`: there is none any more.
  virtual void ObjectFault(cluster::Kind, std::string_view /*object*/, std::string_view /*fault*/, bool /*in_use*/) {}
};

// Counts and logs that an object cannot be read or, with `in_use`, that a part of it is ignored. `name`: of the kind,
// where kinds of workloads have to be told apart. Any thread.
void ReportFault(observe::Log& log, observe::Metrics& metrics, cluster::Kind kind, std::string_view object,
                 std::string_view fault, bool in_use, std::string_view name = "");

class WatchEventQueue final : public kube::WatchEventSink {
 public:
  // Everything referred to must outlive the queue. `monotonic` is a clock that nobody sets; `name` as in ReportFault.
  WatchEventQueue(WatchEventHandler& handler, net::EventLoop& loop, observe::Log& log, observe::Metrics& metrics,
                  std::function<Duration()> monotonic = SteadyNow, std::string name = "")
      : handler_(handler),
        loop_(loop),
        log_(log),
        metrics_(metrics),
        monotonic_(std::move(monotonic)),
        name_(std::move(name)) {}

  // Any thread. Waits while megabytes of earlier batches are not applied yet, so not the loop's thread unless the batch
  // counts no bytes.
  void Deliver(kube::WatchEventBatch batch) override;
  void Report(kube::WatchReport report) override;
  void ObjectFault(cluster::Kind kind, std::string_view object, const Status& fault, bool in_use) override;

  // Any thread. Nobody waits in Deliver any more, and what is delivered from now on is dropped: before the reflectors
  // are stopped.
  void Close() { backpressure_.Close(); }
  // Bytes delivered and not applied yet. Any thread.
  size_t waiting_bytes() const { return backpressure_.taken(); }

  // The loop's thread. What a kind's watch last reported, and the resource version up to which its changes are applied.
  const kube::WatchReport& Watch(cluster::Kind kind) const { return watches_[static_cast<size_t>(kind)]; }
  uint64_t Seen(cluster::Kind kind) const { return seen_[static_cast<size_t>(kind)]; }
  // Since when nothing was heard of the kind, not even a bookmark, of which the API server sends one a minute; zero
  // where there is nothing to hear: before the first list, or without its CRD.
  Duration Silence(cluster::Kind kind) const;
  // Called after `kind` got further.
  void OnProgress(std::function<void(cluster::Kind)> call) { on_progress_ = std::move(call); }

 private:
  // A few events of the batch; whether it has more.
  bool ApplySome(kube::WatchEventBatch& batch);
  void Finish(const kube::WatchEventBatch& batch);

  WatchEventHandler& handler_;
  net::EventLoop& loop_;
  observe::Log& log_;
  observe::Metrics& metrics_;
  const std::function<Duration()> monotonic_;
  const std::string name_;
  std::function<void(cluster::Kind)> on_progress_;
  std::array<kube::WatchReport, cluster::kKindCount> watches_;
  std::array<uint64_t, cluster::kKindCount> seen_{};
  std::array<Duration, cluster::kKindCount> heard_{};  // by monotonic_
  size_t next_ = 0;                                    // of the batch under way
  net::Backpressure backpressure_{kMostWaitingBytes};
  net::TimeSlicedQueue<kube::WatchEventBatch> batches_{
      loop_, [this](kube::WatchEventBatch& batch) { return ApplySome(batch); }};
};

}  // namespace huygens::informer
