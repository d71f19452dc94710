#include "wire/biz_group_quota.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/json/mutation.h"
#include "tests/wire/samples.h"

namespace huygens::wire {
namespace {

std::string Describe(const cluster::QuotaAmounts& amounts) {
  std::string text;
  for (const auto& [key, amount] : amounts) text += Concat(text.empty() ? "" : " ", key, "=", amount.Text());
  return text;
}

cluster::BizGroupQuota Decode(std::string_view json) {
  auto group = DecodeBizGroupQuota(json);
  EXPECT_TRUE(group.ok()) << group.status();
  return group.ok() ? *std::move(group) : cluster::BizGroupQuota();
}

TEST(BizGroupQuota, ReadsBudgetAndStatus) {
  const auto group = Decode(samples::kBizGroupQuota);
  EXPECT_EQ(group.name, "team-a");
  EXPECT_EQ(group.uid, "uid-team-a");
  EXPECT_EQ(group.parent, "dept");
  EXPECT_FALSE(group.deleting);
  EXPECT_EQ(Describe(group.hard), "cash/limits.cpu=1k limits.cpu=10 limits.cpu.A4=4 limits.memory=64Gi");
  EXPECT_EQ(Describe(group.used), "cash/limits.cpu=12500m limits.cpu=6");
  EXPECT_EQ(Describe(group.self_used), "cash/limits.cpu=12500m limits.cpu=6");
  ASSERT_TRUE(group.last_reconcile);
  EXPECT_EQ(FormatRfc3339(*group.last_reconcile), "2026-11-21T11:36:17Z");
  EXPECT_EQ(Describe(group.counted_hard), "limits.cpu=10") << "the budget may have changed since it was counted";
  EXPECT_EQ(group.defect, "");
}

TEST(BizGroupQuota, KnowsWhenItWasMade) {
  const auto group = Decode(R"({"metadata":{"name":"a","creationTimestamp":"2026-11-21T11:36:17Z"}})");
  ASSERT_TRUE(group.created);
  EXPECT_EQ(FormatRfc3339(*group.created), "2026-11-21T11:36:17Z");
  EXPECT_FALSE(Decode(R"({"metadata":{"name":"a","creationTimestamp":null}})").created);
}

TEST(BizGroupQuota, FinalizersAreReadAndWrittenWithTheGuardsOfTheObject) {
  auto group = Decode(
      R"({"metadata":{"name":"a","uid":"u","resourceVersion":"7","finalizers":["x/y","quota.huygens.dev/in-use"]}})");
  EXPECT_EQ(group.finalizers, (std::vector<std::string>{"x/y", "quota.huygens.dev/in-use"}));
  group.finalizers.pop_back();
  EXPECT_EQ(EncodeBizGroupFinalizers(group), R"({"metadata":{"uid":"u","resourceVersion":"7","finalizers":["x/y"]}})");
}

TEST(BizGroupQuota, AStatusThatIsWrittenIsReadAsItWas) {
  auto group = Decode(samples::kBizGroupQuota);
  group.exact_hours = {{"limits.cpu", "45000000"}, {"limits.memory", "-7"}};
  group.hours_since = Time(std::chrono::hours(1));
  group.carried_hours = {{"cash/limits.memory", Quantity::FromInt(3)}};
  group.reservations = {{"uid-1", "Deployment.apps", "ns", "web", {{"limits.cpu", Quantity::FromInt(2)}}, Time()},
                        {"uid-2", "BizGroupResourceQuota.quota.huygens.dev", "", "team", {}, Time()}};
  group.inherited = {{"uid-3", "gone", Time(std::chrono::hours(24))}};
  const auto read = Decode(EncodeBizGroupStatus(group));
  EXPECT_EQ(read.inherited, group.inherited);
  EXPECT_EQ(read.uid, group.uid);
  EXPECT_EQ(read.resource_version, group.resource_version);
  EXPECT_EQ(read.counted_hard, group.counted_hard) << "whoever writes a charge has counted nothing";
  EXPECT_EQ(read.used, group.used);
  EXPECT_EQ(read.self_used, group.self_used);
  EXPECT_EQ(read.reservations, group.reservations);
  EXPECT_EQ(read.exact_hours, group.exact_hours);
  EXPECT_EQ(read.last_reconcile, group.last_reconcile);
  EXPECT_EQ(read.hours_since, group.hours_since);
  EXPECT_EQ(read.carried_hours, group.carried_hours);
}

TEST(BizGroupQuota, ReadsHowHoursComeAnew) {
  const auto read = [](std::string_view policy) {
    return Decode(Concat(R"({"metadata":{"name":"a"},"spec":{"cashPolicy":)", policy, "}}"));
  };
  const auto whole =
      read(R"({"period":"Month","carryOver":2,"anchor":"2026-01-15T08:00:00+08:00","timeZone":"Asia/Shanghai"})");
  ASSERT_TRUE(whole.cash_policy);
  EXPECT_EQ(whole.cash_policy->period, cluster::CashPolicy::Period::kMonth);
  EXPECT_EQ(whole.cash_policy->carry_over, 2);
  EXPECT_EQ(FormatRfc3339(whole.cash_policy->anchor.value()), "2026-01-15T00:00:00Z");
  EXPECT_EQ(whole.cash_policy->time_zone, "Asia/Shanghai");
  EXPECT_EQ(read(R"({"period":"Week"})").cash_policy, cluster::CashPolicy());
  EXPECT_FALSE(read("null").cash_policy);
  for (const auto& [policy, why] :
       {std::pair("{}", "spec.cashPolicy.period: expected Day, Week or Month, found "),
        std::pair(R"({"period":"week"})", "spec.cashPolicy.period: expected Day, Week or Month, found week"),
        std::pair(R"({"period":"Day","carryOver":-1})", "spec.cashPolicy.carryOver: expected 0 to 100"),
        std::pair(R"({"period":"Day","carryOver":101})", "spec.cashPolicy.carryOver: expected 0 to 100"),
        std::pair(R"({"period":"Day","anchor":"noon"})", "spec.cashPolicy.anchor: ")}) {
    const auto group = read(policy);
    EXPECT_THAT(group.defect, testing::HasSubstr(why)) << policy;
    EXPECT_FALSE(group.cash_policy);
  }
}

TEST(BizGroupQuota, ARootHasNoParentAndMayLimitNothing) {
  for (const char* json : {R"({"metadata":{"name":"org"}})", R"({"metadata":{"name":"org"},"spec":null,"status":null})",
                           R"({"metadata":{"name":"org"},"spec":{"parentBizGroup":"","hard":null}})"}) {
    const auto group = Decode(json);
    EXPECT_EQ(group.name, "org");
    EXPECT_TRUE(group.parent.empty() && group.hard.empty() && group.used.empty() && !group.last_reconcile);
  }
}

TEST(BizGroupQuota, SeesThatItIsBeingDeleted) {
  EXPECT_TRUE(Decode(R"({"metadata":{"name":"a","deletionTimestamp":"2026-11-21T11:36:17Z"}})").deleting);
  EXPECT_FALSE(Decode(R"({"metadata":{"name":"a","deletionTimestamp":null}})").deleting);
}

TEST(BizGroupQuota, WhatCannotBeUsedIsADefectByName) {
  for (const auto& [json, why] :
       {std::pair(R"({"metadata":{"name":"a"},"spec":{"hard":{"cpu":"x"}}})",
                  "spec.hard.cpu: quantity \"x\": quantities must match the regular expression"),
        std::pair(R"({"metadata":{"name":"a"},"spec":{"hard":{"cpu":"-1m"}}})", "spec.hard.cpu is negative"),
        std::pair(R"({"metadata":{"name":"a"},"spec":{"hard":[]}})", "spec.hard: expected"),
        std::pair(R"({"metadata":{"name":"a"},"spec":{"parentBizGroup":7}})", "spec.parentBizGroup: expected")}) {
    const auto group = Decode(json);
    EXPECT_EQ(group.name, "a");
    EXPECT_TRUE(group.defect.starts_with(why)) << group.defect;
    EXPECT_TRUE(group.hard.empty());
  }
}

TEST(BizGroupQuota, AFaultInTheStatusCostsTheStatusAlone) {
  for (const auto& [status, why] :
       {std::pair(R"({"selfUsed":{"cpu":"1"},"lastReconcileTime":"today"})", "status.lastReconcileTime:"),
        std::pair(R"({"used":{"cpu":"1"},"selfUsed":{"cpu":"x"}})", "status.selfUsed.cpu: "),
        std::pair("7", "status: expected an object")}) {
    Status fault;
    const auto group = DecodeBizGroupQuota(Concat(R"({"metadata":{"name":"a"},"status":)", status,
                                                  R"(,"spec":{"parentBizGroup":"p","hard":{"cpu":"4"}}})"),
                                           &fault);
    ASSERT_TRUE(group.ok()) << group.status();
    EXPECT_TRUE(Message(fault).starts_with(why)) << fault;
    EXPECT_EQ(group->defect, "");
    EXPECT_EQ(group->parent, "p");
    EXPECT_EQ(Describe(group->hard), "cpu=4");
    EXPECT_TRUE(group->used.empty() && group->self_used.empty() && !group->last_reconcile) << "all of it is unknown";
  }
}

TEST(BizGroupQuota, OfAKeyGivenTwiceTheLastCounts) {
  EXPECT_EQ(Describe(Decode(R"({"metadata":{"name":"a"},"spec":{"hard":{"pods":"1","cpu":"1","pods":2}}})").hard),
            "cpu=1 pods=2");
}

TEST(BizGroupQuota, WithoutANameThereIsNoGroup) {
  for (const char* json : {"", "[]", "{}", R"({"metadata":{"name":""}})", R"({"spec":{"hard":{"cpu":"x"}}})"}) {
    EXPECT_FALSE(DecodeBizGroupQuota(json).ok()) << json;
  }
}

TEST(BizGroupQuota, OneMemberChangedIsAValueOrAClearError) {
  size_t count = 0;
  Mutator(samples::kBizGroupQuota).ForEach([&](Mutation, const std::string& text) {
    auto group = DecodeBizGroupQuota(text);
    EXPECT_TRUE(group.ok() ? !group->name.empty() : !Message(group.status()).empty()) << text;
    ++count;
  });
  EXPECT_GT(count, 100u);
}

}  // namespace
}  // namespace huygens::wire
