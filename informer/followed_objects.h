// One kind of objects with a watch, a thread and a queue of its own, that cluster::State does not hold: whoever follows the
// kind decodes it. Objects come as those of kinds of workloads do (cluster::WorkloadSet). A kind that the cluster does not
// have (without its CRD) counts as empty. On the loop's thread, but for what the reflector does on its own.
#pragma once

#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/resource.h"
#include "base/status.h"
#include "base/time.h"
#include "informer/reflectors.h"
#include "informer/watch_event_queue.h"
#include "informer/watch_readiness.h"
#include "informer/watched_kind.h"
#include "kube/resource.h"
#include "net/client.h"
#include "net/event_loop.h"
#include "observe/log.h"
#include "observe/metrics.h"
#include "observe/readiness.h"

namespace huygens::informer {

class FollowedObjects : public WatchEventHandler {
 public:
  // What is referred to must outlive this. `name`: "deployments.apps", as kubectl names kinds.
  FollowedObjects(std::string name, ResourceNames& names, net::EventLoop& loop, observe::Log& log,
                  observe::Metrics& metrics);

  // Once. Fails if the client options are not usable.
  Status Start(const net::ClientOptions& api_server, kube::Resource resource);
  // Before whoever derives from this is gone.
  void Stop() { reflectors_.Stop(); }

  const std::string& name() const { return name_; }
  // Whether it was listed once.
  bool complete() const { return complete_; }
  const kube::WatchReport& Watch() const { return queue_.Watch(cluster::Kind::kWorkload); }
  // For WaitingText, as long as it was never listed.
  Missing NotListed() const;
  Duration Silence() const { return queue_.Silence(cluster::Kind::kWorkload); }
  // Has the watch tell soon of all that there was when it was called.
  void CatchUp();
  // How far it has come; after Start. Not used when this is gone.
  WatchedKind Watched();
  // An item of /readyz.
  observe::Readiness::Item Describe() const;

  void Apply(cluster::Kind, const cluster::WatchEvent& event) final {
    std::visit([this](const auto& each) { On(each); }, event);
  }
  bool Sweep(cluster::Kind, size_t limit) final;

 protected:
  // Takes an object in and says its UID.
  virtual std::string Set(const cluster::DecodedWorkload& object) = 0;
  virtual void Gone(const std::string& uid) = 0;

 private:
  void On(const cluster::ListBegin&) { unnamed_ = there_; }
  void On(const cluster::ListEnd&) { complete_ = true; }
  void On(const cluster::WorkloadSet& event);
  void On(const cluster::WorkloadKept& event) { unnamed_.erase(event.uid); }
  void On(const cluster::WorkloadGone& event) { Remove(event.uid); }
  template <typename Other>
  void On(const Other&) {}  // what no reflector of such a kind sends
  void Remove(std::string uid);

  const std::string name_;
  std::vector<std::string> paths_;
  std::set<std::string> there_, unnamed_;  // UIDs of the kind; those that the LIST under way has not named yet
  bool complete_ = false;
  WatchEventQueue queue_;
  Reflectors reflectors_;
};

}  // namespace huygens::informer
