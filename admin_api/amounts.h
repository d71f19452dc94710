// Amounts of resources as admin documents say them. Plain values; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quantity.h"
#include "base/resource.h"
#include "base/status.h"

namespace huygens::admin_api {

// {"cpu":"31","memory":"128Gi"}
using Amounts = std::vector<std::pair<std::string, std::string>>;

// "31", "500m", "4Gi"
std::string QuantityText(ResourceId resource, int64_t amount);
// In the order of the ids; and back, where an error names the resource whose text is no quantity.
Amounts AmountsOf(const ResourceVector& amounts, const ResourceNames& resources);
StatusOr<ResourceVector> ParseAmounts(const Amounts& texts, ResourceNames& resources);
// Nothing where the resource is absent or its text no quantity.
std::optional<Quantity> QuantityOf(const Amounts& amounts, std::string_view resource);

// "4 cpu and 2Gi memory"
std::string AmountsText(const Amounts& amounts);

}  // namespace huygens::admin_api
