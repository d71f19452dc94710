// What one workload (or a node, beyond its pods) used of one resource over the last window: the highest use in each
// slot of time, folded by slot of the week.
//
// 16 bits a slot, in steps of a power of two that suits the peak; amounts are rounded up to the step, but never above
// the peak, which is kept beside them. A slot without a value counts as the peak: what was not measured is not idle.
// While a slot is open (the newest one) it has the higher of its value a week before and what was measured so far; what
// lies between it and the next slot with a reading has no value. Time alone changes nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace huygens::usage {

// Amounts are cut to this, so that sums over a node's pods, up to 100 000, cannot overflow.
inline constexpr int64_t kMostUse = int64_t{1} << 46;

// n mod slots, for any n.
inline size_t SlotOfWeek(int64_t slot, size_t slots) {
  const auto count = static_cast<int64_t>(slots);
  return static_cast<size_t>((slot % count + count) % count);
}

// How many slots older than the window a reading may be, before that means that the clock has gone back.
inline int64_t BeyondWindow(size_t slots) { return std::max<int64_t>(2, static_cast<int64_t>(slots) / 7); }

// Whether a reading of `slot` after one of `newest` says that the clock has gone back.
inline bool WentBack(int64_t slot, int64_t newest, size_t slots) {
  return slot + static_cast<int64_t>(slots) + BeyondWindow(slots) <= newest;
}

class Curve {
 public:
  explicit Curve(size_t slots) : slots_(static_cast<uint32_t>(slots)) {}

  // `amount` was used in slot number `slot`. One older than the newest is only raised, and the one a window before it
  // raises the open slot; what is older still is passed over, unless the clock went back: then the curve begins anew.
  // Says whether any value changed.
  bool Set(int64_t slot, int64_t amount);

  size_t slots() const { return slots_; }
  size_t seen() const { return seen_; }  // slots with a value
  int64_t newest() const { return newest_; }
  // Highest value. Exact until the slot that set it falls out of the window, then rounded up like the others.
  int64_t peak() const { return peak_; }
  // Value by slot of the week; these two only once a slot has been seen.
  int64_t At(size_t slot) const { return Value(stored_[slot], shift_, peak_); }
  // Calls visit(slot of the week, value) for each.
  template <typename Visit>
  void ForEach(Visit&& visit) const {
    const uint16_t* stored = stored_.data();
    const int shift = shift_;
    const int64_t peak = peak_;
    for (size_t slot = 0; slot < slots_; ++slot) visit(slot, Value(stored[slot], shift, peak));
  }

 private:
  // More than any stored value, so that Value() makes the peak of it.
  static constexpr uint16_t kAbsent = 0xffff;
  static constexpr uint16_t kHighest = 0xfffe;

  static int64_t Value(uint16_t stored, int shift, int64_t peak) { return std::min(int64_t{stored} << shift, peak); }
  void Advance(int64_t slot);
  void MakeRoomFor(int64_t amount);
  void FindPeak();

  std::vector<uint16_t> stored_;  // by slot of the week; empty until there is one
  int64_t newest_ = 0;
  int64_t peak_ = 0;
  uint32_t slots_;
  uint32_t seen_ = 0;
  uint16_t open_ = kAbsent;  // of the newest slot, this week
  uint8_t shift_ = 0;        // the step is 1 << shift_
};

}  // namespace huygens::usage
