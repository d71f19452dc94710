// The section `devices` of an AgentConfiguration: which devices and counted resources the node has.
#pragma once

#include <string>
#include <vector>

#include "device_plugins/counted_resources.h"
#include "device_plugins/device_files.h"
#include "device_plugins/pci_functions.h"
#include "settings/strict_yaml.h"

namespace huygens::settings {
class Walk;
}

namespace huygens::agent {

// Where the host's files are is said for all of them.
struct DeviceFilesConfiguration : device_plugins::DeviceFileOptions {};
struct PciConfiguration : device_plugins::PciOptions {};
struct CountedConfiguration : device_plugins::CountedResource {};

struct DevicesConfiguration {
  std::string plugin_directory;  // empty: device-plugins in kubelet's directory
  std::string host_root;         // the folder that holds the host's dev/; empty: the agent's root
  std::vector<DeviceFilesConfiguration> files;
  std::vector<PciConfiguration> pci;
  std::vector<CountedConfiguration> counted;

  bool any() const { return !files.empty() || !pci.empty() || !counted.empty(); }
};

// Found by settings::Walk.
void Describe(settings::Walk& walk, DevicesConfiguration& devices);

// What no field can be judged by alone: names given twice, and lists that must not be empty.
void CheckDevices(const DevicesConfiguration& devices, const settings::ReportFault& report);

// A name that kubelet takes for an extended resource: "example.com/fpga"; "" if it is one, else why not. Source:
// k8s.io/kubernetes v1.36.3, pkg/apis/core/v1/helper, IsExtendedResourceName.
std::string FaultOfExtendedResource(std::string_view name);

}  // namespace huygens::agent
