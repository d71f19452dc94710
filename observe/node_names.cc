#include "observe/node_names.h"

#include <algorithm>
#include <limits>

namespace huygens::observe {

namespace {
// What lies between two names in the body of a request: `","`.
constexpr size_t kBetween = 3;
constexpr size_t kLongest = std::numeric_limits<uint16_t>::max();

// The stretch of memory that holds all names with kBetween bytes between each two; empty if they do not lie so.
std::string_view OnePiece(std::span<const std::string_view> names) {
  for (size_t i = 0; i < names.size(); ++i) {
    bool follows = i == 0 || names[i].begin() == names[i - 1].end() + kBetween;
    if (!follows || names[i].size() > kLongest) return {};
  }
  if (names.size() < 2) return {};
  return {names.front().begin(), names.back().end()};
}
}  // namespace

std::shared_ptr<const NodeNames> NodeNames::Of(std::span<const std::string_view> names,
                                               std::shared_ptr<const NodeNames> last) {
  std::string_view piece = OnePiece(names);
  bool same = last && last->gap_ == kBetween && last->size() == names.size() && last->text_ == piece;
  if (same) return last;
  auto packed = std::make_shared<NodeNames>();
  packed->lengths_.reserve(names.size());
  for (std::string_view name : names)
    packed->lengths_.push_back(static_cast<uint16_t>(std::min(name.size(), kLongest)));
  if (!piece.empty()) {
    packed->gap_ = kBetween;
    packed->text_ = piece;
  } else {
    for (std::string_view name : names) packed->text_ += name.substr(0, kLongest);
  }
  return packed;
}

size_t NodeNames::bytes() const { return sizeof(*this) + text_.capacity() + lengths_.capacity() * sizeof(uint16_t); }

std::vector<std::string_view> NodeNames::List() const {
  std::vector<std::string_view> names;
  names.reserve(lengths_.size());
  size_t at = 0;
  for (uint16_t length : lengths_) {
    names.push_back(std::string_view(text_).substr(at, length));
    at += length + gap_;
  }
  return names;
}

}  // namespace huygens::observe
