// Who is woken when a gang that does not fit whole gives back what it held.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/placement/quota_groups.h"
#include "tests/placement/woken.h"

namespace huygens::placement {
namespace {

using namespace test;  // NOLINT: builders of the same words
using testing::ElementsAre;
using testing::IsEmpty;

// Two nodes with room for one pod of 4 CPUs each, and a group with a budget for two such pods.
class GangWakeTest : public testing::Test, protected QuotaPlacement {
 protected:
  GangWakeTest() : QuotaPlacement(quota::Enforcement::kPlacement, 2), search_(*placement, 16) {
    for (const std::string& name : node_names) placement->Apply(cluster::TopologySet{MakeTopology(name, {4000})});
    Set(MakeGroup("team", {{"limits.cpu", "8"}}));
  }
  void Ask(const std::shared_ptr<cluster::Pod>& pod, const std::string& gang) {
    pod->scheduling_group = gang;
    placement->NoteQuestion(*pod, kNow);
    Filter(*pod);
    Remember(pod);
  }
  // What all gangs held is given back, and seconds later somebody looks who waits.
  std::vector<std::string> WokenOnceGivenBack() {
    placement->ExpireHolds(kNow + GangHolds::kPatience);
    for (int i = 0; i < 2; ++i) placement->waiting().Remind(0, 2);
    return Woken(search_);
  }
  WakeSearch search_;
};

TEST_F(GangWakeTest, ItsOwnPodsAreNotAndOthersAre) {
  for (const char* uid : {"1", "2", "3"}) Ask(MakePod(uid, 4), "g");
  ASSERT_EQ(placement->waiting().size(), 1u) << "there is room for two";
  EXPECT_THAT(WokenOnceGivenBack(), IsEmpty()) << "they would hold the same room in vain";
  for (const char* uid : {"1", "2", "3"}) Ask(MakePod(uid, 4), "g");
  Ask(MakePod("other", 4), "h");
  Ask(MakePod("single", 4), "");
  EXPECT_THAT(WokenOnceGivenBack(), ElementsAre("other", "single"));
}

TEST_F(GangWakeTest, ItsOwnPodsAreWhenANodeGains) {
  for (const char* uid : {"1", "2", "3"}) Ask(MakePod(uid, 4), "g");
  ASSERT_THAT(WokenOnceGivenBack(), IsEmpty());
  placement->Apply(cluster::TopologySet{MakeTopology("n0", {8000})});
  EXPECT_THAT(Woken(search_), ElementsAre("3"));
}

TEST_F(GangWakeTest, TheSameGoesForBudgets) {
  for (const std::string& name : node_names) placement->Apply(cluster::TopologySet{MakeTopology(name, {40000})});
  for (const char* uid : {"1", "2", "3"}) Ask(MakeGroupPod(uid, 4, "team"), "g");
  ASSERT_EQ(placement->waiting().size(), 1u) << "there is budget for two";
  EXPECT_THAT(WokenOnceGivenBack(), IsEmpty());
  for (const char* uid : {"1", "2", "3"}) Ask(MakeGroupPod(uid, 4, "team"), "g");
  Ask(MakeGroupPod("other", 4, "team"), "h");
  EXPECT_THAT(WokenOnceGivenBack(), ElementsAre("other"));
  Set(MakeGroup("team", {{"limits.cpu", "12"}}));
  EXPECT_THAT(Woken(search_), ElementsAre("3", "other"));
}

}  // namespace
}  // namespace huygens::placement
