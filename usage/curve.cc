#include "usage/curve.h"

namespace huygens::usage {

bool Curve::Set(int64_t slot, int64_t amount) {
  const auto window = static_cast<int64_t>(slots_);
  if (seen_ == 0) {
    stored_.assign(slots_, kAbsent);
    newest_ = slot - 1;
  }
  if (WentBack(slot, newest_, slots_)) {
    *this = Curve(slots_);
    (void)Set(slot, amount);
    return true;
  }
  if (slot < newest_ - window) return false;
  amount = std::clamp<int64_t>(amount, 0, kMostUse);

  const bool later = slot > newest_;
  if (later) Advance(slot);
  MakeRoomFor(amount);
  const auto value = static_cast<uint16_t>((amount + (int64_t{1} << shift_) - 1) >> shift_);
  if (slot == newest_) open_ = open_ == kAbsent ? value : std::max(open_, value);
  const size_t at = SlotOfWeek(slot, slots_);
  const bool raises = stored_[at] == kAbsent || stored_[at] < value || amount > peak_;
  if (stored_[at] == kAbsent) ++seen_;
  stored_[at] = stored_[at] == kAbsent ? value : std::max(stored_[at], value);
  peak_ = std::max(peak_, amount);
  return later || raises;
}

// Ends the open slot and what lies between it and `slot`.
void Curve::Advance(int64_t slot) {
  const auto window = static_cast<int64_t>(slots_);
  bool peak_left = false;
  auto write = [&](int64_t ended, uint16_t value) {
    const size_t at = SlotOfWeek(ended, slots_);
    if (stored_[at] == value) return;
    if (stored_[at] != kAbsent) {
      peak_left = peak_left || At(at) == peak_;
      --seen_;
    }
    if (value != kAbsent) ++seen_;
    stored_[at] = value;
  };
  write(newest_, open_);
  for (int64_t gap = std::max(newest_ + 1, slot - window); gap < slot; ++gap) write(gap, kAbsent);
  newest_ = slot;
  open_ = kAbsent;
  if (peak_left) FindPeak();
}

void Curve::MakeRoomFor(int64_t amount) {
  int wider = 0;
  while (((amount - 1) >> (shift_ + wider)) >= kHighest) ++wider;  // rounded up, it would be above kHighest
  if (wider == 0) return;
  auto widen = [&](uint16_t& value) {
    if (value != kAbsent) value = static_cast<uint16_t>((int64_t{value} + (int64_t{1} << wider) - 1) >> wider);
  };
  for (uint16_t& value : stored_) widen(value);
  widen(open_);
  shift_ = static_cast<uint8_t>(shift_ + wider);
}

void Curve::FindPeak() {
  uint16_t highest = 0;
  for (uint16_t value : stored_) {
    if (value != kAbsent) highest = std::max(highest, value);
  }
  peak_ = std::min(peak_, int64_t{highest} << shift_);
  // Steps as fine as the new peak allows, for the values to come.
  int finer = 0;
  while (finer < shift_ && (highest << (finer + 1)) <= kHighest) ++finer;
  if (finer == 0) return;
  for (uint16_t& value : stored_) {
    if (value != kAbsent) value = static_cast<uint16_t>(value << finer);
  }
  shift_ = static_cast<uint8_t>(shift_ - finer);
}

}  // namespace huygens::usage
