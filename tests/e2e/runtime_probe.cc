// The room runtime/ against a real container runtime, for tests/e2e/runtime.py: gives each container the CPUs that the annotation test/cpus
// of its pod names, by NRI and by CRI events, and says one line for all that happens. It keeps no state and decides nothing else.
//
// Usage: runtime_probe CRI_SOCKET [NRI_SOCKET]
// Reads lines: "list", "read ID", "update ID CPUS", "refuse POD" (its next container); ends with its input.
#include <unistd.h>

#include <array>
#include <cstdio>
#include <deque>
#include <iostream>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <thread>

#include "base/steady_now.h"
#include "runtime/cri_runtime.h"
#include "runtime/event_follower.h"
#include "runtime/nri_plugin.h"

namespace huygens::runtime {
namespace {

std::string Wanted(const Container& container) {
  const auto found = container.pod->annotations.find("test/cpus");
  return found == container.pod->annotations.end() ? "" : found->second;
}

std::string Name(const Container& container) {
  return Concat(container.pod->name, " ", container.id, " restarts ", std::to_string(container.restart_count));
}

void Say(std::string_view line) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  std::printf("%.*s\n", static_cast<int>(line.size()), line.data());
  std::fflush(stdout);
}

std::string Text(const Status& status) { return status.ok() ? "ok" : std::string(Message(status)); }

std::string Milliseconds(Duration duration) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count()) + " ms";
}

class Probe final : public EventSink, public CreationHooks {
 public:
  explicit Probe(std::string socket) : runtime_(std::move(socket)) {
    for (std::thread& worker : workers_) worker = std::thread([this] { Work(); });
  }
  ~Probe() override {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
      changed_.notify_all();
    }
    for (std::thread& worker : workers_) worker.join();
  }

  CriRuntime& runtime() { return runtime_; }
  void Refuse(std::string pod) {
    const std::lock_guard lock(mutex_);
    refused_.insert(std::move(pod));
  }

  void OnCreated(const Container& container) override { Post("created", container); }
  void OnStarted(const Container& container) override { Post("started", container); }
  void OnStopped(const Container& container) override { Say("event stopped " + Name(container)); }
  void OnResync(std::string_view why) override { Say(Concat("event resync ", why)); }
  void OnConnection(bool connected, std::string_view what) override {
    Say(Concat("connection ", connected ? "up " : "down ", what));
  }

  void OnSynchronize(std::vector<Container> containers) override {
    Say(Concat("nri synchronized ", std::to_string(containers.size())));
  }
  void OnPod(const Pod& pod) override { Say("nri pod " + pod.name); }
  StatusOr<CreationAnswer> OnCreate(const Container& container) override {
    Say(Concat("nri create ", Name(container), " cpus ", Wanted(container)));
    const std::lock_guard lock(mutex_);
    if (refused_.erase(container.pod->name) != 0) return Refused("the probe was told to refuse it");
    return CreationAnswer{.own = {.cpus = Wanted(container)}};
  }
  Cpuset OnUpdate(const Container& container, const Resources& asked) override {
    Say(Concat("nri update ", Name(container), " asked ", asked.cpuset.cpus));
    return {.cpus = Wanted(container)};
  }
  std::vector<OtherUpdate> OnStop(const Container& container) override {
    Say("nri stop " + Name(container));
    return {};
  }

 private:
  struct Job {
    std::string event;
    Container container;
    Duration since;
  };

  void Post(std::string event, const Container& container) {
    Say(Concat("event ", event, " ", Name(container)));
    if (Wanted(container).empty()) return;
    const std::lock_guard lock(mutex_);
    jobs_.push_back({std::move(event), container, SteadyNow()});
    changed_.notify_all();
  }
  void Work() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return ending_ || !jobs_.empty(); });
      if (ending_) return;
      const Job job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      Pin(job);
      lock.lock();
    }
  }
  // As one who pins does it: what is right already is left alone, and what was done is looked at.
  void Pin(const Job& job) {
    const std::string wanted = Wanted(job.container);
    if (job.event == "created") {
      if (job.container.resources.cpuset.cpus == wanted) return;
      return Say(Concat("pinned early ", Name(job.container), ": ",
                        Text(runtime_.UpdateCpus(job.container.id, {.cpus = wanted}))));
    }
    for (int tries = 0; tries < 5; ++tries) {
      const StatusOr<Cpuset> has = runtime_.ReadCpuset(job.container.id);
      if (has.ok() && has->cpus == wanted) {
        return Say(Concat("pinned ", Name(job.container), " updates ", std::to_string(tries), " after ",
                          Milliseconds(SteadyNow() - job.since)));
      }
      const Status updated = runtime_.UpdateCpus(job.container.id, {.cpus = wanted});
      Say(Concat("update ", Name(job.container), " had ", has.ok() ? has->cpus : Text(has.status()), ": ",
                 Text(updated)));
    }
    Say("not pinned " + Name(job.container));
  }

  CriRuntime runtime_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  std::set<std::string> refused_;
  bool ending_ = false;
  std::array<std::thread, 4> workers_;
};

void Obey(Probe& probe, const std::string& line) {
  std::istringstream words(line);
  std::string verb, what, cpus;
  words >> verb >> what >> cpus;
  if (verb == "refuse") {
    probe.Refuse(what);
  } else if (verb == "update") {
    const Duration since = SteadyNow();
    const Status updated = probe.runtime().UpdateCpus(what, {.cpus = cpus});
    Say(Concat("answer ", Text(updated), " code ", std::to_string(static_cast<int>(updated.code())), " after ",
               Milliseconds(SteadyNow() - since)));
  } else if (verb == "read") {
    const StatusOr<Cpuset> has = probe.runtime().ReadCpuset(what);
    Say(Concat("answer ", has.ok() ? Concat(has->cpus, " ", has->mems) : Text(has.status())));
  } else if (verb == "list") {
    const StatusOr<std::vector<Container>> listed = probe.runtime().List();
    if (!listed.ok()) return Say("answer " + Text(listed.status()));
    for (const Container& container : *listed) {
      const Resources& resources = container.resources;
      Say(Concat("listed ", Name(container), " ", container.pod->namespace_name, " ", container.pod->uid, " ",
                 container.name, " state ", std::to_string(static_cast<int>(container.state)), " cpus ",
                 resources.cpuset.cpus, " shares ", std::to_string(resources.cpu_shares.value_or(-1)), " quota ",
                 std::to_string(resources.cpu_quota.value_or(-1)), " memory ",
                 std::to_string(resources.memory.value_or(-1))));
    }
    Say("answer done");
  }
}

}  // namespace
}  // namespace huygens::runtime

int main(int argc, char** argv) {
  using namespace huygens;
  using namespace huygens::runtime;
  if (argc < 2) return 2;
  Probe probe(argv[1]);
  const EventFollower follower({}, probe.runtime(), probe, std::make_unique<SteadyWaiter>(), SystemRandom());
  std::unique_ptr<NriPlugin> plugin;
  if (argc > 2)
    plugin = std::make_unique<NriPlugin>(NriOptions{.socket = argv[2]}, probe, std::make_unique<SteadyWaiter>(),
                                         SystemRandom());
  for (std::string line; std::getline(std::cin, line);) Obey(probe, line);
  return 0;
}
