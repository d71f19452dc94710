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
    // The community's plugin does not say "node(s)".
    const bool ours_or_cranes = text.starts_with("node(s)");
    // What a group says is not about a node.
    EXPECT_TRUE(text.empty() || ours_or_cranes || text.starts_with("quota of ") || text.starts_with("quota hours ") ||
                text.starts_with("cannot align ") || text.starts_with("invalid node "));
    EXPECT_FALSE(Label(reason).empty());
    EXPECT_TRUE(labels.insert(Label(reason)).second) << Label(reason);
  }
}

TEST(Reason, UsesCranesWordsForCranesCauses) {
  EXPECT_EQ(Text(Reason::kNoTopology), "node(s) failed to get NRT");
  EXPECT_EQ(Text(Reason::kInsufficientZones), "node(s) had insufficient resource of NUMA node");
  EXPECT_EQ(Text(Reason::kZonesTooSmall), "node(s) had insufficient resource of NUMA node");
}

TEST(Reason, OnlyWhatIsTakenIsCuredByVictims) {
  for (Reason reason : kReasons) {
    const bool taken = reason == Reason::kInsufficientZones || reason == Reason::kInsufficientCores ||
                       Reason::kUsageCeiling == reason || Label(reason).starts_with("cannot_align_");
    EXPECT_EQ(CurableByVictims(reason), taken) << Label(reason);
  }
}

}  // namespace
}  // namespace huygens::policy
