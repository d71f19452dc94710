// A running `huygens extender`, sockets and threads included, for tests.
#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "extender/extender.h"
#include "net/client.h"
#include "tests/observe/captured_log.h"

namespace huygens::extender {

inline constexpr auto kPatience = std::chrono::seconds(20);

// On free ports, if the configuration asks for port 0.
class Running {
 public:
  explicit Running(const settings::Configuration& configuration) {
    std::promise<Status> started;
    thread_ = std::thread([this, configuration, &started] {
      auto extender = StartExtender(configuration, loop_, captured_.log, clock_);
      if (!extender.ok()) return started.set_value(extender.status());
      port_ = (*extender)->port();
      admin_port_ = (*extender)->admin_port();
      drain_ = [&extender = **extender, this] {
        if (!std::exchange(draining_, true)) extender.Drain([this] { loop_.Stop(); });
      };
      end_lame_duck_ = [&extender = **extender] { extender.EndLameDuck(); };
      started.set_value(absl::OkStatus());
      loop_.Run();
    });
    status = started.get_future().get();
  }
  ~Running() {
    if (status.ok()) {
      loop_.Post([this] {
        drain_();
        end_lame_duck_();
      });
    }
    thread_.join();
  }
  // As after SIGTERM.
  void Drain() {
    loop_.Post([this] { drain_(); });
  }
  uint16_t port() const { return port_; }
  uint16_t admin_port() const { return admin_port_; }
  std::string Call(std::string_view verb, const std::string& body) const {
    return Send(port_, "POST", Concat("/", verb), body).body;
  }
  std::string Admin(std::string_view path) const { return Send(admin_port_, "GET", path, "").body; }
  // Asks until the answer holds `text`; each answer is a round trip, nothing sleeps.
  bool AwaitAdmin(std::string_view path, std::string_view text) const {
    auto end = std::chrono::steady_clock::now() + kPatience;
    while (Admin(path).find(text) == std::string::npos) {
      if (std::chrono::steady_clock::now() > end) return false;
    }
    return true;
  }
  bool AwaitReady() const { return AwaitAdmin("/readyz", "ok"); }
  // The value of a series, e.g. huygens_reservations{state="assumed"}.
  double Metric(const std::string& series) const {
    std::string text = Admin("/metrics");
    size_t at = text.find(Concat("\n", series, " "));
    return at == std::string::npos ? -1 : std::stod(text.substr(at + series.size() + 2));
  }

  // All lines of the log that hold `text`.
  std::vector<std::string> Logged(std::string_view text) const {
    std::vector<std::string> lines = captured_.Lines();
    std::erase_if(lines, [&](const std::string& line) { return line.find(text) == std::string::npos; });
    return lines;
  }

  Status status;

 private:
  static net::HttpReply Send(uint16_t port, std::string_view method, std::string_view path, std::string_view body) {
    auto client = net::Client::Create({.base_url = Concat("http://127.0.0.1:", std::to_string(port))});
    auto reply = (*client)->Call(method, path, body, {}, kPatience);
    return reply.ok() ? *std::move(reply)
                      : net::HttpReply{.code = 0, .body = Concat("(", Message(reply.status()), ")")};
  }

  SystemClock clock_;
  observe::CapturedLog captured_;
  net::EventLoop loop_;
  std::function<void()> drain_, end_lame_duck_;
  bool draining_ = false;
  uint16_t port_ = 0;
  uint16_t admin_port_ = 0;
  std::thread thread_;
};

}  // namespace huygens::extender
