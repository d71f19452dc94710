// The pods that wait on this node for devices, and the zones that huygens chose for them, as kubelet tells at that
// moment: what a device plug-in has to know when kubelet asks which devices it would rather give.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "device_plugins/preferred_devices.h"
#include "kubelet_api/client.h"

namespace huygens::agent {

class WaitingPods {
 public:
  explicit WaitingPods(kubelet_api::ClientOptions options) : client_(std::move(options)) {}

  // Blocks for half a second at the longest; none where kubelet does not answer. Any thread, one after the other.
  std::vector<device_plugins::WaitingPod> Of(const std::string& resource);
  void Cancel() { client_.Cancel(); }

 private:
  std::mutex mutex_;  // one call at a time
  kubelet_api::Client client_;
};

}  // namespace huygens::agent
