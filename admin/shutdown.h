// How the server of the verbs ends: for a while it goes on serving, each answer being the last on its connection, so
// that whoever looks at readiness sends nobody here any more and no client meets a closed door; then it stops accepting
// and finishes what is under way. Decision thread only; the server must outlive it.
#pragma once

#include <functional>

#include "net/event_loop.h"
#include "net/server.h"

namespace huygens::admin {

class Shutdown {
 public:
  // `lame_duck` is how long it goes on serving; `grace` all that it may take.
  Shutdown(net::EventLoop& loop, net::Server& server, Duration lame_duck, Duration grace);

  // `done` gets the number of connections that had to be cut. Once.
  void Begin(std::function<void(size_t cut)> done);
  // Stops accepting now. Nothing if that has happened, or if nothing has begun.
  void EndLameDuck();
  bool begun() const { return begun_; }
  // Whether it goes on serving.
  bool lame_duck() const { return timer_.pending(); }

 private:
  void StopServing(Duration grace);

  net::EventLoop& loop_;
  net::Server& server_;
  const Duration lame_duck_;
  const Duration grace_;
  bool begun_ = false;
  net::Timer timer_;
  std::function<void(size_t cut)> done_;
};

}  // namespace huygens::admin
