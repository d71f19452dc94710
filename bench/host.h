// The extender's service on a server of its own thread, as in production but for the API server, with /echo/N beside it:
// N bytes back for whatever came.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>

#include "admin/recent_pods.h"
#include "bench/cluster.h"
#include "extender/cluster_updates.h"
#include "extender/manifest_backend.h"
#include "extender/service.h"
#include "net/server.h"

namespace huygens::bench {

class Host {
 public:
  using Filler = std::function<void(placement::Placement&, Time now)>;

  Host(placement::Options options, const Filler& fill);
  // A cluster made by Fill, and with a fullness by FillUsage, too.
  Host(placement::Options options, size_t nodes, size_t pods);
  Host(placement::Options options, size_t nodes, size_t pods, Fullness fullness);
  ~Host();
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  uint16_t port() const { return server_->port(); }
  informer::WatchEventQueue& queue() { return queue_; }
  // What the decision thread has worked so far, and what it had when it had read the last request: what a request waits
  // for there is seen by that however busy the machine is.
  double CpuMicroseconds();
  double CpuAtRequest() const { return cpu_at_request_; }

 private:
  std::atomic<double> cpu_at_request_ = 0;
  SystemClock clock_;
  net::EventLoop loop_;
  observe::Log log_;
  observe::Metrics metrics_;
  observe::DecisionRing ring_;
  observe::DecisionLog decision_log_;
  ResourceNames resources_;
  std::unique_ptr<placement::Placement> placement_;
  admin::RecentPods pods_;
  extender::Journal journal_;
  extender::Context context_;
  extender::ClusterUpdates updates_;
  informer::WatchEventQueue queue_;
  extender::ManifestBackend backend_;
  extender::BindFlow bind_;
  extender::Service service_;
  std::unique_ptr<net::Server> server_;
  std::thread thread_;
};

}  // namespace huygens::bench
