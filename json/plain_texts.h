// Reads an array of strings such as node names, in the form that Go writes and without what needs a closer look: no
// space, no escapes, ASCII. Checks what it reads, so that it takes no parser first. Safe on any thread.
#pragma once

#include <string_view>
#include <vector>

namespace huygens {

// The array with its brackets that `text` begins with; its strings are appended to `out`, as views. Empty if there is
// no array of this form, and then `out` is of no use.
std::string_view ReadPlainTexts(std::string_view text, std::vector<std::string_view>& out);

}  // namespace huygens
