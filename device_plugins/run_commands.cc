#include "device_plugins/run_commands.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>

#include "base/duration_text.h"
#include "base/steady_now.h"
#include "base/text.h"

namespace huygens::device_plugins {
namespace {

constexpr size_t kAtOnce = 64;
constexpr size_t kMostOutput = 200;
// There is no descriptor on all kernels in use that tells the end of a process.
constexpr int kStepMilliseconds = 20;

struct Running {
  pid_t process = -1;
  int output = -1;
  bool silent = false;  // nothing more can come
  std::string said;
  std::optional<Status> ended;
};

void StartRunning(const std::vector<std::string>& command, Running& running) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& each : command) arguments.push_back(const_cast<char*>(each.c_str()));
  arguments.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): glibc's is safe
    running.ended = Unavailable(Concat("cannot be started: ", std::strerror(errno)));
    return;
  }
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, ends[1], 1);
  posix_spawn_file_actions_adddup2(&files, ends[1], 2);
  posix_spawn_file_actions_addclosefrom_np(&files, 3);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const int error = posix_spawnp(&running.process, arguments[0], &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  close(ends[1]);
  running.output = ends[0];
  // NOLINTNEXTLINE(concurrency-mt-unsafe): glibc's is safe
  if (error != 0) running.ended = Unavailable(Concat(command[0], ": cannot be started: ", std::strerror(error)));
}

void ReadOutput(Running& running) {
  char buffer[1024];
  for (;;) {
    const ssize_t got = read(running.output, buffer, sizeof buffer);
    if (got == 0) running.silent = true;
    if (got <= 0) return;
    running.said.append(buffer, std::min(static_cast<size_t>(got), kMostOutput - running.said.size()));
  }
}

Status HowItEnded(int status, std::string said) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return absl::OkStatus();
  std::ranges::replace_if(said, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  while (said.ends_with(' ')) said.pop_back();
  const std::string how = WIFEXITED(status) ? Concat("exit code ", std::to_string(WEXITSTATUS(status)))
                                            : Concat("ended by signal ", std::to_string(WTERMSIG(status)));
  return Internal(Concat(how, said.empty() ? "" : ": ", said));
}

void Look(Running& running) {
  ReadOutput(running);
  int status = 0;
  if (waitpid(running.process, &status, WNOHANG) != running.process) return;
  ReadOutput(running);
  running.ended = HowItEnded(status, std::move(running.said));
}

void Kill(Running& running, Status why) {
  kill(-running.process, SIGKILL);
  int status = 0;
  while (waitpid(running.process, &status, 0) < 0 && errno == EINTR) {
  }
  running.ended = std::move(why);
}

void RunSome(std::span<const std::vector<std::string>> commands, Duration limit, const std::atomic<bool>& cancel,
             std::vector<Status>& out) {
  std::vector<Running> all(commands.size());
  for (size_t i = 0; i < commands.size(); ++i) StartRunning(commands[i], all[i]);
  const Duration end = SteadyNow() + limit;
  for (;;) {
    std::vector<pollfd> outputs;
    const bool late = SteadyNow() >= end;
    for (Running& each : all) {
      if (!each.ended) Look(each);
      if (each.ended) continue;
      if (cancel) {
        Kill(each, absl::CancelledError("the agent ends"));
      } else if (late) {
        Kill(each, absl::DeadlineExceededError(ToAbsl(Concat("took longer than ", DurationText(limit)))));
      } else {
        outputs.push_back({each.silent ? -1 : each.output, POLLIN, 0});  // -1: only the time counts
      }
    }
    if (outputs.empty()) break;
    poll(outputs.data(), outputs.size(), kStepMilliseconds);
  }
  for (Running& each : all) {
    if (each.output >= 0) close(each.output);
    out.push_back(*std::move(each.ended));
  }
}

}  // namespace

std::vector<Status> RunCommands(std::span<const std::vector<std::string>> commands, Duration limit,
                                const std::atomic<bool>& cancel) {
  std::vector<Status> out;
  while (!commands.empty()) {
    const size_t count = std::min(commands.size(), kAtOnce);
    RunSome(commands.first(count), limit, cancel, out);
    commands = commands.subspan(count);
  }
  return out;
}

}  // namespace huygens::device_plugins
