// What is to be looked at again, by key, as the work queues of controller-runtime have it: a key waits once, however
// often it is added; it is worked on by one at a time; what is added while it is worked on is due again after; what
// failed is due again after a pause that doubles, and what succeeded forgets its pauses. At most so many keys are
// worked on at once, and keys that are due are taken in the order in which they became so.
//
// It has no clock and no timer: who owns it says what time it is, by a clock that nobody sets, and looks again at
// NextDue. Work may end later than Take returns. Owned by one thread.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/backoff.h"
#include "base/text.h"
#include "base/time.h"

namespace huygens::reconcile {

class WorkQueue {
 public:
  struct Options {
    Duration first_retry = std::chrono::milliseconds(100);
    Duration longest_retry = std::chrono::minutes(1);
    size_t parallel = 4;  // keys worked on at once
  };

  WorkQueue(const Options& options, Random random) : options_(options), random_(std::move(random)) {}

  // Due at once.
  void Add(std::string_view key);
  // Due at `when`, or earlier where it is so already.
  void AddAt(std::string_view key, Duration when);
  // The next key to work on, which must be told to Done; nothing where nothing is due or enough are worked on.
  std::optional<std::string> Take(Duration now);
  // The work on a key that Take gave has ended; a key that failed is due again after a pause.
  void Done(std::string_view key, bool succeeded, Duration now);
  // The key is not due any more, nor are its failures remembered. Work on it that is under way goes on.
  void Forget(std::string_view key);
  // Forgets every key.
  void Clear();

  // When the first of those that wait will be due; nothing where none waits. Keys that are due already, which Take has
  // not given, do not count.
  std::optional<Duration> NextDue() const;
  size_t working() const { return working_.size(); }
  size_t due() const { return due_.size(); }
  bool IsWorkedOn(std::string_view key) const { return working_.contains(key); }

 private:
  void StopWaiting(std::string_view key);
  void Ripen(Duration now);

  const Options options_;
  const Random random_;
  std::deque<std::string> due_;  // each once, none that is worked on
  TextSet is_due_;               // those in due_, and those that are due after the work on them
  TextSet working_;
  std::set<std::pair<Duration, std::string>> waiting_;
  TextMap<Duration> waits_until_;  // of those in waiting_
  std::map<std::string, Backoff, std::less<>> failed_;
};

}  // namespace huygens::reconcile
