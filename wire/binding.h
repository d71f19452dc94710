// What a bind writes: the core/v1 Binding and the two annotations in it. Appending writers that cannot fail; safe on
// any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/resource.h"
#include "base/time.h"
#include "cluster/objects.h"
#include "cluster/zone_share.h"

namespace huygens::wire {

inline constexpr std::string_view kTopologyResultAnnotation = "topology.crane.io/topology-result";
inline constexpr std::string_view kPlacementAnnotation = "huygens.dev/placement";

struct Binding {
  std::string_view pod_name;
  std::string_view namespace_name;
  std::string_view pod_uid;  // the API server answers 409 if the pod has another one; empty = not checked
  std::string_view node;
  std::span<const std::pair<std::string_view, std::string_view>>
      annotations;  // merged into the pod's by the API server
};
void AppendBinding(std::string& out, const Binding& binding);

// The text of topology.crane.io/topology-result, byte for byte as crane-scheduler writes it:
// [{"name":"node0","type":"Node","resources":{"capacity":{"cpu":"2"}}}], zones in the order given, which crane has by
// name (cluster::NameZones), amounts of 0 left out.
void AppendTopologyResult(std::string& out, std::span<const cluster::ZoneShare> zones, const ResourceNames& names);

// The text of huygens.dev/placement:
// {"uid","node","group","models":{"cpu",...},"zones":[{"name","cpu",...}],"by","at"}, zones in the order given; without
// a group nothing is said of it or of models.
struct PlacementAnnotation {
  std::string_view uid;
  std::string_view node;
  const cluster::QuotaLabels* quota = nullptr;               // null: belongs to no group
  std::optional<std::span<const cluster::ZoneShare>> zones;  // nothing: nothing is said of zones
  std::string_view by;                                       // which instance decided
  Time at;
};
void AppendPlacementAnnotation(std::string& out, const PlacementAnnotation& placement, const ResourceNames& names);

}  // namespace huygens::wire
