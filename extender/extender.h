// The whole of `huygens extender` behind one object: the decision core, the cluster it follows, the server of the verbs
// and the admin server, built from the configuration. The decision thread is the one that runs `loop`; everything here
// is called on it.
#pragma once

#include <functional>
#include <memory>

#include "admin/process.h"
#include "base/status.h"
#include "base/time.h"
#include "net/event_loop.h"
#include "observe/log.h"
#include "settings/configuration.h"

namespace huygens::extender {

class Extender final : public admin::RunningService {
 public:
  // Starts to follow the cluster and to serve; it is ready (see /readyz) once every kind of object is synced. `loop`,
  // `log` and `clock` must outlive it. Errors say which address, file or credential cannot be used.
  static StatusOr<std::unique_ptr<Extender>> Start(const settings::Configuration& configuration, net::EventLoop& loop,
                                                   observe::Log& log, const Clock& clock);
  ~Extender() override;

  uint16_t port() const;
  uint16_t admin_port() const;

  void Drain(std::function<void()> done) override;
  void EndLameDuck() override;

 private:
  class Impl;
  explicit Extender(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace huygens::extender
