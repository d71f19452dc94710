// Takes what a reflector delivers, writes it down in short words, and applies it to a State as the decision thread
// would. Thread-safe.
//
// Words: "list", "end", "+NAME", "-NAME" (a pod's UID for -), "@VERSION" after each batch that has one.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "cluster/state.h"
#include "kube/watch_event_sink.h"

namespace huygens::fake {

class RecordingSink final : public kube::WatchEventSink {
 public:
  void Deliver(kube::WatchEventBatch batch) override;
  void Report(kube::WatchReport report) override;
  void ObjectFault(cluster::Kind kind, std::string_view object, const Status& fault, bool in_use) override;

  // Waits until `condition` holds of what was recorded; false after 30 s. The condition may use the members below.
  bool Await(const std::function<bool()>& condition);
  bool AwaitState(kube::WatchState state);
  bool AwaitWord(const std::string& word);

  std::vector<std::string> Words();
  std::vector<std::string> States();  // "synced", "broken: why"
  std::vector<std::string> Faults();  // "object: why", "object (in use): why"
  uint64_t Reached();

  // For conditions only, which run with the lock held.
  cluster::State state;
  std::vector<std::string> words;
  std::vector<std::string> states;
  std::vector<std::string> faults;
  std::vector<std::string> mended;  // objects
  uint64_t reached = 0;
  size_t largest_batch = 0;  // events in it

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace huygens::fake
