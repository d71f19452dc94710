#include "usage_sources/shard.h"

#include <algorithm>

#include "base/text.h"

namespace huygens::usage_sources {
namespace {

constexpr size_t kParts = 4;

}  // namespace

Shard::Shard() : first_(0), last_(kSymbols) {}

std::string Shard::Matcher(std::string_view label) const {
  if (all()) return "";
  std::string tail;
  for (const char c : tail_) tail += c == '.' ? "[.]" : std::string(1, c);
  if (last_ == 1) return Concat(label, "=\"", tail_, "\"");
  // A class of letters, or of all the others where it holds whatever is no letter of a name. '-' stands first.
  const bool other = last_ > kOther;
  const size_t begin = std::max<size_t>(first_, 1), end = std::min(last_, kOther);
  const std::string letters(other ? kLetters.substr(0, begin - 1) : kLetters.substr(begin - 1, end - begin));
  const std::string before = letters.empty() ? ".+" : Concat(".*[", other ? "^" : "", letters, "]");
  return Concat(label, "=~\"", first_ == kNothing ? Concat("(", before, ")?") : before, tail, "\"");
}

std::vector<Shard> Shard::Split() const {
  Shard from = *this;
  if (last_ - first_ == 1) {
    if (first_ == kNothing || first_ == kOther) return {};
    from.tail_ = Concat(kLetters.substr(first_ - 1, 1), tail_);
    from.first_ = 0;
    from.last_ = kSymbols;
  }
  std::vector<Shard> parts;
  const size_t count = from.last_ - from.first_;
  for (size_t i = 0; i < kParts; ++i) {
    Shard part = from;
    part.first_ = from.first_ + count * i / kParts;
    part.last_ = from.first_ + count * (i + 1) / kParts;
    if (part.first_ < part.last_) parts.push_back(part);
  }
  return parts;
}

}  // namespace huygens::usage_sources
