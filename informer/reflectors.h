// A reflector for each kind of objects that a service follows, each on a thread of its own, and the queue that they
// deliver to: all that is between an API server and the thread that owns the state.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/resource.h"
#include "base/status.h"
#include "informer/watch_event_queue.h"
#include "kube/reflector.h"
#include "net/client.h"

namespace huygens::informer {

class Reflectors {
 public:
  // What is referred to must outlive this.
  Reflectors(ResourceNames& names, WatchEventQueue& queue) : names_(names), queue_(queue) {}
  ~Reflectors() { Stop(); }
  Reflectors(const Reflectors&) = delete;
  Reflectors& operator=(const Reflectors&) = delete;

  // Once. Fails if the client options are not usable; then some may have started.
  Status Start(const net::ClientOptions& api_server, std::span<const cluster::Kind> kinds);
  Status Start(const net::ClientOptions& api_server, kube::Resource resource);
  // kube::Reflector::CatchUp, of a kind that was started. Any thread.
  void CatchUp(cluster::Kind kind, uint64_t version);
  // Ends all and waits for their threads; what is delivered meanwhile is dropped. On the queue's thread: no reflector
  // waits there for it.
  void Stop();

 private:
  ResourceNames& names_;
  WatchEventQueue& queue_;
  std::vector<std::unique_ptr<kube::Reflector>> reflectors_;
};

}  // namespace huygens::informer
