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

void AppendGroup(std::string& out, const cluster::QuotaLabels& labels) {
  AppendJsonField(out, "group", labels.group);
  std::string models = "{";
  for (const auto& [kind, model] : {std::pair("cpu", &labels.cpu_model), std::pair("gpu", &labels.gpu_model),
                                    std::pair("memory", &labels.memory_model)}) {
    if (!model->empty()) AppendJsonField(models, kind, *model);
  }
  if (models == "{") return;
  AppendJsonKey(out, "models");
  out += models + "}";
}

}  // namespace

void AppendBinding(std::string& out, const Binding& binding) {
  out += R"({"apiVersion":"v1","kind":"Binding","metadata":{)";
  AppendJsonField(out, "name", binding.pod_name);
  AppendJsonField(out, "namespace", binding.namespace_name);
  if (!binding.pod_uid.empty()) AppendJsonField(out, "uid", binding.pod_uid);
  if (!binding.annotations.empty()) {
    AppendJsonKey(out, "annotations");
    out += '{';
    for (const auto& [key, value] : binding.annotations) AppendJsonField(out, key, value);
    out += '}';
  }
  out += R"(},"target":{"kind":"Node")";
  AppendJsonField(out, "name", binding.node);
  out += "}}";
}

void AppendTopologyResult(std::string& out, std::span<const cluster::ZoneShare> zones, const ResourceNames& names) {
  out += '[';
  for (const cluster::ZoneShare& zone : zones) {
    std::string amounts;
    if (!AppendAmounts(amounts, zone.amount, names)) continue;
    out += out.back() == '[' ? "{" : ",{";
    AppendJsonField(out, "name", zone.name);
    out += R"(,"type":"Node","resources":{"capacity":{)";
    out += amounts;
    out += "}}}";
  }
  out += ']';
}

void AppendPlacementAnnotation(std::string& out, const PlacementAnnotation& placement, const ResourceNames& names) {
  out += '{';
  AppendJsonField(out, "uid", placement.uid);
  AppendJsonField(out, "node", placement.node);
  if (placement.quota != nullptr && !placement.quota->group.empty()) AppendGroup(out, *placement.quota);
  if (placement.zones) {
    out += R"(,"zones":[)";
    for (const cluster::ZoneShare& zone : *placement.zones) {
      out += out.back() == '[' ? "{" : ",{";
      AppendJsonField(out, "name", zone.name);
      std::string amounts;
      if (AppendAmounts(amounts, zone.amount, names)) out += Concat(",", amounts);
      out += '}';
    }
    out += ']';
  }
  AppendJsonField(out, "by", placement.by);
  AppendJsonField(out, "at", FormatRfc3339(placement.at));
  out += '}';
}

}  // namespace huygens::wire
