#include "policy/reason.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

namespace huygens::policy {
namespace {

TEST(Reason, EveryOneHasATextWithoutNumbersAndALabelOfItsOwn) {
  std::set<std::string_view> labels;
  for (Reason reason : kReasons) {
    std::string_view text = Text(reason);
    EXPECT_EQ(text.empty(), reason == Reason::kFits);
    EXPECT_TRUE(std::none_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); })) << text;
    if (!text.empty()) {
      EXPECT_EQ(text.substr(0, 7), "node(s)");
    }
    EXPECT_FALSE(Label(reason).empty());
    EXPECT_TRUE(labels.insert(Label(reason)).second) << Label(reason);
  }
}

TEST(Reason, ListsAreComplete) {
  // A reason left out of kReasons or of a switch would show here as an empty label.
  EXPECT_EQ(static_cast<size_t>(Reason::kZonesTooSmall) + 1, std::size(kReasons));
  for (size_t i = 0; i < std::size(kReasons); ++i) EXPECT_EQ(static_cast<size_t>(kReasons[i]), i);
}

TEST(Reason, UsesCranesWordsForCranesCauses) {
  EXPECT_EQ(Text(Reason::kNoTopology), "node(s) failed to get NRT");
  EXPECT_EQ(Text(Reason::kInsufficientZones), "node(s) had insufficient resource of NUMA node");
  EXPECT_EQ(Text(Reason::kZonesTooSmall), "node(s) had insufficient resource of NUMA node");
}

TEST(Reason, OnlyTakenZonesAreCuredByVictims) {
  for (Reason reason : kReasons) EXPECT_EQ(CurableByVictims(reason), reason == Reason::kInsufficientZones);
}

}  // namespace
}  // namespace huygens::policy
