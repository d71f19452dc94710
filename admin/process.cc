#include "admin/process.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <utility>

#include "base/backoff.h"
#include "base/text.h"
#include "observe/out_of_memory.h"

namespace huygens::admin {

bool RunProcess(const ProcessOptions& options, const StartService& start) {
  net::IgnoreBrokenPipes();
  observe::EndWhenOutOfMemory(options.log_format, options.log_file_descriptor);
  SystemClock clock;
  observe::Log log(clock, options.log_level, options.log_format, options.log_file_descriptor);
  net::EventLoop loop;
  StatusOr<std::unique_ptr<RunningService>> service = start(loop, log, clock);
  if (!service.ok()) {
    log.Error("cannot start", {{"why", Message(service.status())}});
    return false;
  }
  bool draining = false;
  loop.OnSignal({SIGTERM, SIGINT}, [&](int signal) {
    if (!std::exchange(draining, true)) {
      log.Info("draining",
               {{"signal", signal}, {"lameDuckSeconds", options.lame_duck}, {"graceSeconds", options.grace}});
      (*service)->Drain([&] { loop.Stop(); });
      if (signal == SIGTERM) return;
    }
    // Whoever presses Ctrl-C, or asks a second time, sits there and waits.
    (*service)->EndLameDuck();
  });
  loop.Run();
  service->reset();
  log.Info("stopped");
  return true;
}

std::string Identity() {
  char host[256] = "localhost";
  (void)gethostname(host, sizeof host - 1);
  char suffix[32];
  std::snprintf(suffix, sizeof suffix, "%08x", static_cast<unsigned>(SystemRandom()() * 4294967295.0));
  return Concat(host, "_", suffix);
}

}  // namespace huygens::admin
