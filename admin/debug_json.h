// The decision core as the /debug pages show it. JSON objects appended to a string; amounts are Kubernetes quantities
// ("31", "500m", "4Gi"). Decision thread only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/resource.h"
#include "base/time.h"
#include "placement/placement.h"

namespace huygens::admin {

// "31", "500m", "4Gi"
std::string QuantityText(ResourceId resource, int64_t amount);
// ,"lossLeftSeconds":412,"lossGraceSeconds":600: how much longer what a lost topology object last said holds, of
// topology.lossGrace.
void AppendLossLeft(std::string& out, Duration left, const placement::Options& options);
// {"cpu":"31","memory":"128Gi"}
void AppendAmounts(std::string& out, const ResourceVector& amounts, const ResourceNames& resources);

// One entry of /debug/nodes, what node fit by requests needs to know:
//   {"name","known":true,"mode":"managed","allocatable":{..},"requested":{..},"pods":2}
// `known` is false where only pods or a topology object name the node; `requested` sums the pods that hold capacity
// there.
void AppendNodeSummary(std::string& out, const placement::Placement& placement, cluster::NodeIndex node,
                       const ResourceNames& resources);

// /debug/nodes/NAME; false and nothing appended if there is no node of that name.
//   {"name","known","mode","allocatable","requested","singleNuma"?:true,"lostTopology"?:true,
//    "lossLeftSeconds"?:412,"lossGraceSeconds"?:600,"defect"?,"notices"?:[],
//    "zones":[{"name","zone","absent"?:true,"stale"?:true,"offlineCpu"?,"allocatable","effective","used","free"}],
//    "pods":[{"pod":"default/a","uid","reservation"?:"reserved"|"assumed","zones":[{"name","zone","amount":{..}}]}]}
// Where kubelet pins, zones have what the object says is "available" instead of effective and used, and each pod that
// takes anything for itself how it is "counted": "published" (the object contains it), "observed" or "predicted" (these
// zones are charged) or "everyZone" (nobody knows its zones). Where somebody looks at usage: "usage" (usage_json.h).
// `ignored`: what of the Node object nobody understands; with what of the topology object: "notices".
bool AppendNode(std::string& out, const placement::Placement& placement, std::string_view name, Time now,
                const ResourceNames& resources, std::vector<std::string> ignored = {});

}  // namespace huygens::admin
