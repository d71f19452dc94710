// The life of a process that serves: its log, its signals, its end. Every `huygens SERVICE` is one of these around a
// service of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/status.h"
#include "base/time.h"
#include "net/event_loop.h"
#include "observe/log.h"

namespace huygens::admin {

// Serves from its making on. Called on the thread that runs the loop.
class RunningService {
 public:
  virtual ~RunningService() = default;
  // Of the server that its callers reach, 0 where it has none, and of the admin server.
  virtual uint16_t port() const = 0;
  virtual uint16_t admin_port() const = 0;
  // Fails readiness and goes on serving for the lame duck, each answer being the last on its connection; then stops
  // accepting, finishes what is under way within what is left of the grace, and calls `done`.
  virtual void Drain(std::function<void()> done) = 0;
  // Does not wait for the end of the lame duck. Nothing if that is over, or Drain was not called.
  virtual void EndLameDuck() = 0;
};

struct ProcessOptions {
  observe::LogLevel log_level = observe::LogLevel::kInfo;
  observe::LogFormat log_format = observe::LogFormat::kText;
  int log_file_descriptor = 2;
  Duration lame_duck{}, grace{};  // what the log says of the drain
};

// Everything given to it outlives the service. Errors say which address, file or credential cannot be used.
using StartService = std::function<StatusOr<std::unique_ptr<RunningService>>(net::EventLoop& loop, observe::Log& log,
                                                                             const Clock& clock)>;

// Starts the service and runs its loop on this thread until a signal has drained it: SIGTERM waits for the lame duck,
// SIGINT or a second signal does not. False: it could not start; the log says why. Once per process, since signals,
// broken pipes and the end of memory are the process's.
bool RunProcess(const ProcessOptions& options, const StartService& start);

// Tells two instances on one host apart, also after a restart with the same process id: "HOST_xxxxxxxx".
std::string Identity();

}  // namespace huygens::admin
