#include "usage/histories.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace huygens::usage {
namespace {

bool Empty(const History& history) {
  return std::all_of(history.resources.begin(), history.resources.end(),
                     [](const auto& each) { return each.curve.seen() == 0; });
}

}  // namespace

Histories::Histories(size_t resources, size_t slots, size_t most, std::vector<std::string> run_once)
    : slots_(slots), most_(most), run_once_(std::move(run_once)), newest_(resources, INT64_MIN) {
  run_once_.emplace_back("Pod");
}

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
  if (--found->second->users > 0) return;
  full_ = false;
  if (Empty(*found->second)) subjects_.erase(found);
}

const History* Histories::Find(std::string_view subject) const {
  auto found = subjects_.find(subject);
  return found == subjects_.end() ? nullptr : found->second.get();
}

bool Histories::Set(std::string_view subject, size_t resource, int64_t slot, int64_t amount, Time last, Time latest) {
  const History* const known = Find(subject);
  const bool first = known == nullptr || Empty(*known);
  if (first && measured_ >= most_ && !MakeRoom()) {
    ++displaced_;
    return false;
  }
  measured_ += first ? 1 : 0;
  History& history = At(subject);
  History::Measured& measured = history.resources[resource];
  measured.last = measured.last > latest ? last : std::max(measured.last, last);
  if (WentBack(slot, newest_[resource], slots_)) newest_[resource] = looked_ = slot;
  newest_[resource] = std::max(newest_[resource], slot);
  return measured.curve.Set(slot, amount);
}

// A hundredth at a time, so that a crowd of new subjects does not look at all of them for each.
bool Histories::MakeRoom() {
  if (full_) return false;
  struct Unused {
    Time last;
    std::string_view subject;
    bool operator<(const Unused& other) const { return std::tie(last, subject) < std::tie(other.last, other.subject); }
  };
  std::vector<Unused> unused;
  for (const auto& [subject, history] : subjects_) {
    if (history->users > 0 || Empty(*history)) continue;
    Time last = Time::min();
    for (const History::Measured& each : history->resources) last = std::max(last, each.last);
    unused.push_back({last, subject});
  }
  full_ = unused.empty();
  const size_t count = std::min(unused.size(), most_ / 100 + 1);
  std::partial_sort(unused.begin(), unused.begin() + static_cast<ptrdiff_t>(count), unused.end());
  unused.resize(count);
  for (const Unused& each : unused) subjects_.erase(subjects_.find(each.subject));
  measured_ -= count;
  displaced_ += count;
  return !full_;
}

// Of what ran once and briefly nobody inherits, and there may be ten thousand a day.
bool Histories::RanOnce(std::string_view subject) const {
  const size_t begin = subject.find('/') + 1;
  const std::string_view kind = subject.substr(begin, subject.find('/', begin) - begin);
  return std::find(run_once_.begin(), run_once_.end(), kind) != run_once_.end();
}

void Histories::DropOld() {
  const auto window = static_cast<int64_t>(slots_);
  const int64_t day = std::max<int64_t>(1, window / 7);
  const int64_t newest = *std::max_element(newest_.begin(), newest_.end());
  if (newest < looked_ + day) return;
  looked_ = newest;
  full_ = false;
  measured_ -= absl::erase_if(subjects_, [&](const auto& each) {
    const History& history = *each.second;
    if (history.users > 0) return false;
    const bool once = RanOnce(each.first);
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
