// Finds the name that was probably meant. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace huygens {

// The one of `names` that differs from `written` only in letter case or by at most a quarter of its letters (one of
// three to seven, none of fewer) added, lost, changed or swapped. Empty if there is none, or two are equally near: a
// wrong hint is worse than none. Nor is it ever a name that differs in its digits or in a last word of one letter
// alone, for node1 and node2, team-a and team-b are two things, not one and its misspelling.
std::string_view NearestName(std::string_view written, std::span<const std::string_view> names);

std::string JoinNames(std::span<const std::string_view> names, std::string_view between);

}  // namespace huygens
