// Budgets of business groups as /debug/quotas says them (admin_api/quota_document.h). Decision thread only.
#pragma once

#include <string>
#include <string_view>

#include "admin_api/quota_document.h"
#include "base/quantity.h"
#include "placement/placement.h"
#include "quota/tree.h"

namespace huygens::admin {

// "ok", "terminating", "frozen" or "missing" (only its children or pods name it).
std::string_view StateOf(const quota::Verdict& standing);

// "placement", "admission" or "off".
std::string_view EnforcementOf(const placement::Placement& placement);

// The nearest number; for people and gauges only, never for a decision.
double Approximate(const Quantity& quantity);

// What of a key's use was handed to children.
Quantity HeldByChildren(const quota::Group& group, std::string_view key);

// One group, which the tree has.
admin_api::QuotaTreeDocument::Group DescribeGroup(const quota::Tree& tree, std::string_view name);

}  // namespace huygens::admin
