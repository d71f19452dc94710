#include "observe/out_of_memory.h"

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <new>

namespace huygens::observe {
namespace {

std::atomic<LogFormat> line_format = LogFormat::kText;
std::atomic<int> line_file_descriptor = 2;

// Allocates nothing, and takes no lock that the allocating thread may hold.
[[noreturn]] void End() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char time[32];
  std::strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%SZ", &utc);
  char line[256];
  const int size =
      std::snprintf(line, sizeof line,
                    line_format == LogFormat::kJson
                        ? "{\"time\":\"%s\",\"level\":\"error\",\"msg\":\"out of memory\",\"exitCode\":%d}\n"
                        : "time=%s level=error msg=\"out of memory\" exitCode=%d\n",
                    time, kOutOfMemoryExitCode);
  pollfd ready{.fd = line_file_descriptor, .events = POLLOUT, .revents = 0};
  if (poll(&ready, 1, 0) == 1) (void)!write(ready.fd, line, static_cast<size_t>(size));
  std::_Exit(kOutOfMemoryExitCode);
}

}  // namespace

void EndWhenOutOfMemory(LogFormat format, int file_descriptor) {
  line_format = format;
  line_file_descriptor = file_descriptor;
  std::set_new_handler(End);
}

}  // namespace huygens::observe
