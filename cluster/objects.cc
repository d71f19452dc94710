#include "cluster/objects.h"

#include <algorithm>
#include <charconv>

namespace huygens::cluster {

std::optional<int> ParseZoneId(std::string_view name) {
  size_t digits = name.find_last_not_of("0123456789");
  std::string_view text = digits == std::string_view::npos ? name : name.substr(digits + 1);
  // Names are lower-case in Kubernetes; crane's agent does not know "Node0" either.
  if (std::any_of(name.begin(), name.end(), [](char c) { return c >= 'A' && c <= 'Z'; })) return std::nullopt;
  int id = -1;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (text.empty() || error != std::errc() || id > 65535) return std::nullopt;
  return id;
}

}  // namespace huygens::cluster
