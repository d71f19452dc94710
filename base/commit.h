#pragma once

#include <string_view>

namespace huygens {

// The commit that the program was built from, as far as whoever built it said (-DHUYGENS_COMMIT); "unknown" otherwise.
// It is compiled into one file, so that a new commit compiles nothing else.
std::string_view Commit();

}  // namespace huygens
