// The admin server: health, readiness, metrics and the /debug pages, over HTTP on its own thread, so that none of it
// waits behind a request of kube-scheduler or holds one back for long. What belongs to the decision thread is asked
// there, in slices, and if it does not answer within `patience` the client is told so.
//
// Start and the destructor are called on the decision thread, or while its loop does not run. Plain HTTP: keep it on
// loopback.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/resource.h"
#include "base/status.h"
#include "base/time.h"
#include "extender/pod_memory.h"
#include "extender/readiness.h"
#include "net/event_loop.h"
#include "net/server.h"
#include "observe/decision_ring.h"
#include "observe/metrics.h"
#include "placement/placement.h"

namespace huygens::extender {

// Everything must outlive the Admin.
struct AdminSources {
  net::EventLoop& decision;
  const placement::Placement& placement;
  const ResourceNames& resources;
  const observe::Metrics& metrics;
  const observe::DecisionRing& decisions;
  const PodMemory& pods;
  const Clock& clock;
  std::function<Readiness()> readiness;   // called on the decision thread
  std::function<void()> refresh_metrics;  // called on the decision thread before each scrape; may be empty
};

struct AdminOptions {
  std::string address = "127.0.0.1:8889";
  bool allow_plain_http = false;  // on addresses beyond loopback
  Duration patience = std::chrono::seconds(5);
  net::ServerEvents events;  // called on the admin thread
};

class Admin {
 public:
  // Errors: those of net::Server::Start.
  static StatusOr<std::unique_ptr<Admin>> Start(AdminSources sources, AdminOptions options);
  ~Admin();

  uint16_t port() const;

 private:
  class Impl;
  explicit Admin(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace huygens::extender
