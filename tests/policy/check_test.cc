#include "policy/check.h"

#include <gtest/gtest.h>

#include "policy/registry.h"

namespace huygens::policy {
namespace {

TEST(Candidates, KeepTheFirstReason) {
  Candidates nodes;
  nodes.Reset(std::vector<NodeIndex>{7, 3});
  EXPECT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes.node(1), 3u);
  nodes.Reject(1, Reason::kNoTopology);
  nodes.Reject(1, Reason::kZonesTooSmall);
  EXPECT_EQ(nodes.reason(1), Reason::kNoTopology);
  EXPECT_FALSE(nodes.Rejected(0));
  nodes.Reset(std::vector<NodeIndex>{3});
  EXPECT_FALSE(nodes.Rejected(0));
}

TEST(CheckRegistry, MakesWhatIsActiveUnderItsOwnName) {
  topology::ZoneAccount zones({});
  topology::KubeletAccount kubelet({});
  for (const CheckEntry& entry : KnownChecks()) {
    EXPECT_EQ(FindCheck(entry.name), &entry);
    if (entry.make) {
      EXPECT_EQ(entry.make({zones, kubelet})->name(), entry.name);
    }
  }
  ASSERT_NE(FindCheck("topology"), nullptr);
  EXPECT_NE(FindCheck("topology")->make, nullptr);
}

TEST(CheckRegistry, KnowsChecksThatAreNotActiveYet) {
  for (const char* name : {"usage", "quota"}) {
    ASSERT_NE(FindCheck(name), nullptr) << name;
    EXPECT_EQ(FindCheck(name)->make, nullptr) << name;
  }
  EXPECT_EQ(FindCheck("Topology"), nullptr);
  EXPECT_EQ(FindCheck(""), nullptr);
}

}  // namespace
}  // namespace huygens::policy
