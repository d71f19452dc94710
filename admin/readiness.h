// Whether huygens can decide, and what each part of that says: one line of /readyz?verbose per item. A plain value,
// made on the decision thread.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "kube/event_sink.h"

namespace huygens::admin {

struct Readiness {
  struct Item {
    bool ok = true;
    bool warning = false;  // worth knowing, but no reason not to be ready
    std::string name;      // "pods"
    std::string detail;    // "synced", "not synced: connection refused"
  };
  std::vector<Item> items;

  bool Ready() const {
    return std::all_of(items.begin(), items.end(), [](const Item& item) { return item.ok || item.warning; });
  }
};

// "12 s": whole seconds, rounded towards 0.
std::string SecondsText(Duration duration);

// One kind of object that is watched: not good until it was listed once, or nobody allows to list it and huygens can do
// without (kube::WatchState::kForbidden). Decisions go on with what was last seen
// however long nothing is heard of it, but past kWorrying it is a warning, and past kTooLong the core kinds, nodes and
// pods, are the reason for 503: where another instance hears more, requests should go there.
inline constexpr Duration kWorrying = std::chrono::minutes(3);  // three bookmarks
inline constexpr Duration kTooLong = std::chrono::minutes(10);
Readiness::Item DescribeWatch(const kube::WatchReport& watch, bool listed, Duration silence);

// One kind of object that was never listed, and why, if that is known.
struct Missing {
  std::string_view kind;
  std::string_view why;
};
// "waiting for the first list of nodes, pods and 2 more (GET https://HOST/...: Connection refused)": each cause once,
// and always in the same words, as kube-scheduler writes it into the status and the events of every pod. "" for none.
std::string WaitingText(std::span<const Missing> missing);

}  // namespace huygens::admin
