// The whole of `huygens controller` behind one object: what it knows of the cluster, whether it leads, the reconcilers
// with their queues, and the admin server. Every instance follows the cluster; only the one that holds the Lease writes.
// Everything but blocking calls runs on the thread of `loop`.
#pragma once

#include <functional>
#include <memory>

#include "admin/process.h"
#include "base/status.h"
#include "base/time.h"
#include "net/event_loop.h"
#include "observe/log.h"
#include "settings/configuration.h"

namespace huygens::controller {

class Controller final : public admin::RunningService {
 public:
  // `loop`, `log` and `clock` must outlive it. Errors say which address, file or setting cannot be used.
  static StatusOr<std::unique_ptr<Controller>> Start(const settings::Configuration& configuration, net::EventLoop& loop,
                                                     observe::Log& log, const Clock& clock);
  ~Controller() override;

  uint16_t admin_port() const;

  // Ends its duties and gives the Lease up, so that another instance need not wait for its end.
  void Drain(std::function<void()> done) override;
  void EndLameDuck() override {}

 private:
  class Impl;
  explicit Controller(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace huygens::controller
