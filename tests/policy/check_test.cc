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

TEST(CheckRegistry, MakesEachUnderItsOwnName) {
  topology::ZoneAccount zones({});
  topology::KubeletAccount kubelet(topology::KubeletDefaults());
  usage::Account usage({});
  for (const CheckEntry& entry : KnownChecks()) {
    EXPECT_EQ(FindCheck(entry.name), &entry);
    EXPECT_EQ(entry.make({zones, kubelet, usage})->name(), entry.name);
  }
  EXPECT_EQ(FindCheck("Topology"), nullptr);
  EXPECT_EQ(FindCheck(""), nullptr);
}

}  // namespace
}  // namespace huygens::policy
