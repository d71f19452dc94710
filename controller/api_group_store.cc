#include "controller/api_group_store.h"

#include <algorithm>
#include <utility>

#include "kube/group_status.h"

namespace huygens::controller {
namespace {

constexpr Duration kTimeout = std::chrono::seconds(5);

template <typename Ask>
void Post(LeaderCalls& calls, GroupStore::Done done, Ask ask) {
  calls.Post(
      [done = std::move(done), ask = std::move(ask)](net::Client& client, Duration longest) -> kube::CallPool::Then {
        return [done, answer = ask(client, std::min(kTimeout, longest))] { done(answer); };
      });
}

}  // namespace

void ApiGroupStore::WriteStatus(const cluster::BizGroupQuota& group, Done done) {
  Post(calls_, std::move(done),
       [group](net::Client& client, Duration timeout) { return kube::WriteGroupStatus(client, group, timeout); });
}

void ApiGroupStore::WriteFinalizers(const cluster::BizGroupQuota& group, Done done) {
  Post(calls_, std::move(done),
       [group](net::Client& client, Duration timeout) { return kube::WriteGroupFinalizers(client, group, timeout); });
}

void ApiGroupStore::Read(const std::string& name, Done done) {
  Post(calls_, std::move(done),
       [name](net::Client& client, Duration timeout) { return kube::ReadGroup(client, name, timeout); });
}

}  // namespace huygens::controller
