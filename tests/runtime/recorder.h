// Remembers calls as texts, and waits for them without sleeping.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "runtime/container_runtime.h"

namespace huygens::runtime {

class Recorder {
 public:
  void Note(std::string text) {
    const std::lock_guard lock(mutex_);
    notes_.push_back(std::move(text));
    changed_.notify_all();
  }
  std::vector<std::string> Notes() const {
    const std::lock_guard lock(mutex_);
    return notes_;
  }
  size_t Count(std::string_view front) const {
    const std::lock_guard lock(mutex_);
    return Counted(front);
  }
  // Whether `count` of them begin with `front`, at the latest after a time that only a failing test needs.
  bool Await(std::string_view front, size_t count = 1) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(30), [&] { return Counted(front) >= count; });
  }

 private:
  size_t Counted(std::string_view front) const {
    return static_cast<size_t>(
        std::ranges::count_if(notes_, [&](const std::string& note) { return note.starts_with(front); }));
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> notes_;
};

class RecordingSink final : public EventSink {
 public:
  Recorder recorder;

  void OnCreated(const Container& container) override { recorder.Note("created " + Say(container)); }
  void OnStarted(const Container& container) override { recorder.Note("started " + Say(container)); }
  void OnStopped(const Container& container) override { recorder.Note("stopped " + Say(container)); }
  void OnResync(std::string_view why) override { recorder.Note(Concat("resync ", why)); }
  void OnConnection(bool connected, std::string_view what) override {
    recorder.Note(Concat(connected ? "connected " : "lost ", what));
  }

 private:
  static std::string Say(const Container& container) {
    const auto result = container.pod->annotations.find("result");
    return Concat(container.id, " of ", container.pod->name,
                  result == container.pod->annotations.end() ? "" : " " + result->second);
  }
};

// `create` decides OnCreate, `update` what OnUpdate answers.
class RecordingHooks final : public CreationHooks {
 public:
  Recorder recorder;
  std::function<StatusOr<CreationAnswer>(const Container&)> create = [](const Container&) { return CreationAnswer{}; };
  Cpuset update;
  std::vector<OtherUpdate> stop;

  void OnSynchronize(std::vector<Container> containers) override {
    std::string ids;
    for (const Container& container : containers) ids += Concat(" ", container.id, "/", container.pod->name);
    recorder.Note("synchronized" + ids);
  }
  void OnPod(const Pod& pod) override { recorder.Note("pod " + pod.name); }
  StatusOr<CreationAnswer> OnCreate(const Container& container) override {
    recorder.Note(Concat("create ", container.id, " of ", container.pod->name));
    return create(container);
  }
  Cpuset OnUpdate(const Container& container, const Resources& asked) override {
    recorder.Note(Concat("update ", container.id, " has ", container.resources.cpuset.cpus, " asked ",
                         asked.cpuset.cpus, " shares ", std::to_string(asked.cpu_shares.value_or(-1))));
    return update;
  }
  std::vector<OtherUpdate> OnStop(const Container& container) override {
    recorder.Note("stop " + container.id);
    return stop;
  }
  void OnConnection(bool connected, std::string_view why) override {
    recorder.Note(Concat(connected ? "connected " : "lost ", why));
  }
};

}  // namespace huygens::runtime
