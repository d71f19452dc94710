// Which kinds of objects a service follows, and how far it has come with each: whether it can do its work yet, for its
// callers, for /readyz and for the metrics. Called on the thread that owns the state.
#pragma once

#include <string>
#include <vector>

#include "cluster/state.h"
#include "informer/watch_event_queue.h"
#include "observe/readiness.h"

namespace huygens::informer {

class FollowedKinds {
 public:
  // In the order in which they are told. `state` and `queue` must outlive this. `watched`: by an API server; manifests
  // are read once and have no more to say.
  FollowedKinds(std::vector<cluster::Kind> kinds, bool watched, const cluster::State& state,
                const WatchEventQueue& queue)
      : kinds_(std::move(kinds)), watched_(watched), state_(state), queue_(queue) {}

  // What is missing for the first decision, in the words of WaitingText; empty when nothing is.
  std::string NotReady() const;
  // An item for each kind.
  observe::Readiness Describe() const;
  // Those that were listed once, and of which nothing was heard for long (kWorrying), or whose watch is broken.
  struct Silent {
    cluster::Kind kind;
    Duration silence;
    std::string why;  // empty: the watch is open
  };
  std::vector<Silent> NotHeardOf() const;
  // Since when nothing was heard of a kind.
  Duration Silence(cluster::Kind kind) const { return watched_ ? queue_.Silence(kind) : Duration::zero(); }

 private:
  const std::vector<cluster::Kind> kinds_;
  const bool watched_;
  const cluster::State& state_;
  const WatchEventQueue& queue_;
};

}  // namespace huygens::informer
