// What `huygens quota tree` and `huygens quota explain` print. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "admin_api/quota_document.h"
#include "base/status.h"
#include "base/time.h"

namespace huygens::reports {

// The key of the tree that a person means: "nvidia.com/gpu" is requests.nvidia.com/gpu, and "cpu" is requests.cpu where
// groups limit that alone. NotFound, with the keys that there are, if no group has it.
StatusOr<std::string> KeyOf(const admin_api::QuotaTreeDocument& tree, std::string_view given);

// The tree, a line per group and key that it or its parent limits; with `only_key` a line per group, whether it limits
// the key or not. Groups whose parent is not among them are roots; so is one group of each circle.
std::string QuotaTreeText(const admin_api::QuotaTreeDocument& tree, std::string_view only_key);

// "quota bizrq/serch: no such group; did you mean search?"; empty of a pod that is not refused.
std::string RefusalText(const admin_api::PodQuotaDocument& pod);
// A line of each key that refuses the pod: "Who uses limits.cpu of search: pods shop/a 3, shop/b 1 and 4 more; handed
// to children: x 2.".
std::string UsedByText(const admin_api::PodQuotaDocument& pod);
// "NO NODE is of cpu model A5, and the pod goes to no other: ...", with a line end; empty where there is one, or the pod
// names no model.
std::string NoModelText(const admin_api::PodQuotaDocument& pod);
// Whether it takes more than what children leave of the budget of a key that refuses it, whatever the nodes: nobody who
// ends helps.
bool AboveWholeBudget(const admin_api::PodQuotaDocument& pod);
// The same of each budget of a model that refuses a pod which names none: on nodes of these models nobody who ends helps.
bool AboveWholeModelBudget(const admin_api::PodQuotaDocument& pod);

// What the group above the pod's own has left of the keys that refuse the pod: "search has limits.cpu 2 left"; empty
// where there is none above, or it limits none of these. `tree`: that group among others.
std::string LeftAboveText(const admin_api::PodQuotaDocument& pod, const admin_api::QuotaTreeDocument& tree);
// The name of that group; empty if there is none.
std::string GroupAbove(const admin_api::PodQuotaDocument& pod);

// `now` turns a time into "2m ago".
std::string PodQuotaText(const admin_api::PodQuotaDocument& pod, Time now);

}  // namespace huygens::reports
