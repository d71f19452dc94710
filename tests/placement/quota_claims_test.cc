// Budgets of devices: pods that name ResourceClaims, at filter, at bind and as they are woken.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/placement/quota_groups.h"
#include "tests/placement/woken.h"

namespace huygens::placement {
namespace {

using namespace test;  // NOLINT: builders of the same words
using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kGpus = "gpu.deviceclass.resource.k8s.io/devices";

std::shared_ptr<cluster::Pod> Claiming(const std::string& uid, const std::string& group, const std::string& claim) {
  auto pod = MakeGroupPod(uid, 1, group);
  pod->claims = std::vector<cluster::PodClaim>{{.entry = "gpus", .name = claim, .made_from = ""}};
  return pod;
}

class QuotaClaimsTest : public testing::Test, protected QuotaPlacement {
 protected:
  QuotaClaimsTest() : search_(*placement, 16) {
    Set(MakeGroup("team", {{kGpus, "2"}}));
    Set(MakeGroup("other", {{kGpus, "2"}}));
  }
  void Claim(const std::string& name, int64_t gpus, std::vector<std::string> reserved_for = {}) {
    cluster::ResourceClaim claim{.namespace_name = "default", .name = name, .reserved_for = std::move(reserved_for)};
    claim.devices = {{"gpu", gpus}};
    placement->Apply(cluster::ResourceClaimSet{std::make_shared<const cluster::ResourceClaim>(std::move(claim))});
  }
  void Reject(const std::shared_ptr<cluster::Pod>& pod) {
    ASSERT_NE(Filter(*pod), "fits");
    Remember(pod);
  }
  // As when a second or two have passed.
  std::vector<std::string> Wakes() {
    for (int i = 0; i < 2; ++i) placement->waiting().Remind(0, 3);
    return Woken(search_);
  }
  // Pod a, bound, has the whole budget; b waits.
  std::shared_ptr<cluster::Pod> HoldsAllWhileAnotherWaits() {
    Claim("c", 2);
    Claim("d", 1);
    auto a = Claiming("a", "team", "c");
    Bind(*a);
    Reject(Claiming("b", "team", "d"));
    Wakes();
    return a;
  }
  void End(const std::string& uid) { placement->Apply(cluster::PodGone{uid}); }

  WakeSearch search_;
};

TEST_F(QuotaClaimsTest, FilterAndBindGoByTheClaims) {
  Claim("c", 2);
  Claim("d", 1);
  const auto a = Claiming("a", "team", "c"), b = Claiming("b", "team", "d");
  EXPECT_EQ(Filter(*a), "fits");
  EXPECT_EQ(Filter(*b), "fits");
  ASSERT_TRUE(Reserve(a));
  EXPECT_EQ(Used("team", kGpus), "2");
  EXPECT_EQ(Filter(*b), "quota_exceeded");
  EXPECT_EQ(Why(*b), Concat("quota bizrq/team: ", kGpus, " used 2 of 2, requested 1"));
  EXPECT_EQ(placement->Reserve(b, "n1", kNow)->reason, Reason::kQuotaExceeded);
  placement->Release("a");
  EXPECT_EQ(Used("team", kGpus), "0");
  EXPECT_TRUE(Reserve(b, "n1"));
}

TEST_F(QuotaClaimsTest, APodWhoseClaimIsNotKnownWaitsForIt) {
  const auto a = Claiming("a", "team", "c");
  EXPECT_EQ(Filter(*a), "quota_claim_unknown");
  EXPECT_EQ(Why(*a), "quota bizrq/team: claim c not seen yet");
  Reject(a);
  EXPECT_THAT(Wakes(), IsEmpty());
  Claim("other-claim", 1);
  EXPECT_THAT(Wakes(), IsEmpty());
  Claim("c", 1);
  EXPECT_THAT(Wakes(), ElementsAre("a"));
}

TEST_F(QuotaClaimsTest, WhatTheWatchSaysOfNamesIsBelieved) {
  auto asked = Claiming("a", "team", "");
  placement->Apply(cluster::PodSet{asked});
  Reject(asked);
  Claim("a-gpus-1", 1);
  EXPECT_THAT(Wakes(), IsEmpty());
  placement->Apply(cluster::PodSet{Claiming("a", "team", "a-gpus-1")});
  EXPECT_THAT(Wakes(), ElementsAre("a"));
  EXPECT_EQ(Filter(*asked), "fits") << "though kube-scheduler sent what it had before";
}

TEST_F(QuotaClaimsTest, RoomThatComesBackWakes) {
  Claim("c", 2);
  Claim("d", 1);
  Bind(*Claiming("a", "team", "c"));
  Reject(Claiming("b", "team", "d"));
  EXPECT_THAT(Wakes(), IsEmpty());
  Claim("c", 2, {"a"});
  EXPECT_THAT(Wakes(), IsEmpty());
  End("a");
  EXPECT_THAT(Wakes(), ElementsAre("b"));
}

TEST_F(QuotaClaimsTest, RoomThatAClaimLeavesBehindAsItMovesToAnotherGroupWakes) {
  Claim("shared", 2, {"a", "b"});
  Claim("d", 1);
  Bind(*Claiming("a", "team", "shared"));
  Bind(*Claiming("b", "other", "shared"), "n1");
  Reject(Claiming("of-team", "team", "d"));
  EXPECT_THAT(Wakes(), IsEmpty());
  Claim("shared", 2, {"b"});
  EXPECT_EQ(Used("other", kGpus), "2");
  EXPECT_THAT(Wakes(), ElementsAre("of-team"));
}

TEST_F(QuotaClaimsTest, RoomThatAHolderLeavesBehindAsItEndsWakesItsGroupOnly) {
  Claim("shared", 2, {"a", "b"});
  Claim("d", 1);
  Claim("e", 1);
  Bind(*Claiming("a", "team", "shared"));
  Bind(*Claiming("b", "other", "shared"), "n1");
  Reject(Claiming("of-team", "team", "d"));
  End("a");
  Reject(Claiming("of-other", "other", "e"));
  EXPECT_THAT(Wakes(), ElementsAre("of-team"));
}

// Each alone costs 2, but the second nothing once the first holds the claim.
TEST_F(QuotaClaimsTest, PodsOfOneClaimAreWokenOneAfterTheOther) {
  Claim("before", 2);
  Claim("shared", 2);
  Bind(*Claiming("holder", "team", "before"));
  const auto a = Claiming("a", "team", "shared"), b = Claiming("b", "team", "shared");
  Reject(a);
  Reject(b);
  End("holder");
  EXPECT_THAT(Wakes(), ElementsAre("a"));
  placement->waiting().BeginWaking("a");
  placement->waiting().EndWaking("a", true);
  EXPECT_THAT(Wakes(), IsEmpty());
  ASSERT_TRUE(Reserve(a));
  EXPECT_THAT(Wakes(), ElementsAre("b"));
  EXPECT_TRUE(Reserve(b, "n1"));
  EXPECT_EQ(Used("team", kGpus), "2");
}

TEST_F(QuotaClaimsTest, AClassThatGetsAnotherNameWakes) {
  Set(MakeGroup("team", {{"requests.example.com/gpu", "1"}}));
  placement->Apply(cluster::DeviceClassSet{{.name = "gpu", .extended_resource = "example.com/gpu"}});
  Claim("c", 2);
  Reject(Claiming("a", "team", "c"));
  EXPECT_THAT(Wakes(), IsEmpty());
  placement->Apply(cluster::DeviceClassSet{{.name = "gpu", .extended_resource = "example.com/renamed"}});
  EXPECT_THAT(Wakes(), ElementsAre("a"));
}

TEST_F(QuotaClaimsTest, PermissionThatComesWakes) {
  placement->SetUnreadable("huygens may not read claims", "");
  const auto a = Claiming("a", "team", "c");
  EXPECT_EQ(Why(*a), "quota bizrq/team: huygens may not read claims");
  EXPECT_EQ(Filter(*MakeGroupPod("b", 1, "team")), "fits");
  Reject(a);
  Claim("c", 1);
  EXPECT_THAT(Wakes(), IsEmpty());
  placement->SetUnreadable("", "");
  EXPECT_THAT(Wakes(), ElementsAre("a"));
}

TEST_F(QuotaClaimsTest, APodThatNeedsItsClaimNoMoreLeavesRoom) {
  const auto a = HoldsAllWhileAnotherWaits();
  auto without = std::make_shared<cluster::Pod>(*a);
  without->claims = std::vector<cluster::PodClaim>{{.entry = "gpus", .name = "", .made_from = "t", .needed = false}};
  Bind(*without);
  EXPECT_EQ(Used("team", kGpus), "0");
  EXPECT_THAT(Wakes(), ElementsAre("b"));
}

// A bound pod's object is written every few seconds: that is no room for anybody.
TEST_F(QuotaClaimsTest, AnUpdateThatChangesNothingWakesNobody) {
  const auto a = HoldsAllWhileAnotherWaits();
  Bind(*a);
  Claim("c", 2);
  for (int i = 0; i < 2; ++i) placement->waiting().Remind(0, 3);
  EXPECT_FALSE(placement->waiting().TakeBudgetsChanged());
}

TEST(QuotaClaimsOff, NobodyAsksForThem) {
  QuotaPlacement at(quota::Enforcement::kOff);
  EXPECT_FALSE(at.placement->Follows(cluster::Kind::kResourceClaim));
  EXPECT_FALSE(at.placement->Follows(cluster::Kind::kDeviceClass));
  EXPECT_EQ(at.Filter(*Claiming("a", "team", "c")), "fits");
  QuotaPlacement on;
  EXPECT_TRUE(on.placement->Follows(cluster::Kind::kResourceClaim));
  EXPECT_TRUE(on.placement->Follows(cluster::Kind::kDeviceClass));
}

TEST(QuotaClaimsAtAdmission, OnlyHoursOfDevicesWantThemKnown) {
  const std::string kHours = Concat("cash/", kGpus);
  QuotaPlacement at(quota::Enforcement::kAdmission);
  at.Set(MakeGroup("team", {{kGpus, "0"}}));
  EXPECT_EQ(at.Filter(*Claiming("a", "team", "c")), "fits");
  auto hours = MakeGroup("hours", {{kHours, "10"}});
  hours.self_used = AmountsOf({{kHours, "0"}});
  at.Set(hours);
  EXPECT_EQ(at.Filter(*Claiming("b", "hours", "c")), "quota_claim_unknown");
}

}  // namespace
}  // namespace huygens::placement
