#include "reconcile/work_queue.h"

#include <algorithm>

namespace huygens::reconcile {

void WorkQueue::Add(std::string_view key) {
  StopWaiting(key);
  if (!is_due_.emplace(key).second) return;
  if (!working_.contains(key)) due_.emplace_back(key);
}

void WorkQueue::AddAt(std::string_view key, Duration when) {
  if (is_due_.contains(key)) return;
  auto waits = waits_until_.find(key);
  if (waits != waits_until_.end() && waits->second <= when) return;
  StopWaiting(key);
  waiting_.emplace(when, key);
  waits_until_.emplace(key, when);
}

std::optional<std::string> WorkQueue::Take(Duration now) {
  Ripen(now);
  if (due_.empty() || working_.size() >= options_.parallel) return std::nullopt;
  std::string key = std::move(due_.front());
  due_.pop_front();
  is_due_.erase(key);
  working_.insert(key);
  return key;
}

void WorkQueue::Done(std::string_view key, bool succeeded, Duration now) {
  const std::string ended(key);  // the caller's may be our own
  if (working_.erase(ended) == 0) return;
  if (succeeded) {
    failed_.erase(ended);
  } else {
    auto pauses = failed_.try_emplace(ended, options_.first_retry, options_.longest_retry, random_).first;
    AddAt(ended, now + pauses->second.Next());
  }
  if (is_due_.contains(ended)) due_.push_back(ended);
}

void WorkQueue::Forget(std::string_view key) {
  const std::string forgotten(key);
  StopWaiting(forgotten);
  if (is_due_.erase(forgotten) != 0) std::erase(due_, forgotten);
  failed_.erase(forgotten);
}

void WorkQueue::Clear() {
  due_.clear();
  is_due_.clear();
  waiting_.clear();
  waits_until_.clear();
  failed_.clear();
}

std::optional<Duration> WorkQueue::NextDue() const {
  if (waiting_.empty()) return std::nullopt;
  return waiting_.begin()->first;
}

void WorkQueue::StopWaiting(std::string_view key) {
  auto waits = waits_until_.find(key);
  if (waits == waits_until_.end()) return;
  waiting_.erase({waits->second, std::string(key)});
  waits_until_.erase(waits);
}

void WorkQueue::Ripen(Duration now) {
  while (!waiting_.empty() && waiting_.begin()->first <= now) Add(std::string(waiting_.begin()->second));
}

}  // namespace huygens::reconcile
