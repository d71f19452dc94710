// The metrics of the agent's devices. Any thread, one at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "device_plugins/device_plugins.h"
#include "observe/instruments.h"

namespace huygens::agent {

class DeviceMetrics {
 public:
  DeviceMetrics(observe::Instruments& instruments, const std::vector<std::string>& resources);

  // As they stand now; of the resources in the same order.
  void Set(const std::vector<device_plugins::PluginState>& states);
  void Set(uint64_t patches_written, uint64_t patches_failed);

 private:
  // What is counted elsewhere, and only grows.
  struct Total {
    observe::CounterSeries series;
    uint64_t shown = 0;
    void RaiseTo(uint64_t total);
  };
  struct OfResource {
    observe::GaugeSeries healthy, unhealthy, registered;
    Total registrations, failures, allocated, refused;
  };
  std::vector<OfResource> of_resources_;
  Total written_, failed_;
};

}  // namespace huygens::agent
