// Cuts a stream of bytes into lines, however it was cut before, and refuses lines above a size. Not thread-safe.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace huygens::kube {

class LineSplitter {
 public:
  explicit LineSplitter(size_t max_line) : max_line_(max_line) {}

  // Calls `take(line)` for each line that `piece` completes, without its line break; empty lines are skipped. Stops and
  // returns false when `take` does, or when a line is longer than allowed (then too_long() is true).
  bool Feed(std::string_view piece, const std::function<bool(std::string_view)>& take);
  bool too_long() const { return too_long_; }

 private:
  size_t max_line_;
  std::string rest_;  // of a line that is not complete yet
  bool too_long_ = false;
};

}  // namespace huygens::kube
