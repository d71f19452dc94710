#include "bench/host.h"

#include <pthread.h>

#include <charconv>
#include <chrono>

#include "bench/times.h"

namespace huygens::bench {

Host::Host(placement::Options options, size_t nodes, size_t pods)
    : Host(std::move(options), [=](placement::Placement& placement, Time) { Fill(placement, nodes, pods); }) {}

Host::Host(placement::Options options, size_t nodes, size_t pods, Fullness fullness)
    : Host(std::move(options), [=](placement::Placement& placement, Time now) {
        Fill(placement, nodes, pods);
        FillUsage(placement, nodes, pods, fullness, now);
      }) {}

Host::Host(placement::Options options, const Filler& fill)
    : log_(clock_, observe::LogLevel::kError, observe::LogFormat::kText),
      metrics_({.version = "bench", .reject_reasons = {}}),
      decision_log_({}, clock_, log_),
      placement_(*placement::Placement::Create(std::move(options))),
      pods_(resources_, 4096),
      journal_(*placement_, resources_, metrics_, ring_, decision_log_),
      context_{
          {*placement_, clock_, log_, metrics_, [] { return std::string(); }, nullptr}, resources_, journal_, pods_},
      updates_(context_),
      queue_(updates_, loop_, log_, metrics_),
      backend_(context_, loop_, queue_, "", false),
      bind_(context_, backend_, loop_, std::chrono::seconds(4), "bench"),
      service_(context_, bind_, "/") {
  fill(*placement_, clock_.Now());
  net::ServerOptions server_options{.address = "127.0.0.1:0"};
  server_ = *net::Server::Start(loop_, server_options, [this](const net::Request& request, net::Respond respond) {
    if (!request.path.starts_with("/echo/")) {
      cpu_at_request_ = MicrosecondsOf(CLOCK_THREAD_CPUTIME_ID);
      return service_.Handle(request, respond);
    }
    size_t size = 0;
    std::from_chars(request.path.data() + 6, request.path.data() + request.path.size(), size);
    respond({.body = std::string(size, 'x')});
  });
  thread_ = std::thread([this] { loop_.Run(); });
}

Host::~Host() {
  loop_.Stop();
  thread_.join();
}

double Host::CpuMicroseconds() {
  clockid_t clock{};
  return pthread_getcpuclockid(thread_.native_handle(), &clock) == 0 ? MicrosecondsOf(clock) : 0;
}

}  // namespace huygens::bench
