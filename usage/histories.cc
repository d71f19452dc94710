#include "usage/histories.h"

#include <algorithm>

namespace huygens::usage {
namespace {

bool Empty(const History& history) {
  return std::all_of(history.resources.begin(), history.resources.end(),
                     [](const auto& each) { return each.curve.seen() == 0; });
}

}  // namespace

History& Histories::At(std::string_view subject) {
  std::unique_ptr<History>& history = subjects_[subject];
  if (!history) {
    history = std::make_unique<History>();
    history->resources.assign(newest_.size(), {Curve(slots_)});
  }
  return *history;
}

History& Histories::Use(std::string_view subject) {
  History& history = At(subject);
  ++history.users;
  return history;
}

void Histories::Release(std::string_view subject) {
  auto found = subjects_.find(subject);
  if (--found->second->users == 0 && Empty(*found->second)) subjects_.erase(found);
}

const History* Histories::Find(std::string_view subject) const {
  auto found = subjects_.find(subject);
  return found == subjects_.end() ? nullptr : found->second.get();
}

bool Histories::Set(std::string_view subject, size_t resource, int64_t slot, int64_t amount, Time last, Time latest) {
  History& history = At(subject);
  if (Empty(history)) ++measured_;
  History::Measured& measured = history.resources[resource];
  measured.last = measured.last > latest ? last : std::max(measured.last, last);
  if (WentBack(slot, newest_[resource], slots_)) newest_[resource] = looked_ = slot;
  newest_[resource] = std::max(newest_[resource], slot);
  return measured.curve.Set(slot, amount);
}

void Histories::DropOld() {
  const auto window = static_cast<int64_t>(slots_);
  const int64_t day = std::max<int64_t>(1, window / 7);
  const int64_t newest = *std::max_element(newest_.begin(), newest_.end());
  if (newest < looked_ + day) return;
  looked_ = newest;
  measured_ -= absl::erase_if(subjects_, [&](const auto& each) {
    const History& history = *each.second;
    if (history.users > 0) return false;
    // Of what ran once and briefly nobody inherits, and there may be ten thousand a day.
    const bool once = each.first.find("/Pod/") != std::string::npos || each.first.find("/Job/") != std::string::npos;
    for (size_t r = 0; r < newest_.size(); ++r) {
      const Curve& curve = history.resources[r].curve;
      // The open slot counts as a window before.
      const int64_t keep = once && static_cast<int64_t>(curve.seen()) < day ? day : window + 1;
      if (curve.seen() > 0 && curve.newest() > newest_[r] - keep) return false;
    }
    return true;
  });
}

}  // namespace huygens::usage
