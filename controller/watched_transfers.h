// The transfers of budget between groups, as the watch of an API server tells of them. A cluster may be without their
// definition, or let nobody list them: then there are none. On the loop's thread.
#pragma once

#include <functional>
#include <string>

#include "base/resource.h"
#include "base/status.h"
#include "cluster/quota_transfer.h"
#include "informer/followed_objects.h"
#include "net/client.h"

namespace huygens::controller {

class WatchedTransfers final : public informer::FollowedObjects {
 public:
  using OnSet = std::function<void(const cluster::QuotaTransfer& transfer)>;
  using OnGone = std::function<void(const std::string& uid)>;

  // What is referred to must outlive this.
  WatchedTransfers(ResourceNames& names, net::EventLoop& loop, observe::Log& log, observe::Metrics& metrics,
                   OnSet on_set, OnGone on_gone);
  ~WatchedTransfers() override { Stop(); }

  // Once. Fails if the client options are not usable.
  Status Start(const net::ClientOptions& api_server);
  // What is missing for the first look, in the words of WaitingText; empty: nothing.
  std::string NotReady() const;

 private:
  std::string Set(const cluster::DecodedWorkload& object) override;
  void Gone(const std::string& uid) override { on_gone_(uid); }

  const OnSet on_set_;
  const OnGone on_gone_;
};

}  // namespace huygens::controller
