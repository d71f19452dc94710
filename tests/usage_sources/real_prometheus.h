// The real Prometheus as a process of the test, with a past that the test writes. Debian's package `prometheus` has it.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/text.h"
#include "tests/fake/temporary_directory.h"

namespace huygens::usage_sources {

inline bool OnPath(const std::string& program) {
  return std::system(Concat("command -v ", program, " >/dev/null 2>&1").c_str()) == 0;
}

// A child whose standard output and error come through a pipe. Killed with the object.
class Child {
 public:
  explicit Child(const std::vector<std::string>& command) {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    std::vector<char*> arguments;
    for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    if (::posix_spawnp(&pid_, arguments[0], &actions, nullptr, arguments.data(), environ) != 0) {
      pid_ = -1;
      ADD_FAILURE() << command[0] << " cannot be started";
    }
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    output_ = ::fdopen(ends[0], "r");
  }
  ~Child() {
    if (pid_ > 0) ::kill(pid_, SIGKILL);  // any other number means other processes
    Wait();
    if (reader_.joinable()) reader_.join();
    std::fclose(output_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // The next line; empty at the end.
  std::string Line() {
    char text[4096];
    return std::fgets(text, sizeof text, output_) == nullptr ? "" : text;
  }
  // Reads on, so that the child never waits for a reader.
  void Drain() {
    reader_ = std::thread([this] {
      while (!Line().empty()) {
      }
    });
  }
  // Its exit code, once it has ended; what it wrote is in `text`.
  int Finish(std::string& text) {
    for (std::string line = Line(); !line.empty(); line = Line()) text += line;
    return Wait();
  }

 private:
  int Wait() {
    if (pid_ > 0) ::waitpid(pid_, &status_, 0);
    pid_ = -1;
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : -1;
  }

  pid_t pid_ = -1;
  int status_ = 0;
  FILE* output_ = nullptr;
  std::thread reader_;
};

class RealPrometheus {
 public:
  // `open_metrics`: "name{labels} value seconds" line by line, grouped by name.
  explicit RealPrometheus(const std::string& open_metrics) {
    const std::string past = directory_.Write("past.txt", Concat(open_metrics, "# EOF\n"));
    const std::string storage = directory_.path() + "/data";
    std::string text;
    Child blocks({"promtool", "tsdb", "create-blocks-from", "openmetrics", "--quiet", "--max-block-duration=168h", past,
                  storage});
    EXPECT_EQ(blocks.Finish(text), 0) << text;
    server_ = std::make_unique<Child>(std::vector<std::string>{
        "prometheus", "--config.file=" + directory_.Write("prometheus.yaml", ""), "--storage.tsdb.path=" + storage,
        "--storage.tsdb.retention.time=30d", "--web.listen-address=127.0.0.1:0"});
    constexpr std::string_view kListening = "msg=\"Listening on\" address=";
    for (bool ready = false; !ready || url_.empty();) {  // said in either order
      const std::string line = server_->Line();
      if (line.empty()) throw std::runtime_error("prometheus does not start");
      const size_t at = line.find(kListening);
      if (at != std::string::npos)
        url_ = Concat("http://", line.substr(at + kListening.size(), line.find('\n') - at - kListening.size()));
      ready |= line.find("ready to receive web requests") != std::string::npos;
    }
    server_->Drain();
  }
  const std::string& Url() const { return url_; }

 private:
  fake::TemporaryDirectory directory_;
  std::unique_ptr<Child> server_;
  std::string url_;
};

}  // namespace huygens::usage_sources
