// One at a time: who comes while somebody has the turn waits for it, a few of them and not for ever. Called on the
// loop's thread; a turn may end on any.
#pragma once

#include <functional>
#include <list>
#include <memory>

#include "base/time.h"
#include "net/event_loop.h"

namespace huygens::admin {

class Turns {
 public:
  // Held for as long as the turn lasts. Null: it did not come.
  using Turn = std::shared_ptr<void>;

  // `patience`: how long one waits; `most_waiting`: how many do.
  Turns(net::EventLoop& loop, Duration patience, size_t most_waiting)
      : loop_(loop), patience_(patience), most_waiting_(most_waiting) {}

  // Calls `begin` once: now, or when the turn comes, or with null when it does not come.
  void Enter(std::function<void(Turn)> begin);

 private:
  struct Waiting {
    std::function<void(Turn)> begin;
    net::Timer patience;
  };

  Turn Take();
  void Next();

  net::EventLoop& loop_;
  const Duration patience_;
  const size_t most_waiting_;
  bool taken_ = false;
  std::list<Waiting> waiting_;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace huygens::admin
