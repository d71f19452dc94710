// The Lease that says which huygens may bind (coordination.k8s.io/v1): the protocol, one blocking call at a time, on
// the thread that owns it.
//
// Rules as in client-go (tools/leaderelection): updates are guarded by resourceVersion; another holder's term ends
// when, by our own monotonic clock, the object has not changed for the duration it states; our own counts from before
// the request that renewed it was sent.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "base/time.h"
#include "base/waiter.h"
#include "net/client.h"
#include "wire/lease.h"

namespace huygens::kube {

struct LeaseOptions {
  std::string namespace_name = "kube-system";
  std::string name = "huygens-bind";
  std::string identity;                          // unique per process: "host_6f1c..."
  Duration duration = std::chrono::seconds(10);  // whole seconds
  Duration call_timeout = std::chrono::seconds(3);
};

class Lease {
 public:
  // `waiter` is used as a clock only.
  Lease(net::Client& client, const Waiter& waiter, const Clock& clock, LeaseOptions options);

  // Takes or renews it. OK: ours for Left(). FailedPrecondition: another instance holds it, or was faster. Else the API
  // server could not be asked or did not want to; our own time, if any, runs on.
  Status Hold();
  // Gives it up, if it is ours, so that others need not wait for its end.
  Status Release();

  // How long it is still ours; zero = it is not.
  Duration Left() const;
  // Who else holds it, as far as we know; empty if nobody.
  const std::string& other_holder() const { return other_holder_; }
  // Grows each time it becomes ours after someone else may have had it. Giving it up and taking it again untouched is
  // the same term.
  uint64_t term() const { return term_; }

 private:
  Status Look();
  Status Write(wire::Lease next);
  void Observe(wire::Lease lease);
  bool Mine() const { return exists_ && seen_.holder == options_.identity; }
  std::string Path() const;

  net::Client& client_;
  const Waiter& waiter_;
  const Clock& clock_;
  const LeaseOptions options_;
  bool looked_ = false;  // seen_ and exists_ are what the API server said last
  bool exists_ = false;
  wire::Lease seen_;
  Duration observed_{};  // when it last changed, by our clock
  Duration held_until_{};
  bool held_ = false;
  std::string our_version_;  // the resource version of our last write
  bool touched_ = true;      // someone else may have held it since our last write
  std::string other_holder_;
  uint64_t term_ = 0;
};

}  // namespace huygens::kube
