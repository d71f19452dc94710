// Polls the source of measured use and brings what it says to the decision thread; tells operators how that goes.
// Decision thread only.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "extender/context.h"
#include "extender/usage_inbox.h"
#include "net/event_loop.h"
#include "observe/readiness.h"
#include "usage_sources/poller.h"

namespace huygens::extender {

class UsageFeed {
 public:
  UsageFeed(Context& context, net::EventLoop& loop, UsageInbox& inbox, std::unique_ptr<usage_sources::Source> source,
            Duration interval);

  void Start() { poller_.Start(); }
  // Ends what is under way and waits for the thread.
  void Stop();
  // Of /readyz?verbose. Whatever the source does, huygens stays ready: what is not measured is absent, and the
  // configuration says what that means.
  observe::Readiness::Item Describe() const;
  // Whether the source has said what is used now, or failed to: before that nothing can be known.
  bool heard() const { return heard_; }

 private:
  void Take(const usage_sources::PollReport& report);

  Context& context_;
  UsageInbox& inbox_;
  const std::string source_;
  std::optional<usage_sources::PollReport> last_;
  std::optional<Time> last_good_;
  std::vector<std::string> notices_;        // of the last refresh that worked
  std::vector<std::string> without_nodes_;  // likewise
  std::string warned_;                      // of the failure since then
  bool heard_ = false;
  usage_sources::Poller poller_;
};

}  // namespace huygens::extender
