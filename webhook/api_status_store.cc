#include "webhook/api_status_store.h"

#include <utility>

#include "kube/group_status.h"

namespace huygens::webhook {

StatusOr<cluster::BizGroupQuota> ApiStatusStore::WriteNow(net::Client& client, const cluster::BizGroupQuota& group,
                                                          Duration timeout) {
  if (!proven_) {
    HUYGENS_RETURN_IF_ERROR(kube::TryGroupStatus(client, group, timeout));
    proven_ = true;
  }
  auto stored = kube::WriteGroupStatus(client, group, timeout);
  if (absl::IsFailedPrecondition(stored.status())) proven_ = false;
  return stored;
}

void ApiStatusStore::Write(const cluster::BizGroupQuota& group, Duration timeout, Done done) {
  pool_.Post([this, group, timeout, done = std::move(done)](net::Client& client) -> kube::CallPool::Then {
    return [this, done, name = group.name, stored = WriteNow(client, group, timeout)] {
      if (absl::IsFailedPrecondition(stored.status())) {
        if (const auto left_out = warnings_.Allow(clock_.Now())) {
          log_.Error("the API server does not take what is charged to a group",
                     {{"group", name}, {"why", Message(stored.status())}, {"leftOut", *left_out}});
        }
      }
      done(stored);
    };
  });
}

void ApiStatusStore::Read(const std::string& name, Duration timeout, Done done) {
  pool_.Post([name, timeout, done = std::move(done)](net::Client& client) -> kube::CallPool::Then {
    return [done, read = kube::ReadGroup(client, name, timeout)] { done(read); };
  });
}

}  // namespace huygens::webhook
