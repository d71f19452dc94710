// What `huygens quota tree` and `huygens quota explain` print. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/time.h"
#include "cli/quota_view.h"

namespace huygens::cli {

// The key of the tree that a person means: "nvidia.com/gpu" is requests.nvidia.com/gpu, and "cpu" is requests.cpu where
// groups limit that alone. NotFound, with the keys that there are, if no group has it.
StatusOr<std::string> KeyOf(const QuotaTreeView& tree, std::string_view given);

// The tree, a line per group and key that it or its parent limits; with `only_key` a line per group, whether it limits
// the key or not. Groups whose parent is not among them are roots; so is one group of each circle.
std::string QuotaTreeText(const QuotaTreeView& tree, std::string_view only_key);

// "quota bizrq/serch: no such group; did you mean search?"; empty of a pod that is not refused.
std::string RefusalText(const PodQuotaView& pod);
// A line of each key that refuses the pod: "Who uses limits.cpu of search: pods shop/a 3, shop/b 1 and 4 more; handed
// to children: x 2.".
std::string UsedByText(const PodQuotaView& pod);
// Whether it takes more than the whole budget of a key that refuses it, whatever the nodes: nobody who ends helps.
bool AboveWholeBudget(const PodQuotaView& pod);

// `now` turns a time into "2m ago".
std::string PodQuotaText(const PodQuotaView& pod, Time now);

}  // namespace huygens::cli
