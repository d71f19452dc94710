// The status of groups at an API server: calls on threads of their own, answers on the loop's thread.
//
// A charge whose reservation the API server drops, since the CustomResourceDefinition is that of an earlier version, would
// be lost with the next count. So the first write of all is tried without being stored (dryRun), and so is the next one
// after a write of which something was dropped.
#pragma once

#include <atomic>
#include <string>

#include "kube/call_pool.h"
#include "observe/log.h"
#include "observe/log_limit.h"
#include "webhook/status_store.h"

namespace huygens::webhook {

class ApiStatusStore final : public StatusStore {
 public:
  // What is referred to must outlive it, and `pool` must have stopped when it goes.
  ApiStatusStore(kube::CallPool& pool, observe::Log& log, const Clock& clock) : pool_(pool), log_(log), clock_(clock) {}

  void Write(const cluster::BizGroupQuota& group, Duration timeout, Done done) override;
  void Read(const std::string& name, Duration timeout, Done done) override;

 private:
  // On a thread of the pool.
  StatusOr<cluster::BizGroupQuota> WriteNow(net::Client& client, const cluster::BizGroupQuota& group, Duration timeout);

  kube::CallPool& pool_;
  observe::Log& log_;
  const Clock& clock_;
  std::atomic<bool> proven_ = false;  // the API server keeps all of a status
  observe::RateLimit warnings_{std::chrono::minutes(1)};
};

}  // namespace huygens::webhook
