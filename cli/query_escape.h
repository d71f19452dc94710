// A value in the query of a URL, percent-encoded where it has to be.
#pragma once

#include <string>
#include <string_view>

namespace huygens::cli {

std::string QueryEscape(std::string_view text);

}  // namespace huygens::cli
