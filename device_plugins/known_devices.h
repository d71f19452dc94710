// What a source remembers from look to look: a device that is lost stays on its list, not healthy, so that the node's
// capacity shows that it is missed; for an hour, since names of devices may come and go for as long as a node runs.
// Not thread-safe.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "device_plugins/device_source.h"

namespace huygens::device_plugins {

class KnownDevices {
 public:
  static constexpr Duration kKept = std::chrono::hours(1);

  // The devices that are there at `now`, of any clock that does not go back, and those that were within kKept; in
  // natural order.
  std::vector<Device> WithLost(std::vector<Device> there, Duration now);

 private:
  struct Known {
    Device device;
    Duration seen = {};
  };
  std::map<std::string, Known> known_;
};

// EXAMPLE_COM_FPGA of "example.com/fpga", behind `prefix`: the variable of the environment that has the devices.
std::string VariableName(std::string_view prefix, std::string_view resource);

// Kubelet takes at most 63 bytes; a longer name becomes its beginning and a number made of all of it.
std::string DeviceId(std::string_view name);

}  // namespace huygens::device_plugins
