// Sets of ids of CPUs or zones in the two forms of the kernel's files: lists ("0-3,8") and masks ("0000000f,ff00ffff").
// Pure; any thread. Source: Linux, Documentation/admin-guide/cputopology.rst and lib/bitmap-str.c.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace huygens::machine {

using Ids = std::vector<int>;  // ascending, without repeats

// No kernel knows as many CPUs or nodes; a larger id is a text that is no list.
inline constexpr int kMostId = 65535;

// Errors say what a list or a mask is; the caller adds where it stands. An empty text is the empty set.
StatusOr<Ids> ParseIdList(std::string_view text);
// Words of 32 bits in hexadecimal, the highest first.
StatusOr<Ids> ParseIdMask(std::string_view text);
// "0-3,8"; "" for none.
std::string FormatIdList(const Ids& ids);

bool Has(const Ids& ids, int id);
Ids Both(const Ids& a, const Ids& b);     // in a and in b
Ids Without(const Ids& a, const Ids& b);  // in a and not in b

}  // namespace huygens::machine
