#include "tests/simulation/network.h"

#include <utility>

namespace huygens::simulation {
namespace {

constexpr Duration kBookmarks = std::chrono::minutes(1);

}  // namespace

Watch::Watch(ApiServer& server, test::VirtualTime& time, std::string_view kind, Stream random, WatchLag lag, Tell tell,
             Listed listed)
    : server_(server),
      time_(time),
      kind_(kind),
      random_(random),
      lag_(lag),
      tell_(std::move(tell)),
      tell_listed_(std::move(listed)) {
  server_.OnChange([this, alive = std::weak_ptr<bool>(alive_)](std::string_view changed) {
    if (alive.expired() || changed != kind_ || !connected_ || list_next_) return;
    Send([this] { TellNext(); });
  });
  Connect(true);
}

Duration Watch::Lag() {
  return random_.Between(Duration::zero(), random_.Chance(lag_.often) ? lag_.longest : lag_.usual);
}

void Watch::After(Duration delay, std::function<void()> task) {
  time_.After(delay, [this, task = std::move(task), connection = connection_, alive = std::weak_ptr<bool>(alive_)] {
    if (!alive.expired() && connection == connection_) task();
  });
}

void Watch::Send(std::function<void()> task) {
  last_ = std::max(last_, time_.Monotonic() + Lag());
  After(last_ - time_.Monotonic(), [this, task = std::move(task)] {
    heard_ = time_.Monotonic();
    task();
  });
}

void Watch::Cut(Duration lasts, bool list_anew) {
  ++connection_;
  connected_ = false;
  After(lasts, [this, list_anew] { Connect(list_anew); });
}

void Watch::Heal() {
  if (!connected_) Connect(true);
}

void Watch::Connect(bool list) {
  ++connection_;
  connected_ = true;
  if (list || !listed_) {
    list_next_ = true;
    After(Lag(), [this] { List(); });
  } else {
    list_next_ = false;
    for (size_t i = next_; i < server_.Log(kind_).size(); ++i) Send([this] { TellNext(); });
    Bookmark();
  }
}

// As it is when the API server answers; what changes from then on is told after it.
void Watch::List() {
  std::map<std::string, Change> there;
  for (const Change& each : server_.Log(kind_)) {
    if (each.gone) {
      there.erase(each.key());
    } else {
      there[each.key()] = each;
    }
  }
  list_next_ = false;
  Send([this, there = std::move(there), end = server_.Log(kind_).size()] {
    next_ = end;
    for (const auto& [key, change] : there) tell_(change);
    for (const auto& [key, change] : std::exchange(known_, there)) {
      if (there.contains(key)) continue;
      Change gone = change;
      gone.gone = true;
      tell_(gone);
    }
    listed_ = true;
    if (!tell_listed_) return;
    std::set<std::string, std::less<>> keys;
    for (const auto& [key, change] : known_) keys.insert(key);
    tell_listed_(keys);
  });
  Bookmark();
}

void Watch::TellNext() {
  const Change change = server_.Log(kind_)[next_++];
  if (change.gone) {
    known_.erase(change.key());
  } else {
    known_[change.key()] = change;
  }
  tell_(change);
}

void Watch::Bookmark() {
  Send([] {});
  After(kBookmarks, [this] { Bookmark(); });
}

void Watch::CatchUp() {
  if (connected_) Send([] {});
}

}  // namespace huygens::simulation
