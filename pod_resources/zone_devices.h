// Devices of device plug-ins by NUMA node, as kubelet has them: each counts in every zone that its plug-in names, and in
// none where that names none. A plain value; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace huygens::pod_resources {

struct DeviceCount {
  int64_t allocatable = 0;  // healthy
  int64_t available = 0;    // of these, not given to a container
  friend bool operator==(const DeviceCount&, const DeviceCount&) = default;
};
using ZoneDevices = std::map<int64_t, std::map<std::string, DeviceCount>>;  // by zone and resource name

}  // namespace huygens::pod_resources
