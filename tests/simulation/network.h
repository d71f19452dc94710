// The way between an instance and the API server: calls that are late or lost, in either direction, and watches that tell
// late, are silent, and are listed anew. Everything comes in virtual time; what was to be told to an instance that is
// gone is told to nobody.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "tests/base/virtual_time.h"
#include "tests/simulation/api_server.h"
#include "tests/simulation/stream.h"

namespace huygens::simulation {

// Of calls, as shares of them.
struct CallFaults {
  double lost_request = 0;  // never arrives
  double lost_answer = 0;   // is done, and nobody learns of it
  double slow = 0;          // arrives up to 4 s later, perhaps after whoever called has given up
  double error = 0;         // 500, and nothing is done
};

// Of one instance.
class Line {
 public:
  Line(test::VirtualTime& time, Stream random, const CallFaults& faults)
      : time_(time), random_(random), faults_(faults) {}

  // Until then nothing arrives.
  void CutUntil(Duration at) { cut_until_ = std::max(cut_until_, at); }
  void Heal() { cut_until_ = Duration::zero(); }
  bool cut() const { return time_.Monotonic() < cut_until_; }
  Duration Lag() {
    return random_.Between(std::chrono::microseconds(100), std::chrono::milliseconds(random_.Chance(0.1) ? 60 : 8));
  }

  template <typename T>
  void Call(Duration timeout, std::function<StatusOr<T>()> at_server, std::function<void(StatusOr<T>)> done) {
    CallSlow<T>(
        timeout, [at_server = std::move(at_server)](std::function<void(StatusOr<T>)> answer) { answer(at_server()); },
        std::move(done));
  }
  // The same of a call that the server answers later, as one that a webhook reviews.
  template <typename T>
  void CallSlow(Duration timeout, std::function<void(std::function<void(StatusOr<T>)> answer)> at_server,
                std::function<void(StatusOr<T>)> done) {
    const auto told = std::make_shared<bool>(false);
    const auto tell = [&time = time_, told, alive = std::weak_ptr<bool>(alive_), done = std::move(done)](
                          Duration after, StatusOr<T> answer) {
      time.After(after, [alive, told, done, answer = std::move(answer)] {
        if (!alive.expired() && !std::exchange(*told, true)) done(answer);
      });
    };
    const auto give_up = [tell, timeout] { tell(timeout, absl::DeadlineExceededError("no answer")); };
    if (cut() || random_.Chance(faults_.lost_request)) return give_up();
    Duration there = Lag();
    const Duration back = Lag();
    if (random_.Chance(faults_.error)) return tell(std::min(there + back, timeout), absl::UnavailableError("500"));
    if (random_.Chance(faults_.slow)) there += random_.Between(Duration::zero(), std::chrono::seconds(4));
    const bool in_time = there + back < timeout && !random_.Chance(faults_.lost_answer);
    // What is on its way arrives, whatever becomes of who sent it.
    time_.After(there, [tell, in_time, back, at_server = std::move(at_server)] {
      at_server([tell, in_time, back](StatusOr<T> answer) {
        if (in_time) tell(back, std::move(answer));
      });
    });
    give_up();
  }

  // A timer of whoever lives as long as this.
  void After(Duration delay, std::function<void()> task) const {
    time_.After(delay, [task = std::move(task), alive = std::weak_ptr<bool>(alive_)] {
      if (!alive.expired()) task();
    });
  }

 private:
  test::VirtualTime& time_;
  Stream random_;
  const CallFaults& faults_;
  Duration cut_until_{};
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

struct WatchLag {
  Duration usual = std::chrono::milliseconds(5);
  Duration longest = std::chrono::milliseconds(300);
  double often = 0.05;  // the share that takes up to the longest
};

// One kind, followed by one instance: listed, then told of each change in the order of the API server.
class Watch {
 public:
  using Tell = std::function<void(const Change&)>;

  // `listed`: is told at the end of each list by what keys the objects are known that are there.
  using Listed = std::function<void(const std::set<std::string, std::less<>>&)>;

  Watch(ApiServer& server, test::VirtualTime& time, std::string_view kind, Stream random, WatchLag lag, Tell tell,
        Listed listed = nullptr);

  // Nothing is told for so long. Then the watch goes on where it was, or all is listed anew.
  void Cut(Duration lasts, bool list_anew);
  void Heal();
  // Has been listed.
  bool listed() const { return listed_; }
  // Since when nothing was heard, not even a bookmark; zero before the first list.
  Duration Silence() const { return listed_ ? time_.Monotonic() - heard_ : Duration::zero(); }
  // Tells soon of all that there is now.
  void CatchUp();
  // Up to which version of the kind all was told, as ApiServer counts versions; 0: it was never listed.
  uint64_t seen() const { return listed_ ? next_ + 1 : 0; }

 private:
  void Connect(bool list);
  void List();
  void Bookmark();
  void TellNext();
  // After a lag, not before what was sent earlier, and only if the connection lasts till then.
  void Send(std::function<void()> task);
  // If the connection lasts till then.
  void After(Duration delay, std::function<void()> task);
  Duration Lag();

  ApiServer& server_;
  test::VirtualTime& time_;
  const std::string kind_;
  Stream random_;
  const WatchLag lag_;
  const Tell tell_;
  const Listed tell_listed_;
  size_t next_ = 0;  // of the log: what is to be told next
  bool listed_ = false, connected_ = true, list_next_ = true;
  uint64_t connection_ = 0;
  Duration heard_{}, last_{};
  std::map<std::string, Change> known_;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace huygens::simulation
