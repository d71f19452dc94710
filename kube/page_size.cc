#include "kube/page_size.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace huygens::kube {

void PageSize::Grow() { size_ = std::min(most_, size_ + size_ / 4 + 1); }

bool PageSize::Halve() {
  const int half = std::max(least_, size_ / 2);
  return std::exchange(size_, half) > half;
}

bool IsTooMuch(const StatusOr<net::HttpReply>& reply) {
  if (!reply.ok()) return absl::IsDeadlineExceeded(reply.status()) || absl::IsResourceExhausted(reply.status());
  if (reply->code == 413 || reply->code == 504) return true;
  // etcd and gRPC refuse by size inside a 500: "etcdserver: request is too large", "received message larger than max",
  // "response size exceeds limit".
  if (reply->code != 500) return false;
  for (const std::string_view text : {"too large", "larger than max", "exceeds limit", "ResourceExhausted"}) {
    if (reply->body.find(text) != std::string::npos) return true;
  }
  return false;
}

}  // namespace huygens::kube
