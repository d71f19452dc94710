// Asks kubelet's PodResources service on its socket which devices there are and who has them. Blocking; one thread, but
// for Cancel.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/status.h"
#include "base/time.h"
#include "pod_resources/zone_devices.h"

namespace huygens::pod_resources {

class Client {
 public:
  // `socket` is a path.
  explicit Client(std::string socket);
  ~Client();

  // Nothing where there is no such socket, or kubelet does not answer these questions (before 1.28 a feature gate has to
  // be on). Other errors have gRPC's or kubelet's own words, and say nothing about devices.
  StatusOr<std::optional<ZoneDevices>> Read(Duration timeout);
  // Ends what is under way, and all later calls. Any thread.
  void Cancel();

 private:
  struct Connection;

  const std::string socket_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace huygens::pod_resources
