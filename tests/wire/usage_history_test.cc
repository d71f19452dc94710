#include "wire/usage_history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace huygens::wire {
namespace {

using testing::HasSubstr;

StatusOr<UsageHistory> Decode(std::string_view series) {
  return DecodeUsageHistory(
      Concat(R"({"apiVersion":"huygens.dev/v1alpha1","kind":"UsageHistory","metadata":{"name":"h"},)",
             R"("spec":{"series":[)", series, "]}}"));
}
std::string Fault(std::string_view series) {
  const auto decoded = Decode(series);
  return decoded.ok() ? "" : std::string(Message(decoded.status()));
}
// minute of the week -> use in milli-units
std::vector<std::pair<int, int64_t>> Steps(std::string_view weekly) {
  const auto decoded = Decode(Concat(R"({"workload":"s/Pod/p","resource":"cpu","weekly":[)", weekly, "]}"));
  EXPECT_TRUE(decoded.ok()) << decoded.status();
  std::vector<std::pair<int, int64_t>> steps;
  if (!decoded.ok()) return steps;
  for (const auto& [minute, use] : decoded->series[0].weekly) steps.emplace_back(minute, use.MilliValue());
  return steps;
}

TEST(UsageHistory, ReadsValuesFromAStart) {
  const auto decoded =
      Decode(R"({"node":"n1","resource":"memory","start":"2026-11-20T00:00:00Z","values":["2Gi",null,"3Gi"]})");
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->name, "h");
  const UsageSeries& series = decoded->series.at(0);
  EXPECT_EQ(series.node, "n1");
  EXPECT_EQ(series.resource, "memory");
  EXPECT_EQ(series.start, *ParseRfc3339("2026-11-20T00:00:00Z"));
  ASSERT_EQ(series.values.size(), 3u);
  EXPECT_EQ(series.values[0]->Value(), int64_t{2} << 30);
  EXPECT_FALSE(series.values[1]);
}

TEST(UsageHistory, AStepWithoutADayIsEveryDays) {
  const auto steps = Steps(R"({"from":"00:00","use":"500m"})");
  ASSERT_EQ(steps.size(), 7u);
  for (int day = 0; day < 7; ++day) EXPECT_EQ(steps[static_cast<size_t>(day)], std::pair(day * 1440, int64_t{500}));
}

TEST(UsageHistory, OfTwoStepsForOneTimeTheLaterCounts) {
  const auto steps = Steps(R"({"from":"09:30","use":1},{"from":"Tue-Thu 09:30","use":2},{"from":"Wed 09:30","use":4},
                              {"from":"Sun 23:59","use":3})");
  ASSERT_EQ(steps.size(), 8u);
  const int64_t uses[] = {1, 2, 4, 2, 1, 1, 1};
  for (int day = 0; day < 7; ++day)
    EXPECT_EQ(steps[static_cast<size_t>(day)], std::pair(day * 1440 + 570, uses[day] * 1000));
  EXPECT_EQ(steps[7], std::pair(kMinutesPerWeek - 1, int64_t{3000}));
}

TEST(UsageHistory, ATypoIsNoSilence) {
  EXPECT_THAT(Fault(R"({"workload":"s/Pod/w","resource":"cpu","week":[]})"),
              HasSubstr("spec.series[0].week: no such field"));
  EXPECT_THAT(Fault(R"({"workload":"s/Pod/w","resource":"cpu","weekly":[{"from":"Xyz 09:00","use":1}]})"),
              HasSubstr("spec.series[0].weekly[0]: from must be a time"));
  for (const char* time :
       {"9:00", "24:00", "12:60", "Mon  9:00", "mon 09:00", "Fri-Mon 09:00", "Mon-09:00", "Mon- 09:00", ""}) {
    EXPECT_THAT(Fault(Concat(R"({"workload":"s/Pod/w","resource":"cpu","weekly":[{"from":")", time, R"(","use":1}]})")),
                HasSubstr("from must be a time"))
        << time;
  }
  EXPECT_THAT(Fault(R"({"workload":"s/Pod/w","resource":"cpu","weekly":[{"from":"09:00"}]})"),
              HasSubstr("use is missing"));
  EXPECT_THAT(Fault(R"({"workload":"s/Pod/w","resource":"cpu","weekly":[{"from":"09:00","use":"-1"}]})"),
              HasSubstr("weekly[0].use: must not be negative"));
  EXPECT_THAT(Fault(R"({"workload":"s/Pod/w","node":"n","resource":"cpu","weekly":[{"from":"09:00","use":1}]})"),
              HasSubstr("one of workload and node"));
  for (const char* workload : {"w", "default/web", "default//web", "/Pod/web", "default/Pod/", "a/Pod/b/c"}) {
    EXPECT_THAT(
        Fault(Concat(R"({"workload":")", workload, R"(","resource":"cpu","weekly":[{"from":"09:00","use":1}]})")),
        HasSubstr("workload must be NAMESPACE/KIND/NAME"))
        << workload;
  }
  const auto decoded = DecodeUsageHistory(R"({"metadata":{"name":"h"},"spec":{"serie":[]}})");
  EXPECT_THAT(std::string(Message(decoded.status())), HasSubstr("spec.serie: no such field; a spec has series"));
  EXPECT_THAT(Fault(R"({"workload":"s/Pod/w","weekly":[{"from":"09:00","use":1}]})"), HasSubstr("resource is missing"));
  EXPECT_THAT(Fault(R"({"workload":"s/Pod/w","resource":"cpu"})"), HasSubstr("one of weekly and values"));
  EXPECT_THAT(Fault(R"({"workload":"s/Pod/w","resource":"cpu","values":[1]})"), HasSubstr("start and values"));
  EXPECT_THAT(Fault(R"({"workload":"s/Pod/w","resource":"cpu","values":[1],"start":"today"})"), HasSubstr("start"));
}

}  // namespace
}  // namespace huygens::wire
