// Term "FewestZones": the fewer zones a pod would be spread over, the better; among equal numbers, the nearer the
// zones.
//
//   n zones -> 1/n - f * (1/n - 1/(n+1)),  f = (mean distance between the zones - 10) / (255 - 10), cut to 0..1
//
// So one zone is 1, two zones are 1/2 where they touch and fall towards 1/3 as they part; more zones never beat fewer.
// 10 is the distance of a zone to itself, 255 means unreachable or unknown (ACPI SLIT). crane's plugin is 1/n without
// the distance. Where kubelet pins, the zones are those that it will take. A node that cannot take the pod is 0; where
// no zones are taken (the pod asks nothing, no topology object) there is no opinion.
#pragma once

#include "scoring/term.h"
#include "topology/node_kinds.h"
#include "topology/zone_choice.h"

namespace huygens::scoring {

float FewestZonesScore(const topology::ZoneSet& zones);

class FewestZones final : public Term {
 public:
  // The kinds must outlive the term.
  explicit FewestZones(const topology::NodeKinds& nodes) : kinds_(nodes) {}

  std::string_view name() const override { return "FewestZones"; }
  void Score(const PodQuery& pod, const cluster::Prepared* prepared, const cluster::State& state,
             std::span<const NodeIndex> nodes, std::span<float> scores) const override;

 private:
  const topology::NodeKinds& kinds_;
};

}  // namespace huygens::scoring
