// Polls the source of measured use and brings what it says to the thread that owns the accounts; tells operators how
// that goes. Called on that thread, which runs the loop.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "net/event_loop.h"
#include "observe/log.h"
#include "observe/metrics.h"
#include "observe/readiness.h"
#include "usage_sources/poller.h"
#include "usage_sources/readings_queue.h"

namespace huygens::usage_sources {

class UsageFeed {
 public:
  // What is referred to must outlive this.
  UsageFeed(net::EventLoop& loop, const Clock& clock, observe::Log& log, observe::Metrics& metrics,
            ReadingsQueue& queue, std::unique_ptr<Source> source, Duration interval);

  void Start() { poller_.Start(); }
  // Ends what is under way and waits for the thread.
  void Stop();
  // Of /readyz?verbose. Whatever the source does, huygens stays ready: what is not measured is absent, and the
  // configuration says what that means.
  observe::Readiness::Item Describe() const;
  // Whether the source has said what is used now, or failed to: before that nothing can be known.
  bool heard() const { return heard_; }

 private:
  void Take(const PollReport& report);

  const Clock& clock_;
  observe::Log& log_;
  observe::Metrics& metrics_;
  ReadingsQueue& queue_;
  const std::string source_;
  std::optional<PollReport> last_;
  std::optional<Time> last_good_;
  std::vector<std::string> notices_;        // of the last refresh that worked
  std::vector<std::string> without_nodes_;  // likewise
  std::string warned_;                      // of the failure since then
  bool heard_ = false;
  Poller poller_;
};

}  // namespace huygens::usage_sources
