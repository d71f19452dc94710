// Terms "LeastAllocated", "MostAllocated", "BalancedAllocation" and "LeastNUMANodes": the strategies of the community's
// scheduler plugin on nodes that its topology objects (topology.node.k8s.io/v1alpha2) describe, upstream's score / 100;
// scoring/zone_strategies.h and scoring/least_numa.h have the rules.
//
// What is available is what the object says less what has been bound since (kubelet/account.h), where upstream
// keeps the object alone or takes every pod off every zone. As upstream: 1 for pods that are not Guaranteed, whatever
// the node; 0 on nodes without a usable object, and for the first three unless the policy is single-numa-node. Nodes
// whose own agent pins are not upstream's matter: no opinion.
#pragma once

#include <string_view>

#include "kubelet/account.h"
#include "scoring/least_numa.h"
#include "scoring/term.h"
#include "scoring/zone_strategies.h"
#include "topology/node_kinds.h"

namespace huygens::scoring {

class CommunityTerm : public Term {
 public:
  std::string_view name() const override { return name_; }
  void Score(const PodQuery& pod, const cluster::Prepared* prepared, const cluster::State& state,
             std::span<const NodeIndex> nodes, std::span<float> scores) const override;

 protected:
  // Both must outlive the term.
  CommunityTerm(std::string_view name, const topology::NodeKinds& nodes, const kubelet::Account& kubelet)
      : name_(name), nodes_(nodes), kubelet_(kubelet) {}

  virtual bool Applies(const kubelet::Options& options) const = 0;
  // 0 to 100; `zones` may be changed.
  virtual int NodeScore(const CommunityPod& pod, const cluster::NodeTopology& topology, const kubelet::Options& options,
                        CommunityZones& zones) const = 0;

 private:
  const std::string_view name_;
  const topology::NodeKinds& nodes_;
  const kubelet::Account& kubelet_;
};

class ZoneStrategyTerm final : public CommunityTerm {
 public:
  ZoneStrategyTerm(ZoneStrategy strategy, ResourceVector weights, const topology::NodeKinds& nodes,
                   const kubelet::Account& kubelet)
      : CommunityTerm(Name(strategy), nodes, kubelet), strategy_(strategy), weights_(std::move(weights)) {}

 private:
  bool Applies(const kubelet::Options& options) const override;
  int NodeScore(const CommunityPod& pod, const cluster::NodeTopology& topology, const kubelet::Options& options,
                CommunityZones& zones) const override;

  const ZoneStrategy strategy_;
  const ResourceVector weights_;
};

class LeastNumaTerm final : public CommunityTerm {
 public:
  LeastNumaTerm(const topology::NodeKinds& nodes, const kubelet::Account& kubelet)
      : CommunityTerm("LeastNUMANodes", nodes, kubelet) {}

 private:
  bool Applies(const kubelet::Options&) const override { return true; }
  int NodeScore(const CommunityPod& pod, const cluster::NodeTopology& topology, const kubelet::Options& options,
                CommunityZones& zones) const override;
};

// The last attribute topologyManagerMaxNUMANodes that is valid, an integer of 64 bits above 1, cut to 1024; 8 if none
// is. Source: scheduler-plugins, pkg/noderesourcetopology/nodeconfig/topologymanager.go (updateFromAttributes).
int MaxNumaNodes(const cluster::NodeTopology& topology);

}  // namespace huygens::scoring
