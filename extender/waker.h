// Wakes pods that filter rejected once capacity appears that kube-scheduler cannot see: a topology object or a zone's
// real capacity changed, say. Looks at what changed between requests, in slices, and has the backend write at most one
// annotation per node that gained: on the pod if only one would fit there, else on the node, for which kube-scheduler
// tries all pods again that an extender rejected. Decision thread only.
//
// Between two batches of writes lies at least `min_interval`, more after failures, and a batch is at most kMostWrites.
// A pod that was woken is forgotten until filter rejects it again, so nobody is woken in vain twice for one change.
// What an earlier process had rejected is not known: once ready, it has everything tried again by one write on a node.
// Where such a write does not reach every pod (Backend::NodeWriteWakesAll) it takes all that wait to be bound for
// rejected by their groups instead, so that those that fit are found; and pods that groups let go are told one by one.
#pragma once

#include <optional>
#include <vector>

#include "extender/backend.h"
#include "extender/context.h"
#include "net/event_loop.h"
#include "observe/log_limit.h"
#include "placement/wake_search.h"

namespace huygens::extender {

class Waker {
 public:
  static constexpr size_t kMostWrites = 16;

  Waker(Context& context, Backend& backend, net::EventLoop& loop, Duration min_interval);

  // Looks by itself from now on.
  void Start() { Tick(); }
  // One slice. True: there is more to look at.
  bool Look();
  // Reminds of what no event tells (WaitingPods::Remind).
  void EverySecond();

 private:
  void Tick();
  void Send(std::vector<placement::Wake> wakes);
  bool TellOfStart();
  bool TellNode();
  // A few of those that an earlier process may have rejected, so that the search is not held up by all of them at once.
  void AddRejectedBefore();
  void Report(const std::vector<placement::Wake>& wakes, const std::vector<kube::WakeReport>& reports);
  bool TooEarly(Time now) const;

  Context& context_;
  Backend& backend_;
  net::EventLoop& loop_;
  const Duration min_interval_;
  placement::WakeSearch search_;
  bool told_of_start_ = false;
  std::vector<std::shared_ptr<const cluster::Pod>> rejected_before_;  // that are to be added yet, the last one first
  bool start_failed_ = false;                                         // at the last write
  bool searching_ = false;
  bool writing_ = false;
  Time last_write_ = Time::min();
  Duration pause_;  // after last_write_
  observe::StateChange trouble_;
  net::Timer tick_;
};

}  // namespace huygens::extender
