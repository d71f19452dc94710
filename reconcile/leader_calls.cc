#include "reconcile/leader_calls.h"

#include <utility>

namespace huygens::reconcile {

Status LeaderCalls::Begin(std::function<Duration()> left) {
  left_ = std::move(left);
  auto pool = std::make_unique<kube::CallPool>(loop_);
  HUYGENS_RETURN_IF_ERROR(pool->Start(api_server_, threads_));
  pool_ = std::move(pool);
  return absl::OkStatus();
}

void LeaderCalls::End() {
  if (pool_ != nullptr) pool_->Stop();
  pool_.reset();
}

void LeaderCalls::Post(Call call) {
  if (pool_ == nullptr) return;
  pool_->Post([call = std::move(call), left = left_](net::Client& client) -> kube::CallPool::Then {
    const Duration longest = left();
    if (longest <= Duration::zero()) return [] {};  // the end of the term is on its way to the loop
    return call(client, longest);
  });
}

}  // namespace huygens::reconcile
