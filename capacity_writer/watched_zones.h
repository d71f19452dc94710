// The topology objects of one kind as who writes attributes of their zones follows them: a watch of its own, since what
// others decode of them leaves out who owns what. A cluster may be without the kind: then there are none. On the loop's
// thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/resource.h"
#include "base/status.h"
#include "base/text.h"
#include "capacity_writer/zone_object.h"
#include "informer/followed_objects.h"
#include "net/client.h"
#include "observe/readiness.h"

namespace huygens::capacity_writer {

class WatchedZones final : public informer::FollowedObjects {
 public:
  // What is referred to must outlive this. `on_set`: an object came, or is another one now.
  WatchedZones(cluster::TopologySource source, ResourceNames& names, net::EventLoop& loop, observe::Log& log,
               observe::Metrics& metrics, std::function<void(const ZoneObject& object)> on_set);
  ~WatchedZones() override { Stop(); }

  // Once. Fails if the client options are not usable.
  Status Start(const net::ClientOptions& api_server);
  // What is missing for the first look; empty: nothing.
  std::string NotReady() const;

  // Null: there is none of that name.
  const ZoneObject* Find(std::string_view name) const;
  const TextMap<ZoneObject>& objects() const { return objects_; }

 private:
  std::string Set(const cluster::DecodedWorkload& object) override;
  void Gone(const std::string& uid) override;

  const cluster::TopologySource source_;
  const std::function<void(const ZoneObject& object)> on_set_;
  TextMap<ZoneObject> objects_;   // by name
  TextMap<std::string> name_of_;  // by UID
};

}  // namespace huygens::capacity_writer
