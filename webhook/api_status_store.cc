#include "webhook/api_status_store.h"

#include <utility>

#include "kube/group_status.h"

namespace huygens::webhook {

void ApiStatusStore::Write(const cluster::BizGroupQuota& group, Duration timeout, Done done) {
  pool_.Post([group, timeout, done = std::move(done)](net::Client& client) -> kube::CallPool::Then {
    return [done, stored = kube::WriteGroupStatus(client, group, timeout)] { done(stored); };
  });
}

void ApiStatusStore::Read(const std::string& name, Duration timeout, Done done) {
  pool_.Post([name, timeout, done = std::move(done)](net::Client& client) -> kube::CallPool::Then {
    return [done, read = kube::ReadGroup(client, name, timeout)] { done(read); };
  });
}

}  // namespace huygens::webhook
