// Makes kube-scheduler try pods again that an extender rejected. It does so when the pod, or any Node, changes (but not
// for a topology object, which it does not watch), so the annotation huygens.dev/wake is patched on one of them,
// through the subresource `status`: that takes no right to change a spec. Blocking; each thread brings its own
// net::Client. Source of the rule: k8s.io/kubernetes/pkg/scheduler, eventhandlers.go and the default queueing hint of
// an extender.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "base/time.h"
#include "net/client.h"

namespace huygens::kube {

struct WakeTarget {
  std::string namespace_name;  // of a Pod; empty: a Node
  std::string name;
  std::string uid;  // of the object that is meant, not of a later one with its name; empty: whichever
};

enum class WakeResult : uint8_t {
  kWritten,
  kGone,    // there is no such object any more: nobody needs waking
  kFailed,  // try again later
};
std::string_view Name(WakeResult result);  // "written", "gone", "failed"

struct WakeReport {
  WakeResult result = WakeResult::kFailed;
  std::string message;                  // of kFailed: for the operator
  bool unavailable = false;             // of kFailed: the API server takes no writes now, whatever the object
  std::optional<Duration> retry_after;  // the API server's wish
};

// `mark`: the annotation's new value; one that differs from the last, or nothing changes and nobody wakes.
WakeReport Wake(net::Client& client, const WakeTarget& target, std::string_view mark, Duration timeout);

// Whether a write on a Node makes kube-scheduler try every pod again that an extender rejected: since Kubernetes 1.32,
// which has the gate SchedulerQueueingHints on. Before, it tries only pods that could go to that very node by its own
// plugins (preCheckForNode in the same file). Asks GET /version; fails if the API server does not answer now. Blocking.
StatusOr<bool> NodeWriteWakesAll(net::Client& client, Duration timeout);

}  // namespace huygens::kube
