// One resource name with its devices: what a device plug-in is made of. Words and limits are those of kubelet's device
// plug-in API v1beta1.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/time.h"

namespace huygens::device_plugins {

struct Device {
  std::string id;  // at most 63 bytes (kubelet's limit), the same as long as it is the same device
  bool healthy = true;
  std::optional<int> zone;  // NUMA node; nothing: unknown, or none in particular
  std::string why = {};     // it is not healthy, for people; two devices are the same whatever is said of them
  friend bool operator==(const Device& a, const Device& b) {
    return a.id == b.id && a.healthy == b.healthy && a.zone == b.zone;
  }
};

struct DeviceNode {
  std::string path;                // the same in the container and on the host
  std::string permissions = "rw";  // of r, w and m
  bool operator==(const DeviceNode&) const = default;
};

struct Mount {
  std::string container_path, host_path;
  bool read_only = true;
};

// What a container gets that was given some devices.
struct Given {
  std::vector<DeviceNode> nodes;
  std::vector<Mount> mounts;
  std::map<std::string, std::string> environment;
};

// Look is called by one thread, the others by any, also while Look is under way.
class DeviceSource {
 public:
  virtual ~DeviceSource() = default;

  // All devices that are known now, those that are lost or not healthy included. May block, for as long as a command
  // for health is allowed to take. An error leaves the list as it was.
  virtual StatusOr<std::vector<Device>> Look() = 0;
  // At the longest between two looks.
  virtual Duration interval() const = 0;
  // Folders whose entries come and go with devices: such a change asks for a look at once. As of the last look.
  virtual std::set<std::string> folders() const { return {}; }

  // `ids` are devices of the last look. An error's text goes to the pod that asked, whose admission fails.
  virtual StatusOr<Given> Give(std::span<const std::string> ids) = 0;

  // Whether kubelet is to call Prepare each time before a container with such devices starts, also after a crash of it.
  virtual bool prepares() const { return false; }
  // May block, for less than 30 s, which is all that kubelet waits. An error keeps the container from starting.
  virtual Status Prepare(std::span<const std::string> /*ids*/) { return absl::OkStatus(); }

  // The process ends: commands under way are killed, later ones fail. Any thread.
  virtual void Cancel() {}
};

}  // namespace huygens::device_plugins
