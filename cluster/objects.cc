#include "cluster/objects.h"

#include <algorithm>
#include <charconv>

namespace huygens::cluster {

bool operator==(const PlacementMark& a, const PlacementMark& b) {
  return a.uid == b.uid && a.node == b.node && a.zones == b.zones && a.of_zones == b.of_zones &&
         SameLabels(a.quota.get(), b.quota.get());
}

bool SameLabels(const QuotaLabels* a, const QuotaLabels* b) { return a && b ? *a == *b : a == b; }

const QuotaLabels* QuotaLabelsOf(const Pod& pod) {
  const auto& mark = pod.placement_mark;
  const bool as_bound = pod.Bound() && mark && mark->quota && mark->uid == pod.uid && mark->node == pod.node_name;
  return as_bound ? mark->quota.get() : pod.quota.get();
}

namespace {

const std::string* ValueOf(const std::vector<std::pair<std::string, std::string>>& texts, std::string_view key) {
  // Of a key that is there twice the last one counts, as everywhere in JSON.
  const auto found = std::find_if(texts.rbegin(), texts.rend(), [&](const auto& each) { return each.first == key; });
  return found == texts.rend() ? nullptr : &found->second;
}

}  // namespace

const std::string* LabelOf(const Pod& pod, std::string_view key) {
  return pod.texts ? ValueOf(pod.texts->labels, key) : nullptr;
}

const std::string* AnnotationOf(const Pod& pod, std::string_view key) {
  return pod.texts ? ValueOf(pod.texts->annotations, key) : nullptr;
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

std::string ZoneName(int id, const NodeTopology* topology) {
  if (topology != nullptr) {
    const auto zone = std::ranges::find(topology->zones, id, &Zone::id);
    if (zone != topology->zones.end()) return zone->name;
  }
  return Concat("node", std::to_string(id));
}

}  // namespace huygens::cluster
