#include "capacity_writer/capacity_news.h"

#include "base/text.h"
#include "capacity_writer/zone_patches.h"
#include "wire/event_object.h"

namespace huygens::capacity_writer {

using real_capacity::Finding;
using real_capacity::Outcome;

std::string ChangesIn(const real_capacity::Plan& plan) {
  constexpr size_t kTold = 8;
  std::string text;
  size_t count = 0;
  for (const Finding& each : plan.findings) {
    if (each.outcome != Outcome::kWrite && each.outcome != Outcome::kRemove) continue;
    if (each.before == each.after) continue;
    if (++count > kTold) continue;
    text += Concat(text.empty() ? "" : ", ", each.zone, " ", each.attribute, " ",
                   each.before.empty() ? "none" : each.before, " -> ", each.after.empty() ? "none" : each.after);
  }
  if (count > kTold) text += Concat(" and ", std::to_string(count - kTold), " more");
  return text;
}

void CapacityNews::Tell(const ZoneObject& object, std::string_view reason, const std::string& message, bool warning) {
  if (!events_.Allow(object.uid, {.reason = reason, .message = message, .repeat_key = message})) return;
  calls_.Post([this, name = object.name, uid = object.uid, node_uid = object.node_uid,
               api_version = std::string(ApiVersion(object.source)), reason = std::string(reason), message,
               warning](net::Client& client, Duration) -> kube::CallPool::Then {
    const wire::EventSubject subject = node_uid.empty()
                                           ? wire::EventSubject{api_version, "NodeResourceTopology", "", name, uid}
                                           : wire::EventSubject{"v1", "Node", "", name, node_uid};
    const Status sent = events_.Send(client, subject, reason, message, warning);
    return [this, name, sent] {
      if (sent.ok()) return;
      if (const auto left_out = warnings_.Allow(clock_.Now())) {
        log_.Warn("event not sent", {{"object", name}, {"why", Message(sent)}, {"leftOut", *left_out}});
      }
    };
  });
}

}  // namespace huygens::capacity_writer
