// Tells what is new of groups and transfers by Events, which `kubectl describe bizrq NAME` shows: while this instance
// leads, as often as kube::EventRecorder lets it. The loop's thread.
#pragma once

#include <string>
#include <string_view>

#include "base/backoff.h"
#include "base/time.h"
#include "controller/quota_news.h"
#include "kube/event_recorder.h"
#include "observe/log.h"
#include "observe/log_limit.h"
#include "reconcile/leader_calls.h"

namespace huygens::controller {

class EventNews final : public NewsSink {
 public:
  // What is referred to must outlive this, and the calls under way end before it does.
  EventNews(reconcile::LeaderCalls& calls, const Clock& clock, observe::Log& log, Random random, std::string instance)
      : calls_(calls),
        clock_(clock),
        log_(log),
        events_(clock, std::move(random), {.reporter = "huygens-controller", .instance = std::move(instance)}) {}

  void Tell(const cluster::BizGroupQuota& group, const QuotaNews& news) override {
    Post("BizGroupResourceQuota", group.name, group.uid, news);
  }
  void Tell(const cluster::QuotaTransfer& transfer, const QuotaNews& news) override {
    Post("QuotaTransfer", transfer.name, transfer.uid, news);
  }

 private:
  void Post(std::string_view kind, const std::string& name, const std::string& uid, const QuotaNews& news);

  reconcile::LeaderCalls& calls_;
  const Clock& clock_;
  observe::Log& log_;
  kube::EventRecorder events_;
  observe::RateLimit warnings_{std::chrono::minutes(1)};
};

}  // namespace huygens::controller
