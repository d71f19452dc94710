// One thread that looks at the devices of all sources: when the time has come, and as soon as something changes in the
// folders that they live in.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "device_plugins/device_source.h"
#include "device_plugins/folder_watch.h"

namespace huygens::device_plugins {

class DeviceLooks {
 public:
  // Called on that thread. `seen` after the first look and after each that found something else; `failed` once for each
  // new text of an error, with "" when it is over.
  struct Results {
    std::function<void(size_t source, std::vector<Device> devices)> seen;
    std::function<void(size_t source, const std::string& why)> failed;
  };
  // `sources` must outlive it.
  static StatusOr<std::unique_ptr<DeviceLooks>> Start(const std::vector<DeviceSource*>& sources, Results results);
  // Waits for a look under way.
  ~DeviceLooks();

 private:
  struct Looked {
    DeviceSource* source = nullptr;
    Duration due = {};
    Duration last = {};
    bool seen = false;
    std::vector<Device> devices;
    std::string fault;
  };

  DeviceLooks(const std::vector<DeviceSource*>& sources, Results results, FolderWatch folders);
  void Run();
  void TakeChanges(Duration now);
  void Look(size_t index);

  const Results results_;
  FolderWatch folders_;
  std::vector<Looked> looked_;
  WakeUp wake_;
  std::atomic<bool> ending_ = false;
  std::thread thread_;
};

}  // namespace huygens::device_plugins
