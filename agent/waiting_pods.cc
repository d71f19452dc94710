#include "agent/waiting_pods.h"

#include <chrono>
#include <utility>

#include "base/time.h"
#include "device_plugins/waiting_pods.h"

namespace huygens::agent {
namespace {

constexpr Duration kPodsTimeout = std::chrono::milliseconds(500);

}  // namespace

std::vector<device_plugins::WaitingPod> WaitingPods::Of(const std::string& resource) {
  const std::lock_guard lock(mutex_);
  const StatusOr<std::string> list = client_.Get("/pods", kPodsTimeout);
  if (!list.ok()) return {};
  StatusOr<std::vector<device_plugins::WaitingPod>> pods = device_plugins::DecodeWaitingPods(*list, resource);
  return pods.ok() ? *std::move(pods) : std::vector<device_plugins::WaitingPod>();
}

}  // namespace huygens::agent
