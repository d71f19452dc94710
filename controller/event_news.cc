#include "controller/event_news.h"

#include <utility>

namespace huygens::controller {

void EventNews::Post(std::string_view kind, const std::string& name, const std::string& uid, const QuotaNews& news) {
  if (!calls_.leads()) return;  // whoever does tells it
  if (!events_.Allow(uid, {.reason = news.reason, .message = news.message, .repeat_key = news.about})) return;
  calls_.Post([this, kind = std::string(kind), name, uid, news](net::Client& client, Duration) -> kube::CallPool::Then {
    const Status sent = events_.Send(client, {"quota.huygens.dev/v1alpha1", kind, "", name, uid}, news.reason,
                                     news.message, news.warning);
    return [this, name, sent] {
      if (sent.ok()) return;
      if (const auto left_out = warnings_.Allow(clock_.Now())) {
        log_.Warn("event not sent", {{"object", name}, {"why", Message(sent)}, {"leftOut", *left_out}});
      }
    };
  });
}

}  // namespace huygens::controller
