// Follows all kinds of workloads that are charged as a whole (quota/workload_kinds.h) and keeps what the watches of an
// API server last told of them. A kind with a watch, a thread and a queue of its own; a kind that the cluster does not
// have (without its CRD) counts as empty. On the loop's thread, but for what the reflectors do on theirs.
//
// A workload that cannot be read stays as it was: it may well hold what it held.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/resource.h"
#include "base/status.h"
#include "base/time.h"
#include "informer/watched_kind.h"
#include "net/client.h"
#include "net/event_loop.h"
#include "observe/log.h"
#include "observe/metrics.h"
#include "observe/readiness.h"
#include "quota/workload_kinds.h"
#include "workloads/index.h"

namespace huygens::informer {

class FollowedWorkloads {
 public:
  // What a watch told: null before one that came, null after one that is gone. Valid during the call.
  using OnChange = std::function<void(const workloads::WorkloadObject* before, const workloads::WorkloadObject* after)>;

  // What is referred to must outlive this. `pods`: they, too, as workloads of their own; the owner of each says whether
  // it is one.
  FollowedWorkloads(ResourceNames& names, net::EventLoop& loop, observe::Log& log, observe::Metrics& metrics,
                    bool pods = false);
  ~FollowedWorkloads();
  FollowedWorkloads(const FollowedWorkloads&) = delete;
  FollowedWorkloads& operator=(const FollowedWorkloads&) = delete;

  void Call(OnChange on_change) { on_change_ = std::move(on_change); }
  // Once. Fails if the client options are not usable.
  Status Start(const net::ClientOptions& api_server);
  void Stop();

  const workloads::WorkloadIndex& index() const { return index_; }
  // Whether each kind was listed once.
  bool Complete() const;
  // What is missing for that, in the words of WaitingText; empty: nothing.
  std::string NotReady() const;
  // Since when nothing was heard of the kind, as reservations name it ("Deployment.apps"); zero: there is nothing to hear.
  Duration Silence(std::string_view kind) const;
  // Has the watch of the kind tell soon of all that there was when it was called.
  void CatchUp(std::string_view kind);
  // How far each kind has come; after Start. Not used when this is gone.
  std::vector<WatchedKind> Watched();
  // An item for each kind that the cluster has.
  std::vector<observe::Readiness::Item> Describe() const;

 private:
  class OfKind;

  OfKind* Find(std::string_view kind) const;

  ResourceNames& names_;
  net::EventLoop& loop_;
  observe::Log& log_;
  observe::Metrics& metrics_;
  OnChange on_change_;
  workloads::WorkloadIndex index_;
  std::vector<std::unique_ptr<OfKind>> kinds_;
};

}  // namespace huygens::informer
