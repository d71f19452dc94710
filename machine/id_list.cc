#include "machine/id_list.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>

#include "absl/strings/str_split.h"

namespace huygens::machine {

namespace {

constexpr size_t kBitsOfWord = 32;
constexpr size_t kDigitsOfWord = kBitsOfWord / 4;

// All of `text` as a number without a sign; -1 if it is none, or one above kMostId.
int ParseId(std::string_view text) {
  int id = -1;
  if (text.empty() || text.front() < '0' || text.front() > '9') return -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  return error == std::errc() && end == text.data() + text.size() && id <= kMostId ? id : -1;
}

}  // namespace

StatusOr<Ids> ParseIdList(std::string_view text) {
  Ids ids;
  if (text.empty()) return ids;
  for (const absl::string_view piece : absl::StrSplit(ToAbsl(text), ',')) {
    const std::string_view range = ToStd(piece);
    const size_t dash = range.find('-');
    const int first = ParseId(range.substr(0, dash));
    const int last = dash == std::string_view::npos ? first : ParseId(range.substr(dash + 1));
    // The kernel writes them ascending. Ranges that repeat each other could make a small file fill the memory.
    const bool ascending = ids.empty() || first > ids.back();
    if (first < 0 || last < first || !ascending) {
      return Invalid("not an ascending list of ids below 65536 such as 0-3,8");
    }
    for (int id = first; id <= last; ++id) ids.push_back(id);
  }
  return ids;
}

StatusOr<Ids> ParseIdMask(std::string_view text) {
  Ids ids;
  if (text.empty()) return ids;
  const std::vector<absl::string_view> words = absl::StrSplit(ToAbsl(text), ',');
  for (size_t i = 0; i < words.size(); ++i) {
    const absl::string_view word = words[words.size() - 1 - i];
    uint32_t bits = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), bits, 16);
    const bool good = error == std::errc() && end == word.data() + word.size() && word.size() <= kDigitsOfWord;
    if (!good || (bits != 0 && (i + 1) * kBitsOfWord > static_cast<size_t>(kMostId) + 1)) {
      return Invalid("not a mask of ids below 65536 such as 0000000f,ff00ffff");
    }
    for (size_t bit = 0; bit < kBitsOfWord; ++bit) {
      if ((bits >> bit & 1) != 0) ids.push_back(static_cast<int>(i * kBitsOfWord + bit));
    }
  }
  return ids;
}

std::string FormatIdList(const Ids& ids) {
  std::string out;
  for (size_t i = 0; i < ids.size();) {
    size_t last = i;
    while (last + 1 < ids.size() && ids[last + 1] == ids[last] + 1) ++last;
    if (!out.empty()) out += ',';
    out += std::to_string(ids[i]);
    if (last > i) out += Concat("-", std::to_string(ids[last]));
    i = last + 1;
  }
  return out;
}

bool Has(const Ids& ids, int id) { return std::ranges::binary_search(ids, id); }

Ids Both(const Ids& a, const Ids& b) {
  Ids out;
  std::ranges::set_intersection(a, b, std::back_inserter(out));
  return out;
}

Ids Without(const Ids& a, const Ids& b) {
  Ids out;
  std::ranges::set_difference(a, b, std::back_inserter(out));
  return out;
}

}  // namespace huygens::machine
