#include "kube/line_splitter.h"

namespace huygens::kube {

bool LineSplitter::Feed(std::string_view piece, const std::function<bool(std::string_view)>& take) {
  while (!piece.empty()) {
    const size_t end = piece.find('\n');
    const std::string_view part = piece.substr(0, end);
    if (rest_.size() + part.size() > max_line_) {
      too_long_ = true;
      return false;
    }
    if (end == std::string_view::npos) {
      rest_.append(part);
      return true;
    }
    piece.remove_prefix(end + 1);
    bool more = true;
    if (rest_.empty()) {
      if (!part.empty()) more = take(part);
    } else {
      rest_.append(part);
      const std::string line = std::move(rest_);
      rest_.clear();
      more = take(line);
    }
    if (!more) return false;
  }
  return true;
}

}  // namespace huygens::kube
