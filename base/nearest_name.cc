#include "base/nearest_name.h"

#include <algorithm>
#include <vector>

namespace huygens {

namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Edit distance in which a swap of neighbours counts once (optimal string alignment), letter case aside.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1);
  std::vector<size_t> last(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      bool same = Lower(a[i - 1]) == Lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      bool swapped = i > 1 && j > 1 && Lower(a[i - 1]) == Lower(b[j - 2]) && Lower(a[i - 2]) == Lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string_view NearestName(std::string_view written, std::span<const std::string_view> names) {
  std::string_view nearest;
  if (written.size() > 64) return nearest;
  size_t best = std::max<size_t>(1, written.size() / 3) + 1;
  for (std::string_view name : names) {
    const auto [shorter, longer] = std::minmax(written.size(), name.size());
    if (longer - shorter >= best) continue;  // as many letters are lost at least
    size_t distance = Distance(written, name);
    if (distance < best) {
      best = distance;
      nearest = name;
    }
  }
  return nearest;
}

std::string JoinNames(std::span<const std::string_view> names, std::string_view between) {
  std::string out;
  for (std::string_view name : names) {
    if (!out.empty()) out += between;
    out += name;
  }
  return out;
}

}  // namespace huygens
