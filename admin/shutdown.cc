#include "admin/shutdown.h"

#include <algorithm>
#include <utility>

namespace huygens::admin {

Shutdown::Shutdown(net::EventLoop& loop, net::Server& server, Duration lame_duck, Duration grace)
    : loop_(loop), server_(server), lame_duck_(std::clamp(lame_duck, Duration::zero(), grace)), grace_(grace) {}

void Shutdown::Begin(std::function<void(size_t cut)> done) {
  if (std::exchange(begun_, true)) return;
  done_ = std::move(done);
  if (lame_duck_ == Duration::zero()) return StopServing(grace_);
  server_.EndConnections();
  timer_ = loop_.After(lame_duck_, [this] { StopServing(grace_ - lame_duck_); });
}

void Shutdown::EndLameDuck() {
  if (!timer_.pending()) return;
  timer_.Cancel();
  StopServing(grace_);
}

void Shutdown::StopServing(Duration grace) { server_.Drain(grace, std::exchange(done_, nullptr)); }

}  // namespace huygens::admin
