// PCI functions as devices: SR-IOV virtual functions, GPUs and other accelerators, picked by what /sys/bus/pci says of
// them, each in the zone (NUMA node) of its slot.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "device_plugins/device_source.h"

namespace huygens::device_plugins {

enum class PciKind : uint8_t {
  kAny,       // but no physical function whose virtual ones are switched on: it cannot be given away beside them
  kPhysical,  // no virtual functions
  kVirtual,
};
enum class PciGives : uint8_t {
  kVariable,  // nothing but the addresses in the environment: what else there is to do a CNI plug-in does
  kNodes,     // the nodes in /dev that the function's driver made: GPUs, NVMe, InfiniBand
  kVfio,      // /dev/vfio/vfio and that of the IOMMU group
};

// Of each list one has to fit; an empty one fits all.
struct PciOptions {
  std::string resource;
  std::string root = "/";              // the folder that holds sys/ and proc/
  std::vector<std::string> vendors;    // "8086", as lspci -n shows them
  std::vector<std::string> devices;    // "1889"
  std::vector<std::string> classes;    // "03" or "0302": a class begins with it
  std::vector<std::string> drivers;    // "vfio-pci"
  std::vector<std::string> addresses;  // patterns as fnmatch(3) has them: "0000:3b:*"
  std::vector<std::string> parents;    // of virtual functions: addresses of their physical ones, or network interfaces
  PciKind kind = PciKind::kAny;
  PciGives gives = PciGives::kNodes;
  std::vector<std::string> also;                 // nodes that each container with such a device gets, too
  std::vector<std::string> mounts;               // folders and files likewise, read-only
  Duration interval = std::chrono::seconds(30);  // between looks: inotify knows nothing of /sys
};

// A device's id is its address, "0000:3b:02.1". A container finds the addresses, with commas, in the variable
// PCIDEVICE_EXAMPLE_COM_NIC of its environment, as SR-IOV's own device plug-in has it. With kVfio a function that shares
// its IOMMU group with another one of the resource is not healthy, since a group belongs to one container as a whole.
// `now` is a clock that does not go back.
std::unique_ptr<DeviceSource> MakePciFunctions(PciOptions options, std::function<Duration()> now);

}  // namespace huygens::device_plugins
