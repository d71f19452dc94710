#include "wire/binding.h"

#include <algorithm>
#include <vector>

#include "base/quantity.h"
#include "json/append.h"

namespace huygens::wire {
namespace {

// `"cpu":"2","memory":"4Gi"`, ordered by name as Go orders the keys of a map; false if all are 0.
bool AppendAmounts(std::string& out, const ResourceVector& amounts, const ResourceNames& names) {
  std::vector<std::pair<std::string_view, ResourceVector::Entry>> named;
  for (const ResourceVector::Entry& entry : amounts) {
    if (entry.second != 0) named.emplace_back(names.Name(entry.first), entry);
  }
  std::sort(named.begin(), named.end());
  bool first = true;
  for (const auto& [name, entry] : named) {
    if (!first) out += ',';
    first = false;
    AppendJsonString(out, name);
    out += ':';
    AppendJsonString(out, ToQuantity(entry.first, entry.second).Canonical());
  }
  return !named.empty();
}

void AppendField(std::string& out, std::string_view before, std::string_view value) {
  out += before;
  AppendJsonString(out, value);
}

void AppendGroup(std::string& out, const cluster::QuotaLabels& labels) {
  AppendField(out, R"(,"group":)", labels.group);
  std::string_view before = R"(,"models":{)";
  for (const auto& [kind, model] : {std::pair("cpu", &labels.cpu_model), std::pair("gpu", &labels.gpu_model),
                                    std::pair("memory", &labels.memory_model)}) {
    if (model->empty()) continue;
    AppendField(out, before, kind);
    AppendField(out, ":", *model);
    before = ",";
  }
  if (before == ",") out += '}';
}

}  // namespace

void AppendBinding(std::string& out, const Binding& binding) {
  AppendField(out, R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":)", binding.pod_name);
  AppendField(out, R"(,"namespace":)", binding.namespace_name);
  if (!binding.pod_uid.empty()) AppendField(out, R"(,"uid":)", binding.pod_uid);
  if (!binding.annotations.empty()) {
    std::string_view before = R"(,"annotations":{)";
    for (const auto& [key, value] : binding.annotations) {
      AppendField(out, before, key);
      AppendField(out, ":", value);
      before = ",";
    }
    out += '}';
  }
  AppendField(out, R"(},"target":{"kind":"Node","name":)", binding.node);
  out += "}}";
}

void AppendTopologyResult(std::string& out, std::span<const cluster::ZoneShare> zones, const ResourceNames& names) {
  out += '[';
  bool first = true;
  for (const cluster::ZoneShare& zone : zones) {
    std::string amounts;
    if (!AppendAmounts(amounts, zone.amount, names)) continue;
    AppendField(out, first ? R"({"name":)" : R"(,{"name":)", zone.name);
    first = false;
    out += R"(,"type":"Node","resources":{"capacity":{)";
    out += amounts;
    out += "}}}";
  }
  out += ']';
}

void AppendPlacementAnnotation(std::string& out, const PlacementAnnotation& placement, const ResourceNames& names) {
  AppendField(out, R"({"uid":)", placement.uid);
  AppendField(out, R"(,"node":)", placement.node);
  if (placement.quota != nullptr && !placement.quota->group.empty()) AppendGroup(out, *placement.quota);
  if (placement.zones) {
    out += R"(,"zones":[)";
    bool first = true;
    for (const cluster::ZoneShare& zone : *placement.zones) {
      AppendField(out, first ? R"({"name":)" : R"(,{"name":)", zone.name);
      first = false;
      std::string amounts;
      if (AppendAmounts(amounts, zone.amount, names)) out += Concat(",", amounts);
      out += '}';
    }
    out += ']';
  }
  AppendField(out, R"(,"by":)", placement.by);
  AppendField(out, R"(,"at":)", FormatRfc3339(placement.at));
  out += '}';
}

}  // namespace huygens::wire
