// A recorded admission of kubelet (kubelet_topology.jsonl.gz) as the objects of a cluster: the Node, what an exporter
// would publish of it, the pods on it and the one that asks.
#pragma once

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/kubelet/vectors.h"

namespace huygens::kubelet::test {

inline constexpr char kVectorNode[] = "node";

inline json::object Quantities(const json::value& amounts) {
  json::object quantities;
  for (const auto& [name, amount] : amounts.as_object()) {
    const std::string number = std::to_string(amount.to_number<int64_t>());
    if (name == "cpu_milli") {
      quantities["cpu"] = number + "m";
    } else {
      quantities[name] = number;
    }
  }
  return quantities;
}

inline json::object NamedValue(std::string name, json::value value) {
  return {{"name", std::move(name)}, {"value", std::move(value)}};
}

inline json::array AttributesOf(const json::object& kubelet) {
  json::array attributes = {NamedValue("topologyManagerPolicy", kubelet.at("topology_policy")),
                            NamedValue("topologyManagerScope", kubelet.at("topology_scope")),
                            NamedValue("cpuManagerPolicy", kubelet.at("cpu_manager")),
                            NamedValue("memoryManagerPolicy", kubelet.at("memory_manager"))};
  const std::pair<std::string_view, std::string> options[] = {
      {"prefer-closest-numa-nodes", "topologyManagerOptionPreferClosestNUMANodes"},
      {"full-pcpus-only", "cpuManagerOptionFullPCPUsOnly"},
      {"distribute-cpus-across-numa", "cpuManagerOptionDistributeCPUsAcrossNUMA"},
      {"distribute-cpus-across-cores", "cpuManagerOptionDistributeCPUsAcrossCores"},
      {"align-by-socket", "cpuManagerOptionAlignBySocket"},
      {"prefer-align-cpus-by-uncorecache", "cpuManagerOptionPreferAlignCPUsByUncoreCache"}};
  for (const char* list : {"topology_options", "cpu_options"}) {
    for (const auto& [name, attribute] : options) {
      if (const json::value* value = kubelet.at(list).as_object().if_contains(name)) {
        attributes.push_back(NamedValue(attribute, *value));
      }
    }
  }
  return attributes;
}

inline json::object ZoneObjectOf(const json::object& vector, const json::object& zone) {
  json::array resources;
  auto add = [&](std::string_view name, const json::value& of, const char* capacity, const char* allocatable,
                 const char* available) {
    auto text = [&](const char* key) { return std::to_string(of.at(key).to_number<int64_t>()); };
    if (of.at(capacity).to_number<int64_t>() == 0) return;
    resources.push_back({{"name", name},
                         {"capacity", text(capacity)},
                         {"allocatable", text(allocatable)},
                         {"available", text(available)}});
  };
  add("cpu", zone.at("cpu"), "capacity", "allocatable", "available");
  for (const auto& [name, of] : zone.at("memory").as_object()) add(name, of, "capacity", "allocatable", "available");
  if (const json::value* devices = zone.if_contains("devices")) {
    for (const auto& [name, of] : devices->as_object()) add(name, of, "total", "healthy", "free");
  }
  auto node_name = [](const json::value& id) { return "node-" + std::to_string(id.to_number<int>()); };
  std::string cores, group;
  for (const json::value& each : vector.at("cores").as_array()) {  // zone:socket:uncore_cache:cpus
    const std::string core = Str(each);
    if (std::stoi(core) != zone.at("id").to_number<int>()) continue;
    cores += (cores.empty() ? "" : ";") + core.substr(core.rfind(':') + 1);
  }
  json::array attributes = {NamedValue("huygens.dev/cores", json::string(cores))};
  if (const json::value* ids = zone.if_contains("memory_group")) {
    for (const json::value& id : ids->as_array()) group += (group.empty() ? "" : ",") + node_name(id);
    attributes.push_back(NamedValue("memoryGroup", json::string(group)));
  }
  json::array costs;
  for (const auto& [id, distance] : zone.at("costs").as_object()) {
    costs.push_back(NamedValue("node-" + std::string(id), distance));
  }
  json::object object = {{"name", node_name(zone.at("id"))},
                         {"type", "Node"},
                         {"costs", costs},
                         {"attributes", attributes},
                         {"resources", resources}};
  if (!zone.at("socket").is_null()) {
    object["parent"] = "socket-" + std::to_string(zone.at("socket").to_number<int>());
  }
  return object;
}

inline json::object TopologyObjectOf(const json::object& vector) {
  json::array zones;
  for (const json::value& zone : vector.at("zones").as_array()) zones.push_back(ZoneObjectOf(vector, zone.as_object()));
  return {{"apiVersion", "topology.node.k8s.io/v1alpha2"},
          {"kind", "NodeResourceTopology"},
          {"metadata", {{"name", kVectorNode}}},
          {"attributes", AttributesOf(vector.at("kubelet").as_object())},
          {"zones", zones}};
}

inline json::object NodeObjectOf(const json::object& vector) {
  return {{"metadata", {{"name", kVectorNode}, {"uid", "uid-of-the-node"}}},
          {"status", {{"allocatable", Quantities(vector.at("node").at("allocatable"))}}}};
}

inline json::object PodObjectOf(const json::object& pod) {
  json::object spec = {{"initContainers", json::array()}, {"containers", json::array()}};
  for (const json::value& each : pod.at("containers").as_array()) {
    const json::object& from = each.as_object();
    json::object resources;
    for (const char* list : {"requests", "limits"}) {
      if (const json::value* amounts = from.if_contains(list)) resources[list] = Quantities(*amounts);
    }
    json::object container = {{"name", from.at("name")}, {"resources", resources}};
    const std::string kind = Str(from.at("kind"));
    if (kind == "sidecar") container["restartPolicy"] = "Always";
    spec[kind == "app" ? "containers" : "initContainers"].as_array().push_back(container);
  }
  if (const json::value* amounts = pod.if_contains("pod_resources")) {
    spec["resources"] = {{"requests", Quantities(*amounts)}, {"limits", Quantities(*amounts)}};
  }
  const std::string name = Str(pod.at("name"));
  return {{"metadata", {{"name", name}, {"namespace", "default"}, {"uid", "uid-of-" + name}}}, {"spec", spec}};
}

// A pod on the node. The zones' figures leave out all that it holds, what finished init containers hold included, which
// those of exporters do not; so it is described by the devices that it holds, in one container.
inline json::object HolderOf(const json::object& pod) {
  std::map<std::string, std::vector<std::string>> held;
  for (const json::value& container : pod.at("containers").as_array()) {
    const json::value* devices = container.as_object().if_contains("devices");
    if (devices == nullptr) continue;
    for (const auto& [name, ids] : devices->as_object()) {
      for (const json::value& id : ids.as_array()) held[std::string(name)].push_back(Str(id));
    }
  }
  json::object amounts;
  for (auto& [name, ids] : held) {
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());  // later containers reuse those of init containers
    amounts[name] = std::to_string(ids.size());
  }
  const std::string name = "on-node-" + Str(pod.at("name"));
  return {{"metadata", {{"name", name}, {"namespace", "default"}, {"uid", "uid-of-" + name}}},
          {"spec",
           {{"nodeName", kVectorNode},
            {"containers", {{{"name", "c"}, {"resources", {{"requests", amounts}, {"limits", amounts}}}}}}}},
          {"status", {{"phase", "Running"}, {"startTime", "2026-01-01T00:00:00Z"}}}};
}

}  // namespace huygens::kubelet::test
