// Any bytes as a Pod, and as the annotations that a user may write into one or into a Node. What huygens reads from its
// own annotations it must write so that it reads the same again.
#include <algorithm>

#include "cluster/pod_requests.h"
#include "cluster/unknown_resources.h"
#include "json/reader.h"
#include "tests/fuzz/require.h"
#include "wire/binding.h"
#include "wire/node_annotations.h"
#include "wire/pod.h"
#include "wire/pod_annotations.h"

namespace huygens {
namespace {

using fuzz::Require;

// Writers leave amounts of 0 out, and zones that hold nothing else.
std::vector<cluster::ZoneAmount> WithoutZeros(const std::vector<cluster::ZoneAmount>& zones) {
  std::vector<cluster::ZoneAmount> result;
  for (const cluster::ZoneAmount& zone : zones) {
    cluster::ZoneAmount kept;
    kept.zone = zone.zone;
    for (const auto& [resource, amount] : zone.amount) {
      if (amount != 0) kept.amount.Set(resource, amount);
    }
    if (!kept.amount.empty()) result.push_back(std::move(kept));
  }
  return result;
}

void CheckTopologyResult(const std::vector<cluster::ZoneAmount>& zones, ResourceNames& names) {
  auto ascending = [](const cluster::ZoneAmount& a, const cluster::ZoneAmount& b) { return a.zone >= b.zone; };
  Require(std::adjacent_find(zones.begin(), zones.end(), ascending) == zones.end(), "zones ascend without repeats");
  for (const cluster::ZoneAmount& zone : zones) {
    Require(zone.zone >= 0, "a zone has a number");
    for (const auto& [resource, amount] : zone.amount) Require(amount >= 0, "no zone is given a negative amount");
  }
  std::string text;
  wire::AppendTopologyResult(text, cluster::NameZones(zones, nullptr), names);
  Require(JsonReader::Open(text).ok(), "a topology-result is well-formed");
  Require(WithoutZeros(wire::ParseTopologyResult(text, names)) == WithoutZeros(zones), "a topology-result reads back");
}

void CheckPlacementMark(const cluster::PlacementMark& mark, ResourceNames& names) {
  Require(!mark.uid.empty() && !mark.node.empty(), "a placement names a pod and a node");
  wire::PlacementAnnotation placement;
  placement.uid = mark.uid;
  placement.node = mark.node;
  const std::vector<cluster::ZoneShare> zones = cluster::NameZones(mark.zones, nullptr);
  if (mark.of_zones) placement.zones = zones;
  placement.by = mark.node;
  std::string text;
  placement.quota = mark.quota.get();
  wire::AppendPlacementAnnotation(text, placement, names);
  Boxed<cluster::PlacementMark> again = wire::ParsePlacementMark(text, names);
  Require(again && again->uid == mark.uid && again->node == mark.node, "a placement reads back");
  Require(WithoutZeros(again->zones) == WithoutZeros(mark.zones), "so do its zones");
  Require(again->of_zones == mark.of_zones, "and whether it is about zones");
  const bool same = again->quota && mark.quota ? *again->quota == *mark.quota : again->quota == mark.quota;
  Require(same, "and its group");
}

// A pod on its node holds at least what it will hold once placed, unless kubelet has refused what it asks.
void CheckRequests(const cluster::Pod& pod) {
  const ResourceVector placed = cluster::PlacedPodRequests(pod);
  for (const auto& [resource, amount] : cluster::PodRequests(pod)) {
    Require(pod.resize_infeasible || placed.Get(resource) >= amount, "a pod does not shrink when placed");
  }
  (void)cluster::QosOf(pod);
}

void CheckPod(std::string_view json) {
  ResourceNames names;
  StatusOr<cluster::Pod> pod = wire::DecodePod(json, names);
  if (pod.ok()) {
    Require(names.size() == ResourceNames().size(), "a pod puts no names into the table");
    CheckRequests(*pod);
    cluster::InternResources(*pod, names);
    Require(!pod->unknown_resources, "all names are known");
    CheckTopologyResult(pod->topology_result, names);
    if (pod->placement_mark) CheckPlacementMark(*pod->placement_mark, names);
    if (pod->observed_mark) CheckPlacementMark(*pod->observed_mark, names);
    CheckRequests(*pod);
  } else {
    Require(!Message(pod.status()).empty(), "an error has a message");
  }
}

void CheckAnnotations(std::string_view text) {
  ResourceNames names;
  CheckTopologyResult(wire::ParseTopologyResult(text, names), names);
  if (auto mark = wire::ParsePlacementMark(text, names)) CheckPlacementMark(*mark, names);
  (void)wire::ParseCpuPolicy(text);
  (void)wire::ParseSmt(text);
  (void)wire::ParseBoolWord(text);
}

void CheckNodeAnnotations(std::string_view text) {
  ResourceNames names;
  const auto capacity = wire::ParseRealAllocatable(text, names).value_or(ResourceVector());
  for (const auto& [resource, amount] : capacity) Require(amount >= 0, "no machine gives a negative amount");
  const auto ceilings = wire::ParseUsageCeilings(text).value_or(wire::UsageCeilings());
  auto unordered = [](const auto& a, const auto& b) { return a.first >= b.first; };
  Require(std::adjacent_find(ceilings.begin(), ceilings.end(), unordered) == ceilings.end(), "ceilings ascend by name");
  for (const auto& [name, share] : ceilings) Require(share >= 0 && share <= 10'000'000, "a ceiling is 0 to 10");
}

}  // namespace
}  // namespace huygens

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  huygens::CheckPod(text);
  huygens::CheckAnnotations(text);
  huygens::CheckNodeAnnotations(text);
  return 0;
}
