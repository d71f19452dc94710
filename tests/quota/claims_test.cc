// ResourceClaims that pods of groups hold, as State tells the account.
#include "quota/claims.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "cluster/state.h"
#include "quota/account.h"
#include "tests/quota/groups.h"

namespace huygens::quota {
namespace {

constexpr const char* kGpus = "gpu.deviceclass.resource.k8s.io/devices";

cluster::PodClaim Named(std::string name) { return {.entry = name, .name = std::move(name)}; }
cluster::PodClaim MadeFrom(std::string made_from) { return {.entry = "made", .made_from = std::move(made_from)}; }

PodPointer Claiming(const std::string& uid, const std::string& group, std::vector<cluster::PodClaim> claims) {
  cluster::Pod pod = MakePod(1000);
  pod.claims = std::move(claims);
  return Labelled(uid, std::move(pod), Labels(group));
}

cluster::WatchEvent Claim(const std::string& name, int64_t gpus, std::vector<std::string> reserved_for = {},
                          std::string defect = "") {
  cluster::ResourceClaim claim{.namespace_name = "default", .name = name, .reserved_for = std::move(reserved_for)};
  claim.defect = std::move(defect);
  if (claim.defect.empty()) claim.devices = {{"gpu", gpus}};
  return cluster::ResourceClaimSet{std::make_shared<const cluster::ResourceClaim>(std::move(claim))};
}

class ClaimsTest : public testing::Test {
 protected:
  ClaimsTest() {
    state_.AddAccount(account_);
    for (const char* group : {"team", "other"}) {
      state_.Apply(cluster::BizGroupQuotaSet{MakeGroup(group, "", {{kGpus, "4"}, {"limits.cpu", "100"}})});
    }
    state_.Apply(cluster::BizGroupQuotaSet{MakeGroup("plain", "", {{"limits.cpu", "100"}})});
  }
  void Apply(const cluster::WatchEvent& event) { state_.Apply(event); }
  void Bind(const PodPointer& pod, const std::string& node = "n1") { Apply(cluster::PodSet{Bound(pod, node)}); }
  std::string Gpus(const char* group) { return Used(account_.tree(), group, kGpus); }
  std::string Why(const PodPointer& pod) { return Text(account_.Check(*pod), cluster::QuotaLabelsOf(*pod)->group); }

  ResourceNames names_;
  Account account_{names_, {}};
  cluster::State state_;
};

TEST_F(ClaimsTest, AClaimIsChargedFromBindToEnd) {
  Apply(Claim("c", 3));
  const auto pod = Claiming("a", "team", {Named("c")});
  EXPECT_EQ(Why(pod), "");
  EXPECT_EQ(Gpus("team"), "0") << "nobody holds it";
  Bind(pod);
  EXPECT_EQ(Gpus("team"), "3");
  EXPECT_EQ(Why(Claiming("b", "team", {Named("d")})), "quota bizrq/team: claim d not seen yet");
  Apply(Claim("d", 2));
  EXPECT_EQ(Why(Claiming("b", "team", {Named("d")})), Concat("quota bizrq/team: ", kGpus, " used 3 of 4, requested 2"));
  Apply(cluster::PodGone{"a"});
  EXPECT_EQ(Gpus("team"), "0");
  EXPECT_EQ(Why(Claiming("b", "team", {Named("d")})), "");
}

TEST_F(ClaimsTest, APodThatNamesAClaimTwiceIsChargedOnce) {
  Apply(Claim("c", 3));
  auto pod = Claiming("a", "team", {Named("c"), {.entry = "again", .name = "c"}});
  EXPECT_EQ(Why(pod), "");
  Bind(pod);
  EXPECT_EQ(Gpus("team"), "3");
}

TEST_F(ClaimsTest, GroupsWithoutBudgetsOfDevicesDoNotAsk) {
  EXPECT_EQ(Why(Claiming("a", "plain", {Named("missing"), MadeFrom("t")})), "");
  Bind(Claiming("a", "plain", {Named("missing")}));
  Apply(Claim("missing", 2));
  EXPECT_EQ(Gpus("plain"), "2") << "counted all the same";
  account_.SetUnreadable("no permission", "");
  EXPECT_EQ(Why(Claiming("b", "plain", {Named("missing")})), "");
}

TEST_F(ClaimsTest, ABudgetAboveAsksToo) {
  Apply(cluster::BizGroupQuotaSet{MakeGroup("below", "team", {{"limits.cpu", "9"}})});
  EXPECT_EQ(Why(Claiming("a", "below", {Named("missing")})), "quota bizrq/below: claim missing not seen yet");
}

TEST_F(ClaimsTest, AClaimOfATemplateHasNoNameAtFirst) {
  EXPECT_EQ(Why(Claiming("a", "team", {MadeFrom("t")})),
            "quota bizrq/team: claim made has no name yet: none was made from template t");
  auto unneeded = MadeFrom("t");
  unneeded.needed = false;
  EXPECT_EQ(Why(Claiming("a", "team", {unneeded})), "");
  Apply(Claim("a-made-1", 1));
  EXPECT_EQ(Why(Claiming("a", "team", {{.entry = "made", .name = "a-made-1", .made_from = "t"}})), "");
}

TEST_F(ClaimsTest, WhereTemplatesAreKnownTheyCountForEachPod) {
  cluster::ResourceClaim made_from{.is_template = true, .namespace_name = "default", .name = "t"};
  made_from.devices = {{"gpu", 2}};
  Apply(cluster::ResourceClaimSet{std::make_shared<const cluster::ResourceClaim>(made_from)});
  Bind(Claiming("a", "team", {MadeFrom("t")}));
  EXPECT_EQ(Gpus("team"), "2");
  Bind(Claiming("b", "team", {MadeFrom("t")}));
  EXPECT_EQ(Gpus("team"), "4");
  EXPECT_EQ(Why(Claiming("c", "team", {MadeFrom("t")})),
            Concat("quota bizrq/team: ", kGpus, " used 4 of 4, requested 2"));
  Apply(cluster::PodGone{"a"});
  EXPECT_EQ(Gpus("team"), "2");
}

TEST_F(ClaimsTest, AnUnreadableClaimIsNotFree) {
  Apply(Claim("c", 0, {}, "spec.devices: expected an object, found a string"));
  const auto pod = Claiming("a", "team", {Named("c")});
  EXPECT_EQ(Why(pod), "quota bizrq/team: claim c cannot be read: spec.devices: expected an object, found a string");
  Apply(Claim("c", 3));
  Bind(pod);
  Apply(Claim("c", 0, {}, "nonsense"));
  EXPECT_EQ(Gpus("team"), "3") << "what it held stays held";
}

TEST_F(ClaimsTest, ASharedClaimIsChargedToTheFirstThatGotIt) {
  Apply(Claim("c", 3));
  const auto a = Claiming("a", "team", {Named("c")}), b = Claiming("b", "other", {Named("c")});
  Bind(b);
  EXPECT_EQ(Gpus("other"), "3");
  EXPECT_EQ(Why(a), "") << "another pod pays";
  EXPECT_EQ(Why(Claiming("z", "team", {Named("c")})), "");
  EXPECT_EQ(Why(Claiming("z", "other", {Named("c")})), "") << "3 more would be more than its 4";
  Apply(Claim("c", 3, {"b"}));
  Bind(a);
  EXPECT_EQ(Gpus("other"), "3");
  EXPECT_EQ(Gpus("team"), "0");
  Apply(Claim("c", 3, {"b", "a"}));
  EXPECT_EQ(Gpus("other"), "3");
  Apply(cluster::PodGone{"b"});
  EXPECT_EQ(Gpus("other"), "0");
  EXPECT_EQ(Gpus("team"), "3") << "the next pays, also above its budget";
  Apply(cluster::PodGone{"a"});
  EXPECT_EQ(Gpus("team"), "0");
}

TEST_F(ClaimsTest, WithoutReservationsBoundPodsComeFirstAndThenNames) {
  Apply(Claim("c", 3));
  cluster::Node node;
  node.name = "n1";
  Apply(cluster::NodeSet{node});
  Bind(Claiming("z", "other", {Named("c")}));
  ASSERT_TRUE(state_.Reserve(Claiming("a", "team", {Named("c")}), *state_.FindNode("n1"), {}, Time()).ok());
  EXPECT_EQ(Gpus("other"), "3") << "a is only reserved";
  Bind(Claiming("a", "team", {Named("c")}));
  EXPECT_EQ(Gpus("team"), "3");
  EXPECT_EQ(Gpus("other"), "0");
}

TEST_F(ClaimsTest, APodWithoutAGroupHoldsNothing) {
  Apply(Claim("c", 3, {"free", "a"}));
  Bind(Claiming("free", "", {Named("c")}));
  Bind(Claiming("a", "team", {Named("c")}));
  EXPECT_EQ(Gpus("team"), "3");
}

TEST_F(ClaimsTest, ClaimsMayComeAfterPodsAndGo) {
  Bind(Claiming("a", "team", {Named("c")}));
  EXPECT_EQ(Gpus("team"), "0");
  Apply(Claim("c", 3));
  EXPECT_EQ(Gpus("team"), "3");
  Apply(Claim("c", 1));
  EXPECT_EQ(Gpus("team"), "1") << "made anew under its name";
  Apply(cluster::ResourceClaimGone{"default/c"});
  EXPECT_EQ(Gpus("team"), "0");
  Apply(cluster::ResourceClaimGone{"default/c"});
  Apply(Claim("c", 2));
  EXPECT_EQ(Gpus("team"), "2");
}

TEST_F(ClaimsTest, AListThatDoesNotNameAClaimTakesItAway) {
  Bind(Claiming("a", "team", {Named("c"), Named("d")}));
  Apply(cluster::ListBegin{cluster::Kind::kResourceClaim});
  Apply(Claim("c", 1));
  Apply(Claim("d", 2));
  Apply(cluster::ListEnd{cluster::Kind::kResourceClaim});
  EXPECT_EQ(Gpus("team"), "3");
  Apply(cluster::ListBegin{cluster::Kind::kResourceClaim});
  Apply(Claim("d", 2));
  while (state_.Sweep(cluster::Kind::kResourceClaim, 1)) {
  }
  EXPECT_EQ(Gpus("team"), "2") << "in the smallest steps";
  Apply(cluster::ListEnd{cluster::Kind::kResourceClaim});
  EXPECT_EQ(Gpus("team"), "2");
}

TEST_F(ClaimsTest, TheExtendedResourceOfAClassMovesWithIt) {
  constexpr const char* kByName = "requests.example.com/gpu";
  Apply(Claim("c", 2));
  Bind(Claiming("a", "team", {Named("c")}));
  cluster::Pod asking = MakePod(1000);
  asking.unknown_resources = std::vector<std::string>{"example.com/gpu"};
  asking.containers[0].requests.Set(kFirstUnknownResource, 1);
  Bind(Labelled("b", asking, Labels("team")));
  EXPECT_EQ(Gpus("team"), "2");
  EXPECT_EQ(Used(account_.tree(), "team", kByName), "1");
  Apply(cluster::DeviceClassSet{{.name = "gpu", .extended_resource = "example.com/gpu"}});
  EXPECT_EQ(Gpus("team"), "3");
  EXPECT_EQ(Used(account_.tree(), "team", kByName), "3");
  Apply(cluster::DeviceClassSet{{.name = "gpu", .extended_resource = "example.com/renamed"}});
  EXPECT_EQ(Gpus("team"), "2");
  EXPECT_EQ(Used(account_.tree(), "team", kByName), "1");
  EXPECT_EQ(Used(account_.tree(), "team", "requests.example.com/renamed"), "2");
  Apply(cluster::DeviceClassGone{"gpu"});
  EXPECT_EQ(Used(account_.tree(), "team", "requests.example.com/renamed"), "0");
  for (const char* uid : {"a", "b"}) Apply(cluster::PodGone{uid});
  EXPECT_EQ(account_.tree().Find("team")->used, Amounts());
}

TEST_F(ClaimsTest, NobodyKnowsWhatNobodyMayRead) {
  account_.SetUnreadable("may not read claims", "");
  EXPECT_EQ(Why(Claiming("a", "team", {Named("c")})), "quota bizrq/team: may not read claims");
  EXPECT_EQ(Why(Labelled("b", MakePod(1000), Labels("team"))), "") << "asks for no devices";
  account_.SetUnreadable("", "may not read classes");
  EXPECT_EQ(Why(Claiming("a", "team", {Named("c")})), "quota bizrq/team: may not read classes");
  cluster::Pod asking = MakePod(1000);
  asking.unknown_resources = std::vector<std::string>{"example.com/gpu"};
  asking.containers[0].requests.Set(kFirstUnknownResource, 1);
  EXPECT_EQ(Why(Labelled("b", asking, Labels("team"))), "quota bizrq/team: may not read classes");
  EXPECT_EQ(Why(Labelled("b", asking, Labels("plain"))), "");
  account_.SetUnreadable("", "");
  Apply(Claim("c", 1));
  EXPECT_EQ(Why(Claiming("a", "team", {Named("c")})), "");
}

// Any order of the same events ends in the same figures: nothing hangs on who came first.
TEST_F(ClaimsTest, FiguresFollowFromTheObjectsAsTheyAre) {
  std::mt19937_64 random(7);
  const auto pick = [&](size_t below) { return static_cast<size_t>(random() % below); };
  for (int round = 0; round < 300; ++round) {
    std::vector<cluster::WatchEvent> last;  // of each object
    std::vector<cluster::WatchEvent> first;
    for (const char* name : {"c", "d", "e"}) {
      std::vector<std::string> reserved;
      for (const char* uid : {"1", "2", "3", "4"}) {
        if (pick(2) == 0) reserved.emplace_back(uid);
      }
      std::shuffle(reserved.begin(), reserved.end(), random);
      first.push_back(Claim(name, static_cast<int64_t>(pick(4))));
      last.push_back(Claim(name, static_cast<int64_t>(pick(4)), reserved));
    }
    last.push_back(cluster::DeviceClassSet{{.name = "gpu", .extended_resource = pick(2) ? "example.com/gpu" : ""}});
    for (const char* uid : {"1", "2", "3", "4"}) {
      std::vector<cluster::PodClaim> claims;
      for (const char* name : {"c", "d", "e"}) {
        if (pick(2) == 0) claims.push_back(Named(name));
      }
      const auto pod = Claiming(uid, pick(2) ? "team" : "other", claims);
      first.push_back(cluster::PodSet{Bound(pod, "n1")});
      if (pick(4) == 0) {
        last.push_back(cluster::PodGone{uid});
      } else {
        last.push_back(cluster::PodSet{Bound(pod, "n1")});
      }
    }
    const auto figures = [&](std::vector<cluster::WatchEvent> events, bool with_history) {
      Account account(names_, {});
      cluster::State state;
      state.AddAccount(account);
      if (with_history) {
        std::shuffle(first.begin(), first.end(), random);
        for (const cluster::WatchEvent& event : first) state.Apply(event);
      }
      std::shuffle(events.begin(), events.end(), random);
      for (const cluster::WatchEvent& event : events) state.Apply(event);
      EXPECT_EQ(state.Reconcile(state.NodeSlots()), 0u);
      std::string text;
      for (const auto& [name, group] : account.tree().groups()) {
        for (const auto& [key, amount] : group.used) text += Concat(name, " ", key, "=", amount.Canonical(), "\n");
      }
      return text;
    };
    const std::string fresh = figures(last, false);
    ASSERT_EQ(figures(last, true), fresh) << round;
    ASSERT_EQ(figures(last, true), fresh) << round;
  }
}

}  // namespace
}  // namespace huygens::quota
