// The admin server of any service: health, readiness, metrics and what pages it has below /debug, over HTTP on its own
// thread, so that none of it waits behind the service's own requests or holds one back for long. What belongs to the
// decision thread is asked there, in slices, and if it does not answer within `patience` the client is told so.
//
// The pages below /debug are answered one at a time, in pieces, to this machine and, with `authorize`, to whoever
// presents a bearer token that may get them. Probes and metrics are answered whoever else is connected.
//
// Start and the destructor are called on the decision thread, or while its loop does not run. Plain HTTP.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "admin/pages.h"
#include "admin/token_access.h"
#include "base/status.h"
#include "base/time.h"
#include "net/event_loop.h"
#include "net/server.h"
#include "observe/readiness.h"

namespace huygens::admin {

// Everything referred to must outlive the Admin.
struct AdminSources {
  net::EventLoop& decision;
  std::function<std::string()> render_metrics;  // in Prometheus' text format; called on the admin thread
  // Called on the decision thread. Unless `verbose`, what decides whether huygens is ready is enough while it is.
  std::function<observe::Readiness(bool verbose)> readiness;
  std::function<void()> refresh_metrics;  // called on the decision thread before each scrape; may be empty
  // Whether the owner of a bearer token may get a path; called on the admin thread, answers on any, and not any more
  // when the Admin is destroyed. Empty: /debug is for this machine only.
  std::function<void(std::string token, std::string path, TokenAccess::Done done)> authorize = nullptr;
  std::unique_ptr<const Pages> pages = nullptr;  // below /debug; null: there are none
};

struct AdminOptions {
  std::string address = "127.0.0.1:8889";
  bool allow_plain_http = false;  // on addresses beyond loopback
  Duration patience = std::chrono::seconds(5);
  net::ServerObservers observers;  // called on the admin thread
};

class Admin {
 public:
  // Errors: those of net::Server::Start.
  static StatusOr<std::unique_ptr<Admin>> Start(AdminSources sources, AdminOptions options);
  ~Admin();

  uint16_t port() const;
  // Of answers that clients have not taken. Any thread.
  size_t bytes_in_flight() const;

 private:
  class Impl;
  explicit Admin(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace huygens::admin
