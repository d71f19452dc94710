#include "cluster/unknown_resources.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace huygens::cluster {

namespace {

void ForEachAmounts(std::vector<ZoneAmount>& zones, auto&& visit) {
  for (ZoneAmount& zone : zones) visit(zone.amount);
}

void ForEachAmounts(Boxed<PlacementMark>& mark, auto&& visit) {
  if (mark) ForEachAmounts(mark->zones, visit);
}

void ForEachAmounts(Pod& pod, auto&& visit) {
  for (auto* containers : {&pod.init_containers, &pod.containers}) {
    for (Container& container : *containers) {
      visit(container.requests);
      visit(container.limits);
      if (!container.status) continue;
      visit(container.status->requests);
      visit(container.status->limits);
      visit(container.status->allocated);
    }
  }
  visit(pod.overhead);
  ForEachAmounts(pod.topology_result, visit);
  ForEachAmounts(pod.placement_mark, visit);
  ForEachAmounts(pod.observed_mark, visit);
}

// Replaces the ids of unknown resources by what `id_of(position)` says; nothing: the amount is left out.
void Renumber(ResourceVector& amounts, auto&& id_of) {
  ResourceVector renumbered;
  bool any = false;
  for (const auto& [resource, amount] : amounts) {
    const bool unknown = IsUnknownResource(resource);
    any = any || unknown;
    const std::optional<ResourceId> id = unknown ? id_of(resource - kFirstUnknownResource) : std::optional(resource);
    if (id) renumbered.Add(*id, amount);
  }
  if (any) amounts = std::move(renumbered);
}

}  // namespace

std::string_view ResourceName(const Pod& pod, const ResourceNames& names, ResourceId resource) {
  if (!IsUnknownResource(resource)) return names.Name(resource);
  const size_t position = resource - kFirstUnknownResource;
  const auto& unknown = pod.unknown_resources;
  return unknown && position < unknown->size() ? std::string_view((*unknown)[position]) : std::string_view();
}

std::shared_ptr<const Pod> WithKnownResources(std::shared_ptr<const Pod> pod, const ResourceNames& names) {
  if (!pod->unknown_resources) return pod;
  std::vector<ResourceId> ids;
  std::vector<std::string> unknown;
  for (const std::string& name : *pod->unknown_resources) {
    const auto id = names.Find(name);
    ids.push_back(id.value_or(static_cast<ResourceId>(kFirstUnknownResource + unknown.size())));
    if (!id) unknown.push_back(name);
  }
  if (unknown.size() == ids.size()) return pod;
  auto known = std::make_shared<Pod>(*pod);
  ForEachAmounts(*known, [&](ResourceVector& amounts) {
    Renumber(amounts, [&](size_t position) -> std::optional<ResourceId> {
      return position < ids.size() ? std::optional(ids[position]) : std::nullopt;
    });
  });
  known->unknown_resources.reset();
  if (!unknown.empty()) known->unknown_resources = std::move(unknown);
  return known;
}

void InternResources(Pod& pod, ResourceNames& names) {
  if (!pod.unknown_resources) return;
  for (const std::string& name : *pod.unknown_resources) names.Intern(name).IgnoreError();
  pod = *WithKnownResources(std::make_shared<const Pod>(std::move(pod)), names);
}

void KeepZones(const Pod& before, Pod& pod) {
  pod.topology_result = before.topology_result;
  pod.placement_mark = before.placement_mark;
  if (!before.unknown_resources) return;
  const auto renumber = [&](ResourceVector& amounts) {
    Renumber(amounts, [&](size_t position) -> std::optional<ResourceId> {
      if (!pod.unknown_resources || position >= before.unknown_resources->size()) return std::nullopt;
      const std::string& name = (*before.unknown_resources)[position];
      for (size_t i = 0; i < pod.unknown_resources->size(); ++i) {
        if ((*pod.unknown_resources)[i] == name) return static_cast<ResourceId>(kFirstUnknownResource + i);
      }
      return std::nullopt;
    });
  };
  ForEachAmounts(pod.topology_result, renumber);
  ForEachAmounts(pod.placement_mark, renumber);
}

}  // namespace huygens::cluster
