#include "oversight/quota_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/observe/captured_log.h"

namespace huygens::oversight {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class QuotaWatchTest : public testing::Test {
 protected:
  void Set(cluster::BizGroupQuota group) { placement_->Apply(cluster::BizGroupQuotaSet{std::move(group)}); }
  std::string Metrics(const std::vector<std::string>& groups) {
    QuotaWatch(*placement_, metrics_, captured_.log, groups).RefreshMetrics();
    return metrics_.Render();
  }

  ResourceNames resources_;
  std::unique_ptr<placement::Placement> placement_ =
      *placement::Placement::Create({.checks = {"quota"}, .resource_names = &resources_});
  observe::CapturedLog captured_;
  observe::Metrics metrics_{{.version = "test", .reject_reasons = {}}};
};

TEST_F(QuotaWatchTest, CountsGroupsByStateAndShowsTheFiguresOfThoseAskedFor) {
  Set({.name = "org", .hard = {{"limits.cpu", *Quantity::Parse("10")}}});
  Set({.name = "team",
       .parent = "org",
       .hard = {{"cash/limits.cpu", *Quantity::Parse("100")}, {"limits.cpu", *Quantity::Parse("2500m")}}});
  Set({.name = "orphan", .parent = "nobody"});
  const std::string one = Metrics({"org", "nobody"});
  EXPECT_THAT(one, AllOf(HasSubstr("huygens_quota_groups{state=\"ok\"} 2\n"),
                         HasSubstr("huygens_quota_groups{state=\"frozen\"} 1\n"),
                         HasSubstr("huygens_quota_groups{state=\"missing\"} 1\n"),
                         HasSubstr("huygens_quota_hard{group=\"org\",key=\"limits.cpu\"} 10\n"),
                         HasSubstr("huygens_quota_used{group=\"org\",key=\"limits.cpu\"} 2.5\n")));
  EXPECT_THAT(one, Not(HasSubstr("group=\"team\"")));
  const std::string all = Metrics({"*"});
  EXPECT_THAT(all, AllOf(HasSubstr("huygens_quota_used{group=\"team\",key=\"limits.cpu\"} 0\n"),
                         HasSubstr("huygens_quota_hard{group=\"team\",key=\"cash/limits.cpu\"} 100\n"),
                         Not(HasSubstr("huygens_quota_used{group=\"team\",key=\"cash/limits.cpu\"}"))));
  EXPECT_THAT(Metrics({}), AllOf(HasSubstr("huygens_quota_groups{state=\"ok\"} 2\n"), Not(HasSubstr("group=\""))));
}

TEST_F(QuotaWatchTest, CountsAnewWhateverMakesAGroupStandOtherwise) {
  QuotaWatch watch(*placement_, metrics_, captured_.log, {"org"});
  auto shown = [&] {
    watch.RefreshMetrics();
    return metrics_.Render();
  };
  EXPECT_THAT(shown(), HasSubstr("huygens_quota_groups{state=\"ok\"} 0\n"));
  Set({.name = "org", .hard = {{"limits.cpu", *Quantity::Parse("10")}}});
  EXPECT_THAT(shown(), HasSubstr("huygens_quota_groups{state=\"ok\"} 1\n"));
  cluster::Pod pod;
  pod.uid = pod.name = "a";
  pod.node_name = "n1";
  pod.containers.resize(1);
  pod.containers[0].limits.Set(kCpu, 2000);
  pod.quota = std::make_shared<const cluster::QuotaLabels>(cluster::QuotaLabels{.group = "org"});
  placement_->Apply(cluster::PodSet{std::make_shared<const cluster::Pod>(pod)});
  EXPECT_THAT(shown(), HasSubstr("huygens_quota_used{group=\"org\",key=\"limits.cpu\"} 2\n"));
  placement_->Apply(cluster::BizGroupQuotaGone{"org"});
  EXPECT_THAT(shown(), AllOf(HasSubstr("huygens_quota_groups{state=\"ok\"} 0\n"),
                             HasSubstr("huygens_quota_groups{state=\"missing\"} 1\n")));
  placement_->Apply(cluster::PodGone{"a"});
  EXPECT_THAT(shown(), HasSubstr("huygens_quota_groups{state=\"missing\"} 0\n"));
}

TEST_F(QuotaWatchTest, AGroupThatIsNotThereIsToldOfOnceWhenAllAreKnown) {
  QuotaWatch watch(*placement_, metrics_, captured_.log, {"tema", "org", "tema", "gone"});
  Set({.name = "org"});
  watch.RefreshMetrics();
  EXPECT_THAT(captured_.Lines(), testing::IsEmpty()) << "they may yet come";
  placement_->Apply(cluster::ListBegin{cluster::Kind::kBizGroupQuota});
  Set({.name = "org"});
  placement_->Apply(cluster::ListEnd{cluster::Kind::kBizGroupQuota});
  for (int scrape = 0; scrape < 3; ++scrape) watch.RefreshMetrics();
  EXPECT_THAT(captured_.Lines(), testing::ElementsAre(AllOf(HasSubstr("level=warn"), HasSubstr("quota.metricGroups"),
                                                            HasSubstr("groups=gone,tema"))));
}

TEST_F(QuotaWatchTest, AllGroupsLackNone) {
  placement_->Apply(cluster::ListBegin{cluster::Kind::kBizGroupQuota});
  placement_->Apply(cluster::ListEnd{cluster::Kind::kBizGroupQuota});
  Metrics({"*"});
  EXPECT_THAT(captured_.Lines(), testing::IsEmpty());
}

TEST_F(QuotaWatchTest, WhereNothingIsEnforcedThereIsNothingToShow) {
  placement_ = *placement::Placement::Create({});
  EXPECT_THAT(Metrics({"*"}), HasSubstr("huygens_quota_groups{state=\"ok\"} 0\n"));
}

}  // namespace
}  // namespace huygens::oversight
