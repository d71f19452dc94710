// The attributes of zones that the agent writes: all others are another's.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace huygens::publish {

inline constexpr std::string_view kCores = "huygens.dev/cores";
inline constexpr std::string_view kMemoryGroup = "memoryGroup";
inline constexpr std::array<std::string_view, 2> kOwnAttributes = {kCores, kMemoryGroup};

inline bool IsOwnAttribute(std::string_view name) {
  return std::ranges::find(kOwnAttributes, name) != kOwnAttributes.end();
}

}  // namespace huygens::publish
