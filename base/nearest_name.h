// Finds the name that was probably meant. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace huygens {

// The one of `names` that differs from `written` only in letter case or by at most a third of its letters added, lost,
// changed or swapped; empty if there is none. The first among equals.
std::string_view NearestName(std::string_view written, std::span<const std::string_view> names);

std::string JoinNames(std::span<const std::string_view> names, std::string_view between);

}  // namespace huygens
