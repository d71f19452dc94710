// Writes this node's topology object of one kind by server-side apply. Blocking; one thread at a time.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "net/client.h"
#include "publish/stored_topology.h"
#include "publish/topology_object.h"

namespace huygens::agent {

inline constexpr std::string_view kFieldManager = "huygens-agent";
inline constexpr std::string_view kCraneTopologies = "/apis/topology.crane.io/v1alpha1/noderesourcetopologies";
inline constexpr std::string_view kCommunityTopologies = "/apis/topology.node.k8s.io/v1alpha2/noderesourcetopologies";

class TopologyWriter {
 public:
  // `collection`: one of the above.
  TopologyWriter(std::string_view collection, std::string_view node);

  // The object is to be so. Where others' attributes would be lost (publish::ZoneList::kAsWhole) it is read before and
  // they are written along. NotFound: the kind is not installed. Aborted: it changed meanwhile; try again. Other errors
  // are those of kube::CallForObject.
  Status Apply(net::Client& client, const publish::TopologyObject& object);

  enum class Found : uint8_t { kAbsent, kAsWanted, kDiffers };
  // Only reads.
  StatusOr<Found> Look(net::Client& client, const publish::TopologyObject& object);

  publish::ZoneList zones() const { return zones_; }

 private:
  // Nothing where there is none.
  StatusOr<std::optional<std::string>> Read(net::Client& client) const;

  const std::string path_;
  publish::ZoneList zones_ = publish::ZoneList::kUnknown;
};

}  // namespace huygens::agent
