// Shares as whole millionths, so that a threshold means exactly what was written. Decimal text only, no exponent. Pure;
// any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace huygens {

// "0.8" is 800000, "70%" 700000, "1.05" 1050000. Nothing if the text is no such number, is finer than a millionth, or
// is a million or more.
std::optional<int64_t> ParseMillionths(std::string_view text);
// "0.8"; not for negative values.
std::string MillionthsText(int64_t millionths);

}  // namespace huygens
