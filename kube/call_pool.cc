#include "kube/call_pool.h"

#include <utility>

namespace huygens::kube {

Status CallPool::Start(const net::ClientOptions& api_server, size_t threads) {
  workers_.resize(threads);
  for (Worker& each : workers_) {
    HUYGENS_ASSIGN_OR_RETURN(each.client, net::Client::Create(api_server));
  }
  for (Worker& each : workers_) each.thread = std::thread([this, &each] { Work(each); });
  return absl::OkStatus();
}

void CallPool::Post(Call call) {
  const std::lock_guard lock(mutex_);
  if (stopping_) return;
  if (idle_.empty()) return calls_.push_back(std::move(call));
  Worker& worker = *idle_.back();
  idle_.pop_back();
  worker.call = std::move(call);
  worker.given.notify_one();
}

void CallPool::Work(Worker& worker) {
  Then then;
  while (const Call call = Next(worker, std::move(then))) then = call(*worker.client);
}

CallPool::Call CallPool::Next(Worker& worker, Then then) {
  Call call;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return nullptr;
    if (calls_.empty()) {
      idle_.insert(then ? idle_.end() : idle_.begin(), &worker);  // one that has just begun has no connection yet
    } else {
      call = std::move(calls_.front());
      calls_.pop_front();
    }
  }
  if (then) {
    loop_.Post([alive = alive_, then = std::move(then)] {
      if (*alive) then();
    });
  }
  if (call) return call;
  std::unique_lock lock(mutex_);
  worker.given.wait(lock, [&] { return stopping_ || worker.call; });
  return stopping_ ? nullptr : std::exchange(worker.call, nullptr);
}

void CallPool::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  *alive_ = false;
  for (Worker& each : workers_) {
    each.given.notify_one();
    if (each.client != nullptr) each.client->Cancel();
  }
  for (Worker& each : workers_) {
    if (each.thread.joinable()) each.thread.join();
  }
  workers_.clear();
}

}  // namespace huygens::kube
