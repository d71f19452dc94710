#include "admin/debug_json.h"

#include "admin/usage_json.h"
#include "base/json_text.h"
#include "base/quantity.h"
#include "placement/node_fit.h"

namespace huygens::admin {

namespace {

void AppendAmountsField(std::string& out, std::string_view key, const ResourceVector& amounts,
                        const ResourceNames& resources) {
  out += Concat(",\"", key, "\":");
  AppendAmounts(out, amounts, resources);
}

// Without the closing brace.
void AppendHead(std::string& out, const placement::Placement& placement, cluster::NodeIndex index,
                const ResourceNames& resources) {
  const cluster::State& state = placement.state();
  const cluster::Node* known = state.GetNode(index);
  out += "{\"name\":";
  AppendJsonString(out, state.NodeName(index));
  out += known != nullptr ? ",\"known\":true" : ",\"known\":false";
  AppendJsonField(out, "mode", placement.Zones(index).Name(index));
  AppendAmountsField(out, "allocatable", known != nullptr ? known->allocatable : ResourceVector(), resources);
  ResourceVector requested;
  for (const cluster::PlacedPod* placed : state.PodsOn(index)) {
    requested.Add(placement::PlacedRequestsOf(*placed->pod));
  }
  AppendAmountsField(out, "requested", requested, resources);
}

void AppendZone(std::string& out, const placement::ZoneDescription& zone, const ResourceNames& resources) {
  out += "{\"name\":";
  AppendJsonString(out, zone.name);
  out += Concat(",\"zone\":", std::to_string(zone.zone));
  if (!zone.present) out += ",\"absent\":true";
  if (zone.stale) out += ",\"stale\":true";
  if (zone.offline_cpu) AppendJsonField(out, "offlineCpu", QuantityText(kCpu, *zone.offline_cpu));
  AppendAmountsField(out, "allocatable", zone.allocatable, resources);
  if (zone.available) {
    AppendAmountsField(out, "available", *zone.available, resources);
  } else {
    AppendAmountsField(out, "effective", zone.effective, resources);
    AppendAmountsField(out, "used", zone.used, resources);
  }
  AppendAmountsField(out, "free", zone.free, resources);
  if (zone.cores > 0) {
    out += Concat(",\"cores\":", std::to_string(zone.cores), ",\"wholeCores\":", std::to_string(zone.whole_cores));
  }
  out += '}';
}

void AppendTexts(std::string& out, std::string_view key, const std::vector<std::string>& texts) {
  out += Concat(",\"", key, "\":[");
  for (const std::string& text : texts) {
    if (out.back() != '[') out += ',';
    AppendJsonString(out, text);
  }
  out += ']';
}

void AppendKubelet(std::string& out, const std::vector<kubelet::Setting>& settings) {
  out += ",\"kubelet\":[";
  for (const kubelet::Setting& setting : settings) {
    out += out.back() == '[' ? "{\"name\":" : ",{\"name\":";
    AppendJsonString(out, setting.name);
    AppendJsonField(out, "value", setting.value);
    AppendJsonField(out, "from", kubelet::Text(setting.source));
    out += '}';
  }
  out += ']';
}

void AppendPod(std::string& out, const placement::NodeDescription::PodOnNode& pod, const ResourceNames& resources) {
  out += "{\"pod\":";
  AppendJsonString(out, pod.key);
  AppendJsonField(out, "uid", pod.uid);
  if (pod.reservation) {
    AppendJsonField(out, "reservation", cluster::Name(*pod.reservation));
  }
  if (pod.kubelet) {
    const std::string_view charged = !pod.kubelet->observed.empty() ? "observed"
                                     : pod.kubelet->known           ? "predicted"
                                                                    : "everyZone";
    AppendJsonField(out, "counted", pod.kubelet->contained ? "published" : charged);
  }
  out += ",\"zones\":[";
  for (const placement::ZoneShare& share : pod.zones) {
    if (out.back() != '[') out += ',';
    out += "{\"name\":";
    AppendJsonString(out, share.name);
    out += Concat(",\"zone\":", std::to_string(share.zone));
    AppendAmountsField(out, "amount", share.amount, resources);
    out += '}';
  }
  out += "]}";
}

}  // namespace

std::string QuantityText(ResourceId resource, int64_t amount) {
  if (resource == kCpu) return Quantity::FromMilli(amount).Canonical();
  // "4Gi" rather than 4294967296, as users write it.
  bool bytes = resource == kMemory || resource == kEphemeralStorage || IsHugepages(resource);
  return Quantity::FromInt(amount, bytes ? Quantity::Format::kBinarySI : Quantity::Format::kDecimalSI).Canonical();
}

void AppendLossLeft(std::string& out, Duration left, const placement::Options& options) {
  const auto seconds = [](Duration duration) {
    return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(duration).count());
  };
  out += Concat(",\"lossLeftSeconds\":", seconds(left), ",\"lossGraceSeconds\":", seconds(options.topology.loss_grace));
}

void AppendAmounts(std::string& out, const ResourceVector& amounts, const ResourceNames& resources) {
  out += '{';
  for (const auto& [resource, amount] : amounts) {
    if (out.back() != '{') out += ',';
    AppendJsonString(out, resources.Name(resource));
    out += ':';
    AppendJsonString(out, QuantityText(resource, amount));
  }
  out += '}';
}

void AppendNodeSummary(std::string& out, const placement::Placement& placement, cluster::NodeIndex node,
                       const ResourceNames& resources) {
  AppendHead(out, placement, node, resources);
  out += Concat(",\"pods\":", std::to_string(placement.state().PodsOn(node).size()), "}");
}

bool AppendNode(std::string& out, const placement::Placement& placement, std::string_view name, Time now,
                const ResourceNames& resources, std::vector<std::string> ignored) {
  auto node = placement.Describe(name, now);
  auto index = placement.state().FindNode(name);
  if (!node || !index) return false;
  AppendHead(out, placement, *index, resources);
  if (node->single_numa) out += ",\"singleNuma\":true";
  if (node->lost_topology) out += R"(,"lostTopology":true)";
  if (const auto left = placement.state().LossLeft(*index)) AppendLossLeft(out, *left, placement.options());
  if (!node->defect.empty()) AppendJsonField(out, "defect", node->defect);
  if (!node->unknown_setting.empty()) ignored.push_back(node->unknown_setting);
  if (!ignored.empty()) AppendTexts(out, "notices", ignored);
  if (!node->kubelet.empty()) AppendKubelet(out, node->kubelet);
  out += ",\"zones\":[";
  for (const placement::ZoneDescription& zone : node->zones) {
    if (out.back() != '[') out += ',';
    AppendZone(out, zone, resources);
  }
  out += "],\"pods\":[";
  for (const auto& pod : node->pods) {
    if (out.back() != '[') out += ',';
    AppendPod(out, pod, resources);
  }
  out += ']';
  if (!node->usage.empty()) {
    AppendUsage(out, placement, *index, node->usage, now);
  } else if (placement.usage().options().resources.empty()) {
    AppendJsonField(out, "noUsage", WhyNoUsage(placement.options()));
  }
  out += '}';
  return true;
}

}  // namespace huygens::admin
