// Binds one pod to one node with one POST to its binding subresource: node, annotations and the check of the UID in one
// write. Blocking, for a binder thread; each thread brings its own net::Client.
//
// What the API server says about a Binding (BindingREST in k8s.io/kubernetes/pkg/registry/core/pod/storage): 409 covers
// another UID, a pod that is bound already (by us, too), one being deleted and one with scheduling gates, so each 409
// is settled by a GET, and so is each outcome that nobody knows (time-out, broken connection). A POST whose outcome is
// unknown is repeated only after such a GET.
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/backoff.h"
#include "base/status.h"
#include "base/time.h"
#include "base/waiter.h"
#include "net/client.h"

namespace huygens::kube {

struct BindRequest {
  std::string pod_name;
  std::string namespace_name;
  std::string uid;
  std::string node;
  std::vector<std::pair<std::string, std::string>> annotations;
};

enum class BindVerdict : uint8_t {
  kBound,           // on the node, with our annotations
  kBoundOtherwise,  // on that node, but with other annotations: someone else, or an earlier attempt, bound it
  kBoundElsewhere,  // on another node
  kReplaced,        // the pod of this name has another UID
  kGone,            // no such pod
  kUnbound,         // it exists and is not bound, and no Binding of ours is under way
  kRefused,         // the API server has an objection that stays: forbidden, invalid, gated, being deleted
  kUnknown,         // sent, and nobody could say what became of it: settle later
};
std::string_view Name(BindVerdict verdict);

struct BindOutcome {
  BindVerdict verdict = BindVerdict::kUnknown;
  std::string message;         // for the operator; empty when bound
  bool by_api_server = false;  // it is the API server's word about this pod, not our failure to reach it
  int attempts = 0;            // Binding POSTs sent
};

struct BindOptions {
  int retries = 3;  // of the POST, after the first
  Duration first_pause = std::chrono::milliseconds(50);
  Duration longest_pause = std::chrono::seconds(2);
  // How long after a POST without an answer the API server may still carry it out. It gives up when the connection is
  // closed, which we do.
  Duration in_flight = std::chrono::seconds(10);
};

class Binder {
 public:
  // All must outlive the binder. Not thread-safe: one per thread.
  Binder(net::Client& client, Waiter& waiter, Random random, BindOptions options = {});

  // Returns by `deadline` (of waiter.Now()) or soon after `cancel` becomes true, whatever the API server does; a call
  // that blocks is cut short by net::Client::Cancel.
  BindOutcome Bind(const BindRequest& request, Duration deadline, const std::atomic<bool>& cancel);
  // One GET: what became of a request whose outcome was unknown, or whose watch event is overdue. `since_sent` is its
  // age: while the POST could still take effect, "not bound" is kUnknown.
  BindOutcome Settle(const BindRequest& request, Duration since_sent, Duration timeout);

 private:
  struct Attempt;
  Attempt Post(const BindRequest& request, const std::string& path, const std::string& body, Duration timeout);
  BindOutcome Look(const BindRequest& request, Duration timeout);
  // False if the deadline or `cancel` leaves no time for it.
  bool Pause(Duration pause, Duration deadline, const std::atomic<bool>& cancel);

  net::Client& client_;
  Waiter& waiter_;
  Random random_;
  BindOptions options_;
};

// What can be known to be wrong before anything is sent.
Status ValidateBind(const BindRequest& request);
// The core/v1 Binding of a request, as JSON.
std::string BindingText(const BindRequest& request);

// Keys must be qualified names, and all keys and values together at most 256 KiB: the binding subresource does not
// check that, and every later update of the pod would fail (k8s.io/apimachinery/pkg/api/validation,
// ValidateAnnotations).
Status ValidateAnnotations(const std::vector<std::pair<std::string, std::string>>& annotations);

}  // namespace huygens::kube
