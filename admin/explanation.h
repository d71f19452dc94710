// Why nodes would not take a pod now, with the figures that kube-scheduler is not told, and why a pod has no zones.
// Worked out when somebody asks, never on the way of a pod. Decision thread only.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "admin/usage_shortage.h"
#include "base/resource.h"
#include "placement/placement.h"
#include "placement/zone_shortage.h"
#include "policy/reason.h"

namespace huygens::admin {

struct NodeExplanation {
  std::string_view node;
  policy::Reason reason = policy::Reason::kFits;
  std::optional<placement::ZoneShortage> zones;  // of reasons that are about amounts of zones
  std::optional<UsageShortage> usage;            // of reasons that are about real use
  // Where its zones would hold the pod did nobody ask for one: why the node would refuse it all the same.
  policy::Reason across = policy::Reason::kFits;
  std::optional<UsageShortage> beside;  // where zones are the reason: the ceiling of use that would refuse the pod, too
  bool gave_up_topology = false;        // it has none since a lost one did not come back
  bool demands_topology = false;        // it has none, and the configuration lets no pod go without
  bool gives_no_cores = false;          // kubelet pins there, and the pod asks for cores (huygens.dev/smt)
  std::string defect;                   // of a topology object that cannot be used
  // What the pod insists on, of a node without a topology object, or that gives no cores, and that would take it else.
  std::string insists;
  std::string ignored;  // settings of a kubelet that nobody understands, where the reason is about what it will do
  // What the pod requests, and how much of it nobody has requested there, of each resource of which that is too little.
  ResourceVector asks, unrequested;
  std::optional<Duration> loss_left;  // of a topology object that was lost: how much longer what it last said holds
  Time now;                           // that all this is of
};

// What filter would say of these nodes now.
std::vector<NodeExplanation> Explain(placement::Placement& placement, const cluster::Pod& pod,
                                     std::span<const std::string_view> nodes, Time now);

// "needs 17 cpu in one zone, as the pod asks; largest node1: 5 of 16 free; too small even when empty", or "cpu: 2550m for
// the pod, 85 % of what it requests or is limited to, nothing measured yet, beside a peak of 12300m (Wed 14:15; the largest there is shop/web-1, 4), where
// 12800m of 16 are allowed", or LossText; empty where there are no figures.
std::string Figures(const NodeExplanation& node, const ResourceNames& resources, const placement::Options& options);

// "its NodeResourceTopology was deleted, and did not come back within topology.lossGrace (10m)"
std::string GivenUpText(Duration grace);

// Why a pod on this node was given no zones: one cause; empty if it is due some.
std::string WhyNoZones(const placement::Placement& placement, const cluster::Pod& pod, cluster::NodeIndex node);

}  // namespace huygens::admin
