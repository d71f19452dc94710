#include "cluster/objects.h"

#include <algorithm>
#include <charconv>

namespace huygens::cluster {

bool operator==(const PlacementMark& a, const PlacementMark& b) {
  const bool same_quota = a.quota && b.quota ? *a.quota == *b.quota : a.quota == b.quota;
  return a.uid == b.uid && a.node == b.node && a.zones == b.zones && a.of_zones == b.of_zones && same_quota;
}

const QuotaLabels* QuotaLabelsOf(const Pod& pod) {
  const auto& mark = pod.placement_mark;
  const bool as_bound = pod.Bound() && mark && mark->quota && mark->uid == pod.uid && mark->node == pod.node_name;
  return as_bound ? mark->quota.get() : pod.quota.get();
}

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
