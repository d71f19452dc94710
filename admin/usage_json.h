// Real use as the /debug pages say it (admin_api/usage_document.h), filled in from the decision core. Decision thread
// only.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "admin_api/usage_document.h"
#include "placement/placement.h"

namespace huygens::admin {

// "fresh", "stale", "absent"
std::string_view Name(usage::MetricState state);

// When a slot of the window was last: "Wed 14:15", UTC.
std::string SlotText(size_t slot, const usage::Options& options, Time now);
admin_api::ResourceUse UseOf(const usage::NodeUse& use, ResourceId resource, Time now);
admin_api::WeekOfUse WeekOf(const placement::Placement& placement, cluster::NodeIndex node,
                            std::span<const usage::NodeFigures> figures, Time now);

// Why no resource is looked at: what is missing in the configuration.
std::string_view WhyNoUsage(const placement::Options& options);

}  // namespace huygens::admin
