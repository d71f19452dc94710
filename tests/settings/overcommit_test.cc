#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "settings/overcommit_pools.h"
#include "settings/yaml.h"
#include "tests/settings/text.h"

namespace huygens::settings {
namespace {

using std::chrono::hours;
using testing::HasSubstr;

OvercommitPools PoolsOf(const std::string& yaml) { return OvercommitPools(Good(yaml).overcommit); }

std::string Fault(const std::string& yaml) {
  const auto parsed = ParseConfiguration(
      Concat("apiVersion: config.huygens.dev/v1alpha1\nkind: ExtenderConfiguration\n", yaml), "file.yaml");
  return parsed.ok() ? "" : std::string(Message(parsed.status()));
}

TEST(Overcommit, IsOffAndNamesFourPools) {
  const OvercommitPools pools = PoolsOf("");
  EXPECT_TRUE(pools.off());
  const PoolConfiguration* shared = pools.Of("shop", Labels{{"huygens.dev/pool", "shared"}});
  ASSERT_NE(shared, nullptr);
  EXPECT_EQ(shared->name, "shared");
  EXPECT_FALSE(pools.PolicyOf(shared, Labels{}).enabled);
  EXPECT_EQ(pools.Of("shop", Labels{}), nullptr);
  const PoolConfiguration* exclusive = pools.Of("shop", Labels{{"huygens.dev/pool", "exclusive"}});
  ASSERT_NE(exclusive, nullptr);
  EXPECT_EQ(exclusive->type, PoolType::kOff);
}

TEST(Overcommit, TheFirstPoolThatFitsCounts) {
  const OvercommitPools pools = PoolsOf(R"(
overcommit:
  mode: report
  pools:
  - {name: payments, selector: "app in (pay, bill),!canary", namespaces: [money], type: dynamic}
  - {name: rest, selector: "app", type: static, factors: [{cpu: 0.5}]}
)");
  EXPECT_EQ(pools.Of("money", Labels{{"app", "pay"}})->name, "payments");
  EXPECT_EQ(pools.Of("other", Labels{{"app", "pay"}})->name, "rest");
  EXPECT_EQ(pools.Of("money", Labels{{"app", "pay"}, {"canary", ""}})->name, "rest");
  EXPECT_EQ(pools.Of("money", Labels{}), nullptr);
  EXPECT_FALSE(pools.PolicyOf(nullptr, Labels{}).enabled);
}

TEST(Overcommit, FactorsGoByPlaceAndAPodsOwnLabelGoesBefore) {
  const OvercommitPools pools = PoolsOf(R"(
overcommit:
  mode: enforce
  cluster: east
  room: a
  environment: production
  pools:
  - name: shared
    type: both
    autoApply: true
    memory: true
    factors:
    - {environment: test, cpu: 0.25}
    - {cluster: west, cpu: 0.3}
    - {cluster: east, room: b, cpu: 0.4}
    - {cluster: east, room: a, environment: production, cpu: 60%, memory: 0.9}
)");
  const PoolConfiguration* pool = pools.Of("shop", Labels{{"huygens.dev/pool", "shared"}});
  const auto cpu = [&](const Labels& labels) { return pools.PolicyOf(pool, labels).static_factor[0]; };
  EXPECT_EQ(cpu({}), 600'000);
  EXPECT_EQ(cpu({{"huygens.dev/room", "b"}}), 400'000);
  EXPECT_EQ(cpu({{"huygens.dev/room", "c"}}), std::nullopt);
  EXPECT_EQ(cpu({{"huygens.dev/environment", "test"}, {"huygens.dev/room", "b"}}), 250'000);
  const recommend::PoolPolicy policy = pools.PolicyOf(pool, Labels{});
  EXPECT_TRUE(policy.enabled && policy.auto_apply && policy.memory);
  EXPECT_EQ(policy.static_factor[1], 900'000);
}

TEST(Overcommit, OnlyEnforceAppliesAndReportDecidesAsIfItDid) {
  for (const auto& [mode, enabled, applies] :
       {std::tuple("off", false, false), std::tuple("report", true, false), std::tuple("enforce", true, true)}) {
    const OvercommitPools pools =
        PoolsOf(Concat("overcommit: {mode: \"", mode, "\", pools: [{name: shared, type: dynamic, autoApply: true}]}"));
    const recommend::PoolPolicy policy =
        pools.PolicyOf(pools.Of("a", Labels{{"huygens.dev/pool", "shared"}}), Labels{});
    EXPECT_EQ(policy.enabled, enabled) << mode;
    EXPECT_EQ(policy.auto_apply, applies) << mode;
  }
}

TEST(Overcommit, TheArticlesOwnModelIsOneWord) {
  const Configuration c = Good(
      "overcommit: {pools: [{name: a, profile: daily}, {name: b, halfLife: 168h, cpuPercentile: 98%, "
      "factor: 1.15}]}");
  const recommend::Profile daily = ProfileOf(c.overcommit.pools.data());
  EXPECT_EQ(daily.half_life, hours(24));
  EXPECT_EQ(daily.cpu_percentile, 0.95);
  EXPECT_EQ(daily.expansion, 1'200'000);
  const recommend::Profile own = ProfileOf(&c.overcommit.pools[1]);
  EXPECT_EQ(own.half_life, hours(168));
  EXPECT_EQ(own.cpu_percentile, 0.98);
  EXPECT_EQ(own.memory_percentile, recommend::kWeekly.memory_percentile);
  EXPECT_EQ(own.expansion, 1'150'000);
}

TEST(Overcommit, EveryFieldOfAPoolCanBeSetAndIsPrintedAsItIs) {
  const Configuration c = Good(R"(
overcommit:
  poolLabel: example.com/pool
  interval: 30s
  checkpointInterval: 5m
  backfill: 0s
  keepFor: 2d
  pools:
  - {name: a, selector: "tier=gold", namespaces: [x, y], type: both, autoApply: true, memory: true, guaranteed: lower,
     hpaBasis: limit, factors: [{cluster: c, room: r, environment: e, cpu: 0.5, memory: 0.75}], profile: daily,
     halfLife: 36h, cpuPercentile: 0.9, memoryPercentile: 0.95, factor: 1.3, cpuStep: 50m, cpuFloor: 100m,
     memoryStep: 16Mi, memoryFloor: 64Mi, minHistory: 12h, staleAfter: 30m, memoryGuard: false}
)");
  const PoolConfiguration& a = c.overcommit.pools.at(0);
  EXPECT_EQ(a.namespaces, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(a.cpu_step, 50);
  EXPECT_EQ(a.memory_floor, 64 << 20);
  EXPECT_FALSE(a.memory_guard);
  EXPECT_EQ(a.hpa_basis, HpaBasis::kLimit);
  EXPECT_EQ(a.factors.at(0).memory, 750'000);
  const auto again = ParseConfiguration(ToYaml(c), "printed.yaml");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(ToYaml(*again), ToYaml(c));
  EXPECT_EQ(again->overcommit.pools.at(0).half_life, hours(36));
}

TEST(Overcommit, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(Fault("overcommit: {mod: report}"), HasSubstr("did you mean mode?"));
  EXPECT_THAT(Fault("overcommit:\n  pools:\n  - {name: a, autoaply: true}"), HasSubstr("file.yaml:5"));
  EXPECT_THAT(Fault("overcommit:\n  pools:\n  - {name: a, autoaply: true}"), HasSubstr("did you mean autoApply?"));
  EXPECT_THAT(Fault("overcommit: {pools: [{name: a}, {name: a}]}"), HasSubstr("a is listed twice"));
  EXPECT_THAT(Fault("overcommit: {pools: [{name: a, type: static}]}"), HasSubstr("static takes a factor"));
  EXPECT_THAT(Fault("overcommit: {pools: [{name: a, factors: [{memory: 0.5}]}]}"), HasSubstr("set memory: true"));
  EXPECT_THAT(Fault("overcommit: {pools: [{name: a, factors: [{room: b}]}]}"), HasSubstr("lowers nothing"));
  EXPECT_THAT(Fault("overcommit: {pools: [{name: a, factors: [{cpu: 1.5}]}]}"), HasSubstr("at most 1"));
  EXPECT_THAT(Fault("overcommit: {pools: [{name: a, selector: 'x in y'}]}"), HasSubstr("wants values in brackets"));
  EXPECT_THAT(Fault("overcommit: {pools: [{name: a, selector: ' '}]}"), HasSubstr("every pod"));
  EXPECT_THAT(Fault("overcommit: {checkpointInterval: 2h}"),
              HasSubstr("longer than overcommit.checkpointInterval (2h"));
  EXPECT_THAT(Fault("overcommit: {pools: [{name: a, cpuStep: 0}]}"), HasSubstr("must be from 1m to 64"));
}

}  // namespace
}  // namespace huygens::settings
