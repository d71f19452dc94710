#include "agent/machine_document.h"

#include <set>

namespace huygens::agent {

namespace {

using machine::FormatIdList;

ZoneDocument DescribeZone(const machine::Zone& zone) {
  ZoneDocument out{.id = zone.id, .cpus = FormatIdList(zone.claimed), .memory_kb = zone.memory_kb};
  out.distances = zone.distances;
  for (const machine::HugePages& pages : zone.huge_pages) {
    out.huge_pages.emplace_back(std::to_string(pages.page_kb), pages.count);
  }
  return out;
}

KubeletNodeDocument DescribeNode(const kubelet_api::KubeletNode& node) {
  KubeletNodeDocument out{.id = node.id, .memory_bytes = node.memory_bytes};
  out.distances = node.distances;
  if (!node.huge_pages.empty()) out.huge_pages.emplace();
  for (const kubelet_api::KubeletHugePages& pages : node.huge_pages) {
    out.huge_pages->push_back({.page_kb = pages.page_kb, .count = pages.count});
  }
  if (!node.cores) return out;
  out.cores.emplace();
  for (const kubelet_api::KubeletCore& core : *node.cores) {
    out.cores->push_back(
        {.id = core.id, .socket = core.package, .cpus = core.cpus, .book = core.book, .drawer = core.drawer});
  }
  return out;
}

KubeletDocument DescribeKubelet(const StatusOr<kubelet_api::KubeletMachine>& kubelet) {
  KubeletDocument out;
  if (!kubelet.ok()) {
    out.error = Message(kubelet.status());
    return out;
  }
  out.logical_cpus = kubelet->logical_cpus;
  if (!kubelet->nodes.empty()) out.nodes.emplace();
  for (const kubelet_api::KubeletNode& node : kubelet->nodes) out.nodes->push_back(DescribeNode(node));
  return out;
}

}  // namespace

MachineDocument DescribeMachine(const machine::Machine& machine, const StatusOr<kubelet_api::KubeletMachine>& kubelet) {
  MachineDocument out{.online = FormatIdList(machine.online), .present = FormatIdList(machine.present)};
  std::set<int64_t> threads;
  for (const machine::Core& core : machine.cores) {
    out.cores.push_back(FormatIdList(core.cpus));
    threads.insert(static_cast<int64_t>(core.cpus.size()));
  }
  out.threads_per_core.assign(threads.begin(), threads.end());
  for (const auto& [package, cpus] : machine.packages) {
    out.packages.emplace_back(std::to_string(package), FormatIdList(cpus));
  }
  for (const machine::Zone& zone : machine.zones) out.zones.push_back(DescribeZone(zone));
  out.isolated = FormatIdList(machine.isolated);
  out.offline = FormatIdList(machine::Without(machine.present, machine.online));
  out.without_zone = FormatIdList(machine.without_zone);
  for (const machine::Cache& cache : machine.caches) {
    out.caches.push_back({.level = cache.level, .type = cache.type, .cpus = FormatIdList(cache.cpus), .kb = cache.kb});
  }
  out.notices = machine.notices;
  out.kubelet = DescribeKubelet(kubelet);
  return out;
}

}  // namespace huygens::agent
