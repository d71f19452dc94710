#include "agent/device_metrics.h"

#include <algorithm>

namespace huygens::agent {
namespace {

constexpr const char* kDevices = "huygens_agent_devices";
constexpr const char* kDevicesHelp = "Devices that kubelet is told, by whether they can be given to containers.";
constexpr const char* kRegistrations = "huygens_agent_device_registrations_total";
constexpr const char* kRegistrationsHelp = "Attempts to register a device plug-in with kubelet, by how they ended.";
constexpr const char* kAllocations = "huygens_agent_device_allocations_total";
constexpr const char* kAllocationsHelp = "Containers for which kubelet asked for devices, by the answer.";
constexpr const char* kPatches = "huygens_agent_counted_patches_total";
constexpr const char* kPatchesHelp = "Writes of counted resources into the node's capacity, by how they ended.";

}  // namespace

void DeviceMetrics::Total::RaiseTo(uint64_t total) {
  series.Add(total - std::min(shown, total));
  shown = std::max(shown, total);
}

DeviceMetrics::DeviceMetrics(observe::Instruments& instruments, const std::vector<std::string>& resources)
    : written_{instruments.MakeCounter(kPatches, kPatchesHelp, {{"result", "written"}})},
      failed_{instruments.MakeCounter(kPatches, kPatchesHelp, {{"result", "failed"}})} {
  for (const std::string& resource : resources) {
    const auto counter = [&](const char* name, const char* help, const char* result) {
      return Total{instruments.MakeCounter(name, help, {{"resource", resource}, {"result", result}})};
    };
    of_resources_.push_back(
        {.healthy = instruments.MakeGauge(kDevices, kDevicesHelp, {{"health", "healthy"}, {"resource", resource}}),
         .unhealthy = instruments.MakeGauge(kDevices, kDevicesHelp, {{"health", "unhealthy"}, {"resource", resource}}),
         .registered = instruments.MakeGauge("huygens_agent_device_plugin_registered",
                                             "1 while kubelet follows the plug-in.", {{"resource", resource}}),
         .registrations = counter(kRegistrations, kRegistrationsHelp, "ok"),
         .failures = counter(kRegistrations, kRegistrationsHelp, "failed"),
         .allocated = counter(kAllocations, kAllocationsHelp, "given"),
         .refused = counter(kAllocations, kAllocationsHelp, "refused")});
  }
}

void DeviceMetrics::Set(const std::vector<device_plugins::PluginState>& states) {
  for (size_t i = 0; i < std::min(states.size(), of_resources_.size()); ++i) {
    OfResource& each = of_resources_[i];
    each.healthy.Set(static_cast<double>(states[i].healthy));
    each.unhealthy.Set(static_cast<double>(states[i].unhealthy));
    each.registered.Set(states[i].registered ? 1 : 0);
    each.registrations.RaiseTo(states[i].registrations);
    each.failures.RaiseTo(states[i].failures);
    each.allocated.RaiseTo(states[i].allocated);
    each.refused.RaiseTo(states[i].refused);
  }
}

void DeviceMetrics::Set(uint64_t patches_written, uint64_t patches_failed) {
  written_.RaiseTo(patches_written);
  failed_.RaiseTo(patches_failed);
}

}  // namespace huygens::agent
