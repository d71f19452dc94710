// The documents of /debug/nodes and /debug/nodes/NAME (admin_api/node_document.h), filled in from the decision core.
// Decision thread only, but for what has no Placement.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admin_api/node_document.h"
#include "base/resource.h"
#include "base/status.h"
#include "base/time.h"
#include "placement/placement.h"

namespace huygens::admin {

// How much longer what a lost topology object last said holds, of topology.lossGrace.
void SayLossLeft(Duration left, const placement::Options& options, std::optional<int64_t>& left_seconds,
                 std::optional<int64_t>& grace_seconds);

admin_api::NodeListDocument::Node SummarizeNode(const placement::Placement& placement, cluster::NodeIndex node,
                                                const ResourceNames& resources);

// Nothing if there is no node of that name. `ignored`: what of the Node object nobody understands; with what of the
// topology object, and of pods that outgrew their zones: the notices.
std::optional<admin_api::NodeDocument> DescribeNode(const placement::Placement& placement, std::string_view name,
                                                    Time now, const ResourceNames& resources,
                                                    std::vector<std::string> ignored = {});

}  // namespace huygens::admin
