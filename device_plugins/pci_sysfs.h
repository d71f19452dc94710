// One PCI function as /sys/bus/pci/devices has it. For pci_functions.cc. Blocking; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace huygens::device_plugins {

struct PciFunction {
  std::string address;                    // "0000:3b:02.1"
  std::string vendor, device, pci_class;  // "8086", "1889", "020000"
  std::string driver;                     // empty: none is bound to it
  std::string parent;                     // address of the physical function; empty: it is no virtual one
  bool has_virtual = false;               // it is a physical function whose virtual ones are switched on
  std::string iommu_group;                // empty: none
  std::optional<int> zone;
};

// Of all functions, by address. A function of which something cannot be read, such as one that goes away meanwhile, is
// left out. An error where there is a folder that cannot be listed.
StatusOr<std::vector<PciFunction>> ReadPciFunctions(const std::string& root);

// Names of network interfaces of a function.
std::vector<std::string> InterfacesOf(const std::string& root, std::string_view address);

// The nodes in /dev that drivers made for a function, by what sysfs has below it, and NVIDIA's own node.
std::vector<std::string> NodesOf(const std::string& root, std::string_view address);

}  // namespace huygens::device_plugins
