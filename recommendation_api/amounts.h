// Amounts as they are written into objects: CPU in milli, memory in bytes, as Kubernetes' quantities. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "recommend/correction.h"

namespace huygens::recommendation_api {

// "1200m", "1536Mi".
std::string AmountText(recommend::Resource resource, int64_t amount);
// Empty for nothing.
std::string AmountText(recommend::Resource resource, const std::optional<int64_t>& amount);
// Nothing for what is empty, no quantity, or negative.
std::optional<int64_t> ParseAmount(recommend::Resource resource, std::string_view text);

}  // namespace huygens::recommendation_api
