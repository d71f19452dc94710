// Objects of one kind as they are stored, for whoever judges them by rules: what comes is handed on and not kept. On the
// loop's thread.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "base/resource.h"
#include "base/status.h"
#include "informer/followed_objects.h"
#include "net/client.h"

namespace huygens::rule_keeping {

struct LiveJson {
  std::string uid, namespace_name, name, resource_version, json;
};

class FollowedLive final : public informer::FollowedObjects {
 public:
  struct Callbacks {
    std::function<void(const LiveJson&)> set;
    std::function<void(const std::string& uid)> gone;
  };
  // What is referred to must outlive this.
  FollowedLive(std::string name, ResourceNames& names, net::EventLoop& loop, observe::Log& log,
               observe::Metrics& metrics, Callbacks callbacks)
      : FollowedObjects(std::move(name), names, loop, log, metrics), callbacks_(std::move(callbacks)) {}
  ~FollowedLive() override { Stop(); }

  // Once; `path`: "/api/v1/pods". Fails if the client options are not usable.
  Status Start(const net::ClientOptions& api_server, std::string path);

 private:
  std::string Set(const cluster::DecodedWorkload& object) override;
  void Gone(const std::string& uid) override { callbacks_.gone(uid); }

  const Callbacks callbacks_;
};

}  // namespace huygens::rule_keeping
