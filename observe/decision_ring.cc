#include "observe/decision_ring.h"

#include <algorithm>

namespace huygens::observe {

namespace {

bool IsAbout(const DecisionRecord& record, const DecisionQuery& query) {
  if (!query.uid.empty() && record.uid() != query.uid) return false;
  if (query.pod.empty()) return true;
  std::string_view key = record.pod();
  if (query.pod.find('/') == query.pod.npos) key.remove_prefix(key.find('/') + 1);
  return key == query.pod;
}

}  // namespace

DecisionRing::DecisionRing(size_t max_decisions, size_t max_bytes)
    : max_decisions_(max_decisions), max_bytes_(max_bytes) {}

void DecisionRing::Add(std::shared_ptr<const DecisionRecord> record) {
  std::deque<std::shared_ptr<const DecisionRecord>> evicted;  // freed after the lock
  std::lock_guard lock(mutex_);
  bytes_ += record->bytes();
  records_.push_back(std::move(record));
  while (records_.size() > max_decisions_ || bytes_ > max_bytes_) {
    bytes_ -= records_.front()->bytes();
    evicted.push_back(std::move(records_.front()));
    records_.pop_front();
    ++first_number_;
  }
}

std::optional<DecisionRing::Numbered> DecisionRing::Before(const DecisionQuery& query, uint64_t number) const {
  std::lock_guard lock(mutex_);
  if (number <= first_number_) return std::nullopt;
  for (size_t i = std::min<uint64_t>(number - first_number_, records_.size()); i-- > 0;) {
    if (IsAbout(*records_[i], query)) return Numbered{records_[i], first_number_ + i};
  }
  return std::nullopt;
}

size_t DecisionRing::size() const {
  std::lock_guard lock(mutex_);
  return records_.size();
}

size_t DecisionRing::bytes() const {
  std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace huygens::observe
