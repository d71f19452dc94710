// The resource version of a kind as a number. For the files of kube/ only.
#pragma once

#include <charconv>
#include <cstdint>
#include <string_view>

namespace huygens::kube {

// 0 for what is no number: it then says nothing about order.
inline uint64_t ParseResourceVersion(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : 0;
}

}  // namespace huygens::kube
