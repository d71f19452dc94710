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

#include "kubelet/account.h"
#include "scoring/term.h"
#include "topology/zone_account.h"
#include "topology/zone_choice.h"

namespace huygens::scoring {

float FewestZonesScore(const topology::ZoneSet& zones);

class FewestZones final : public Term {
 public:
  // The accounts must outlive the term.
  FewestZones(const topology::ZoneAccount& zones, const kubelet::Account& kubelet) : zones_(zones), kubelet_(kubelet) {}

  std::string_view name() const override { return "FewestZones"; }
  void Score(const PodQuery& pod, const cluster::State& state, std::span<const NodeIndex> nodes,
             std::span<float> scores) const override;

 private:
  float ScoreManaged(const PodQuery& pod, NodeIndex node, topology::ZoneOffers& scratch) const;
  float ScoreKubelet(const PodQuery& pod, NodeIndex node) const;

  const topology::ZoneAccount& zones_;
  const kubelet::Account& kubelet_;
};

}  // namespace huygens::scoring
