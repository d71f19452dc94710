// Devices that are nodes of the file system, found by patterns of their paths: /dev/ttyUSB*, /dev/fpga[0-3].
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "device_plugins/device_source.h"
#include "device_plugins/known_devices.h"

namespace huygens::device_plugins {

struct DeviceFileOptions {
  std::string resource;
  std::string root = "/";           // the folder that holds the host's dev/
  std::string system_root = "/";    // and the one that holds its sys/
  std::vector<std::string> paths;   // patterns as glob(3) has them
  std::string permissions = "rw";   // of each node
  std::vector<std::string> also;    // nodes that each container with such a device gets, too
  std::vector<std::string> mounts;  // folders and files likewise, read-only
  std::vector<std::string>
      health;  // a command; where the device is, below root, is added. Empty: one that is there is good
  Duration health_interval = std::chrono::seconds(30);
  Duration health_limit = std::chrono::seconds(5);
  std::vector<std::string> prepare;  // a command likewise, with the paths of all devices of the container
  Duration prepare_limit = std::chrono::seconds(20);
};

// Why glob(3) could not make anything of it; "" if it can.
std::string FaultOfPattern(std::string_view pattern);

// A device's id is its path without /dev/. A container finds the paths of its devices, with commas, in the variable
// DEVICES_EXAMPLE_COM_FPGA of its environment. `now` is a clock that does not go back.
std::unique_ptr<DeviceSource> MakeDeviceFiles(DeviceFileOptions options, std::function<Duration()> now);

}  // namespace huygens::device_plugins
