// What one pod counts for, of one resource: the curve of its workload, and what the estimate lies above its peak as
// long as that is not known to be too much:
//
//   value + max(0, estimate - peak) * (day - known) / day,    in 1/1024, rounded up
//
// in every slot. `known` is the longer of how many slots were measured and of how long the pod has run within what was
// measured of its node: a pod that ran for days before anybody looked is not taken for more than it uses. Of a pod
// without a curve the peak is 0: one that no source knows by name counts with the estimate, unless all that its node
// uses is measured, and then fades into what the node uses beyond its pods. A measured value never counts as less than
// it is.
//
// What the node itself uses is a profile, too: only what is above the room that allocatable leaves for it counts.
//
// A view: it holds as long as the curve does.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "usage/curve.h"

namespace huygens::usage {

class Profile {
 public:
  // `curve` may be null. `day`: slots of a day. `age`: slots for which the pod has run within what was measured of its
  // node; nothing: it is too young to be in there.
  Profile(const Curve* curve, int64_t estimate, size_t day, std::optional<size_t> age = std::nullopt)
      : curve_(curve && curve->seen() > 0 ? curve : nullptr), estimate_(estimate) {
    const size_t known = std::min(day, std::max(curve_ ? curve_->seen() : 0, age.value_or(0)));
    const int64_t fade = kWhole - static_cast<int64_t>(known * kWhole / day);
    const int64_t above = std::max<int64_t>(0, estimate_ - (curve_ ? curve_->peak() : 0));
    extra_ = (above * fade + kWhole - 1) / kWhole;
  }
  // Of a node beyond its pods; `reserved` of it counts for nothing.
  static Profile OfSystem(const Curve* curve, int64_t reserved) {
    Profile profile(curve, 0, 1, 0);
    profile.reserved_ = reserved;
    return profile;
  }

  bool flat() const { return !curve_; }
  bool measured() const { return curve_; }
  int64_t estimate() const { return estimate_; }
  // What counts in each slot beyond what was measured.
  int64_t extra() const { return extra_; }
  size_t slots() const { return curve_->slots(); }  // unless flat
  int64_t peak() const { return extra_ + (curve_ ? Counted(curve_->peak()) : 0); }
  int64_t At(size_t slot) const { return extra_ + (curve_ ? Counted(curve_->At(slot)) : 0); }
  // Adds `sign` times what was measured in each slot; not for flat ones.
  void AddTo(std::span<int64_t> slots, int64_t sign) const {
    int64_t* to = slots.data();
    if (reserved_ == 0) {
      curve_->ForEach([=](size_t slot, int64_t value) { to[slot] += sign * value; });
    } else {
      curve_->ForEach([=, this](size_t slot, int64_t value) { to[slot] += sign * Counted(value); });
    }
  }

 private:
  static constexpr int64_t kWhole = 1024;

  int64_t Counted(int64_t value) const { return std::max<int64_t>(0, value - reserved_); }

  const Curve* curve_;
  int64_t estimate_;
  int64_t extra_;
  int64_t reserved_ = 0;
};

}  // namespace huygens::usage
