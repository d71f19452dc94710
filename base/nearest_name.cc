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

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsSmall(char c) { return c >= 'a' && c <= 'z'; }
bool IsCapital(char c) { return c >= 'A' && c <= 'Z'; }
bool Separates(char c) { return c == '-' || c == '_' || c == '.' || c == '/'; }

// A name without what tells brothers and sisters apart: "team" and "a" of team-a, "rack-pool" and "12" of rack1-pool2.
struct Split {
  std::string family;  // in small letters
  std::string member;  // digits, and a last word of one letter
};

// Whether the last letter is a word of its own: that of team-a, of poolA, and of a name of one letter.
bool EndsInOneLetter(std::string_view name) {
  if (name.empty() || (!IsSmall(name.back()) && !IsCapital(name.back()))) return false;
  if (name.size() == 1) return true;
  const char before = name[name.size() - 2];
  return Separates(before) || (IsCapital(name.back()) && IsSmall(before));
}

Split SplitName(std::string_view name) {
  Split split;
  for (char c : name) (IsDigit(c) ? split.member : split.family) += c;
  if (EndsInOneLetter(split.family)) {
    split.member += Lower(split.family.back());
    split.family.pop_back();
  }
  while (!split.family.empty() && Separates(split.family.back())) split.family.pop_back();
  for (char& c : split.family) c = Lower(c);
  return split;
}

// Who writes node2 means another thing than node1, and mistyped nothing.
bool AreSiblings(const Split& a, const Split& b) { return a.family == b.family && a.member != b.member; }

// One letter of three to seven is a slip; of fewer it makes any other name.
size_t LettersThatMayDiffer(size_t letters) { return letters < 3 ? 0 : std::max<size_t>(1, letters / 4); }

}  // namespace

std::string_view NearestName(std::string_view written, std::span<const std::string_view> names) {
  if (written.empty() || written.size() > 64) return {};
  const Split split = SplitName(written);
  std::string_view nearest;
  bool equally_near = false;
  size_t best = LettersThatMayDiffer(written.size()) + 1;
  for (std::string_view name : names) {
    // By value: of two temporaries std::minmax gives references that outlive them.
    const auto [shorter, longer] = std::minmax({written.size(), name.size()});
    if (longer - shorter > best || name == nearest) continue;  // as many letters are lost at least
    const size_t distance = Distance(written, name);
    if (distance > best || AreSiblings(split, SplitName(name))) continue;
    equally_near = distance == best;
    if (equally_near) continue;  // with the nearest so far, or too far as it is
    best = distance;
    nearest = name;
  }
  return equally_near ? std::string_view() : nearest;
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
