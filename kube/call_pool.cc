#include "kube/call_pool.h"

#include <utility>

namespace huygens::kube {

Status CallPool::Start(const net::ClientOptions& api_server, size_t threads) {
  workers_.resize(threads);
  for (Worker& each : workers_) {
    HUYGENS_ASSIGN_OR_RETURN(each.client, net::Client::Create(api_server));
  }
  for (Worker& each : workers_) each.thread = std::thread([this, &client = *each.client] { Work(client); });
  return absl::OkStatus();
}

void CallPool::Post(Call call) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    calls_.push_back(std::move(call));
  }
  filled_.notify_one();
}

void CallPool::Work(net::Client& client) {
  while (true) {
    Call call;
    {
      std::unique_lock lock(mutex_);
      filled_.wait(lock, [this] { return stopping_ || !calls_.empty(); });
      if (stopping_) return;
      call = std::move(calls_.front());
      calls_.pop_front();
    }
    loop_.Post([alive = alive_, then = call(client)] {
      if (*alive) then();
    });
  }
}

void CallPool::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  *alive_ = false;
  filled_.notify_all();
  for (Worker& each : workers_) {
    if (each.client != nullptr) each.client->Cancel();
  }
  for (Worker& each : workers_) {
    if (each.thread.joinable()) each.thread.join();
  }
  workers_.clear();
}

}  // namespace huygens::kube
