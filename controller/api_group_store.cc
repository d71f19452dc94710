#include "controller/api_group_store.h"

#include <algorithm>
#include <utility>

#include "controller/transfer_calls.h"
#include "kube/group_status.h"

namespace huygens::controller {
namespace {

constexpr Duration kTimeout = std::chrono::seconds(5);

template <typename Done, typename Ask>
void Post(reconcile::LeaderCalls& calls, Done done, Ask ask) {
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

void ApiGroupStore::WriteBudget(const cluster::BizGroupQuota& group, const cluster::QuotaAmounts& hard,
                                const std::string& transfer_uid, bool marked, Done done) {
  Post(calls_, std::move(done), [group, hard, transfer_uid, marked](net::Client& client, Duration timeout) {
    return kube::WriteGroupBudget(client, group, hard, transfer_uid, marked, timeout);
  });
}

void ApiGroupStore::Read(const std::string& name, Done done) {
  Post(calls_, std::move(done),
       [name](net::Client& client, Duration timeout) { return kube::ReadGroup(client, name, timeout); });
}

void ApiTransferStore::WriteStatus(const cluster::QuotaTransfer& transfer, Done done) {
  Post(calls_, std::move(done),
       [transfer](net::Client& client, Duration timeout) { return WriteTransferStatus(client, transfer, timeout); });
}

void ApiTransferStore::WriteFinalizers(const cluster::QuotaTransfer& transfer, Done done) {
  Post(calls_, std::move(done), [transfer](net::Client& client, Duration timeout) {
    return WriteTransferFinalizers(client, transfer, timeout);
  });
}

void ApiTransferStore::Read(const std::string& name, Done done) {
  Post(calls_, std::move(done),
       [name](net::Client& client, Duration timeout) { return ReadTransfer(client, name, timeout); });
}

}  // namespace huygens::controller
