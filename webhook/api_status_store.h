// The status of groups at an API server: calls on threads of their own, answers on the loop's thread.
#pragma once

#include <string>

#include "kube/call_pool.h"
#include "webhook/status_store.h"

namespace huygens::webhook {

class ApiStatusStore final : public StatusStore {
 public:
  // `pool` must outlive it.
  explicit ApiStatusStore(kube::CallPool& pool) : pool_(pool) {}

  void Write(const cluster::BizGroupQuota& group, Duration timeout, Done done) override;
  void Read(const std::string& name, Duration timeout, Done done) override;

 private:
  kube::CallPool& pool_;
};

}  // namespace huygens::webhook
