// Quantities, maps of them and of text, as they occur in several objects. For the decoders of this room. Safe on any thread.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/quantity.h"
#include "base/resource.h"
#include "base/status.h"
#include "cluster/objects.h"
#include "json/reader.h"

namespace huygens::wire {

// A quantity as Go reads it: a string or a bare number, space around it allowed; null is 0.
Status ReadQuantity(JsonReader& in, Quantity& out);

// The ids of resources in one pod: those that everybody uses, and behind them the pod's own for names that the table
// lacks (cluster/unknown_resources.h).
class PodResourceNames {
 public:
  PodResourceNames(const ResourceNames& table) : table_(table) {}

  std::optional<ResourceId> Find(std::string_view name) const;
  // The same; a new name is taken in where there is room for it.
  std::optional<ResourceId> Take(std::string_view name);
  const std::vector<std::string>& unknown() const { return unknown_; }
  bool left_out() const { return left_out_; }  // there was no room for a name

 private:
  const ResourceNames& table_;
  std::vector<std::string> unknown_;
  bool left_out_ = false;
};

// {"cpu":"2","memory":"4Gi"} of a node or a topology object. Null empties `out`; a second map is merged into the first,
// as Go does. A name for which the table has no room is left out, and the last such into `left_out`, if given.
Status ReadResourceList(JsonReader& in, ResourceNames& names, ResourceVector& out, Status* left_out = nullptr);
// The same of a pod. Unknown names are taken in unless their amount is 0.
Status ReadResourceList(JsonReader& in, PodResourceNames& names, ResourceVector& out);
// The same without names that are not known: for annotations, in which anybody may write anything.
Status ReadKnownResources(JsonReader& in, const PodResourceNames& names, ResourceVector& out);

// {"requests":{...},"limits":{...}}, as containers and pods have it.
Status ReadRequirements(JsonReader& in, PodResourceNames& names, ResourceVector& requests, ResourceVector& limits);
// The same as a whole, without unknown names, since only cpu, memory and hugepages occur there; null is none.
Status ReadPodResources(JsonReader& in, const PodResourceNames& names, Boxed<cluster::PodResources>& out);

// An object as its text; nothing for null.
Status ReadObjectText(JsonReader& in, std::string_view& out);

using TextPairs = std::vector<std::pair<std::string, std::string>>;
// {"key":"value"}, appended to `out` in the order of the text.
Status ReadTextMap(JsonReader& in, TextPairs& out);
// Orders by key; of equal keys only the last stays.
template <typename Value>
void SortByKey(std::vector<std::pair<std::string, Value>>& pairs) {
  std::stable_sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
  pairs.erase(pairs.begin(), std::unique(pairs.rbegin(), pairs.rend(), same).base());
}

}  // namespace huygens::wire
