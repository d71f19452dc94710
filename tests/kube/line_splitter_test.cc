#include "kube/line_splitter.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace huygens::kube {
namespace {

std::vector<std::string> Split(const std::vector<std::string>& pieces, size_t max_line = 1000) {
  std::vector<std::string> lines;
  LineSplitter splitter(max_line);
  for (const std::string& piece : pieces) {
    splitter.Feed(piece, [&](std::string_view line) {
      lines.emplace_back(line);
      return true;
    });
  }
  return lines;
}

TEST(LineSplitter, GivesCompleteLinesOnly) {
  EXPECT_EQ(Split({"a\nbc\n\nd"}), (std::vector<std::string>{"a", "bc"}));
  EXPECT_EQ(Split({"a", "b", "\n", "c\n"}), (std::vector<std::string>{"ab", "c"}));
}

RC_GTEST_PROP(LineSplitter, CutsDoNotMatter, ()) {
  const auto bytes = *rc::gen::container<std::string>(rc::gen::element('a', 'b', '\n'));
  const auto cut = *rc::gen::inRange<size_t>(0, bytes.size() + 1);
  const auto second = *rc::gen::inRange<size_t>(cut, bytes.size() + 1);
  RC_ASSERT(Split({bytes}) == Split({bytes.substr(0, cut), bytes.substr(cut, second - cut), bytes.substr(second)}));
}

TEST(LineSplitter, RefusesLinesAboveTheLimitHoweverTheyArrive) {
  for (const size_t piece : {1, 3, 100}) {
    LineSplitter splitter(10);
    const std::string bytes = "short\n" + std::string(11, 'x') + "\n";
    bool more = true;
    int lines = 0;
    for (size_t at = 0; more && at < bytes.size(); at += piece) {
      more = splitter.Feed(std::string_view(bytes).substr(at, piece), [&](std::string_view) { return ++lines > 0; });
    }
    EXPECT_FALSE(more);
    EXPECT_TRUE(splitter.too_long());
    EXPECT_EQ(lines, 1);
  }
}

TEST(LineSplitter, StopsWhenTold) {
  LineSplitter splitter(10);
  int lines = 0;
  EXPECT_FALSE(splitter.Feed("a\nb\nc\n", [&](std::string_view) { return ++lines < 2; }));
  EXPECT_EQ(lines, 2);
  EXPECT_FALSE(splitter.too_long());
}

}  // namespace
}  // namespace huygens::kube
