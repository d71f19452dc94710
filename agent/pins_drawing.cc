#include "agent/pins_drawing.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "base/text.h"

namespace huygens::agent {
namespace {

constexpr size_t kMostWidth = 40;

std::string Padded(std::string text, size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

}  // namespace

std::optional<PinsDocument> DescribePins(const StatusOr<pinner::KeptState>& kept) {
  PinsDocument document;
  if (!kept.ok()) {
    document.error = std::string(Message(kept.status()));
    return document;
  }
  if (kept->shared.empty()) return std::nullopt;
  document.shared = pinning::ListOf(kept->shared);
  for (const auto& [uid, cpus] : kept->pods) {
    const auto name = kept->names.find(uid);
    for (const auto& [container, set] : cpus.containers) {
      document.owners.push_back({.pod = name == kept->names.end() ? uid : name->second,
                                 .uid = uid,
                                 .container = container,
                                 .cpus = pinning::ListOf(set)});
    }
  }
  std::ranges::sort(document.owners, {},
                    [](const PinDocument& each) { return std::tie(each.pod, each.uid, each.container); });
  return document;
}

std::string DrawPins(const machine::Machine& machine, const pinner::KeptState& kept, std::string_view file) {
  std::string out = Concat("\npinned by huygens-agent (", file, ")\n");
  pinning::CpuSet owned;
  std::vector<std::tuple<std::string, std::string, std::string>> rows;  // CPUs, pod, container
  size_t width = 4, pod_width = 3;
  for (const auto& [uid, cpus] : kept.pods) {
    const auto name = kept.names.find(uid);
    for (const auto& [container, set] : cpus.containers) {
      owned |= set;
      rows.emplace_back(pinning::ListOf(set), name == kept.names.end() ? uid : name->second, container);
      width = std::max(width, std::min(std::get<0>(rows.back()).size(), kMostWidth));
      pod_width = std::max(pod_width, std::get<1>(rows.back()).size());
    }
  }
  std::ranges::sort(rows, {}, [](const auto& row) { return std::tie(std::get<1>(row), std::get<2>(row)); });
  if (rows.empty()) {
    out += "  nobody owns CPUs\n";
  } else {
    out += Concat("  ", Padded("CPUs", width), "  ", Padded("POD", pod_width), "  CONTAINER\n");
  }
  for (const auto& [cpus, pod, container] : rows) {
    out += Concat("  ", Padded(cpus, width), "  ", Padded(pod, pod_width), "  ", container, "\n");
  }
  for (const machine::Zone& zone : machine.zones) {
    const pinning::CpuSet cpus = pinning::SetOf(zone.cpus);
    if (cpus.empty()) continue;
    const pinning::CpuSet shared = cpus & kept.shared;
    out += Concat("  zone ", std::to_string(zone.id), ": ", std::to_string(owned.CountIn(cpus)), " of ",
                  std::to_string(cpus.Count()),
                  " CPUs owned, shared: ", shared.empty() ? "none" : pinning::ListOf(shared), "\n");
  }
  return out;
}

}  // namespace huygens::agent
