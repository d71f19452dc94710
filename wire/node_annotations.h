// The annotations of a node that huygens acts on. Their text comes from users: one that cannot be read as a whole is an
// error, which names the place in the text and what is expected there. Safe on any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/resource.h"
#include "base/status.h"

namespace huygens::wire {

inline constexpr std::string_view kRealAllocatableAnnotation = "huygens.dev/real-allocatable";
inline constexpr std::string_view kUsageCeilingsAnnotation = "huygens.dev/usage-ceilings";
inline constexpr std::string_view kNodeAnnotations[] = {kRealAllocatableAnnotation, kUsageCeilingsAnnotation};
// What is read among a node's labels, and of no use among its annotations.
inline constexpr std::string_view kNodeLabels[] = {"huygens.dev/cpu-model",
                                                   "huygens.dev/gpu-model",
                                                   "huygens.dev/memory-model",
                                                   "huygens.dev/topology-manager-policy",
                                                   "huygens.dev/topology-manager-scope",
                                                   "huygens.dev/cpu-manager-policy",
                                                   "huygens.dev/memory-manager-policy"};

// What the machine can really give where `allocatable` is oversold, as quantities by resource name, as in
// base/resource_alias.h: {"cpu":"32","disk-io":"20000"}. Names that nothing else has mentioned are left out; `unknown`, if
// given, takes the first of them.
StatusOr<ResourceVector> ParseRealAllocatable(std::string_view text, const ResourceNames& names,
                                              std::string* unknown = nullptr);

// Shares from 0 to 10 by the name that a resource has in `usage.resources`, as numbers or text:
// {"cpu":0.7,"memory":"95%"}. In millionths, ordered by name.
using UsageCeilings = std::vector<std::pair<std::string, int64_t>>;
StatusOr<UsageCeilings> ParseUsageCeilings(std::string_view text);

}  // namespace huygens::wire
