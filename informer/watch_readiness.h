// What watches say to whether a service can do its work, in words for the operator.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/time.h"
#include "kube/watch_event_sink.h"
#include "observe/readiness.h"

namespace huygens::informer {

// One kind of object that is watched: not good until it was listed once, or nobody allows to list it and huygens can do
// without (kube::WatchState::kForbidden). Decisions go on with what was last seen
// however long nothing is heard of it, but past kWorrying it is a warning, and past kTooLong the core kinds, nodes and
// pods, are the reason for 503: where another instance hears more, requests should go there.
inline constexpr Duration kWorrying = std::chrono::minutes(3);  // three bookmarks
inline constexpr Duration kTooLong = std::chrono::minutes(10);
observe::Readiness::Item DescribeWatch(const kube::WatchReport& watch, bool listed, Duration silence);

// One kind of object that was never listed, and why, if that is known.
struct Missing {
  std::string_view kind;
  std::string_view why;
};
// "waiting for the first list of nodes, pods and 2 more (GET https://HOST/...: Connection refused)": each cause once,
// and always in the same words, as kube-scheduler writes it into the status and the events of every pod. "" for none.
std::string WaitingText(std::span<const Missing> missing);

}  // namespace huygens::informer
