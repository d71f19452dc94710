// What one pod counts for, of one resource: the curve of its workload, else the estimate in every slot. While fewer
// slots than a day has were measured, what the estimate lies above a value fades out with each slot seen:
//
//   value + max(0, estimate - value) * (day - seen) / day,    in 1/1024, rounded up
//
// A measured value never counts as less than it is. A view: it holds as long as the curve does.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "usage/curve.h"

namespace huygens::usage {

class Profile {
 public:
  // `curve` may be null. `day`: slots of a day.
  Profile(const Curve* curve, int64_t estimate, size_t day)
      : curve_(curve && curve->seen() > 0 ? curve : nullptr), estimate_(estimate) {
    if (curve_ && curve_->seen() < day) fade_ = kWhole - static_cast<int64_t>(curve_->seen() * kWhole / day);
  }

  bool flat() const { return !curve_; }
  bool measured() const { return curve_; }
  int64_t estimate() const { return estimate_; }
  size_t slots() const { return curve_->slots(); }  // unless flat
  int64_t peak() const { return curve_ ? Counted(curve_->peak()) : estimate_; }
  int64_t At(size_t slot) const { return curve_ ? Counted(curve_->At(slot)) : estimate_; }
  // Adds `sign` times the value of each slot; not for flat ones.
  void AddTo(std::span<int64_t> slots, int64_t sign) const {
    int64_t* to = slots.data();
    if (fade_ == 0) {
      curve_->ForEach([=](size_t slot, int64_t value) { to[slot] += sign * value; });
    } else {
      curve_->ForEach([=, this](size_t slot, int64_t value) { to[slot] += sign * Counted(value); });
    }
  }

 private:
  static constexpr int64_t kWhole = 1024;

  int64_t Counted(int64_t value) const {
    return value + (std::max<int64_t>(0, estimate_ - value) * fade_ + kWhole - 1) / kWhole;
  }

  const Curve* curve_;
  int64_t estimate_;
  int64_t fade_ = 0;
};

}  // namespace huygens::usage
