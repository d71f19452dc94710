// How long to wait before trying again: doubles from `first` to `most`, spread over [1/2, 1] of that, so that many
// clients of a server that came back do not return all at once. Not thread-safe.
#pragma once

#include <functional>

#include "base/time.h"

namespace huygens {

// Uniform in [0, 1).
using Random = std::function<double()>;
// Seeded from the system; one per thread.
Random SystemRandom();

class Backoff {
 public:
  Backoff(Duration first, Duration most, Random random);

  Duration Next();
  void Reset() { next_ = first_; }

 private:
  Duration first_;
  Duration most_;
  Duration next_;
  Random random_;
};

}  // namespace huygens
