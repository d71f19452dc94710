#include "admin/turns.h"

#include <utility>

namespace huygens::admin {

void Turns::Enter(std::function<void(Turn)> begin) {
  if (!taken_) return begin(Take());
  if (waiting_.size() >= most_waiting_) return begin(nullptr);
  const auto entry = waiting_.insert(waiting_.end(), {std::move(begin), {}});
  entry->patience = loop_.After(patience_, [this, entry] {
    const auto late = std::move(entry->begin);
    waiting_.erase(entry);
    late(nullptr);
  });
}

Turns::Turn Turns::Take() {
  taken_ = true;
  // Posted: whoever lets go of a turn is in the middle of something.
  return {this, [this, &loop = loop_, alive = std::weak_ptr<bool>(alive_)](void*) {
            loop.Post([this, alive] {
              if (!alive.expired()) Next();
            });
          }};
}

void Turns::Next() {
  taken_ = false;
  if (waiting_.empty()) return;
  const auto begin = std::move(waiting_.front().begin);
  waiting_.pop_front();
  begin(Take());
}

}  // namespace huygens::admin
