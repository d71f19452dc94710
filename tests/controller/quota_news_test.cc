#include "controller/quota_news.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/groups.h"

namespace huygens::controller {
namespace {

using cluster::QuotaTransfer;
using testing::ElementsAre;
using testing::IsEmpty;

cluster::BizGroupQuota Group(std::string_view key, int hard, int used, int own) {
  cluster::BizGroupQuota group{.name = "team"};
  quota::Set(group.hard, key, Quantity::FromMilli(hard * 1000));
  quota::Set(group.used, key, Quantity::FromMilli(used * 1000));
  quota::Set(group.self_used, key, Quantity::FromMilli(own * 1000));
  return group;
}

std::vector<std::string> Told(const cluster::BizGroupQuota& before, const cluster::BizGroupQuota& after) {
  std::vector<std::string> told;
  for (const QuotaNews& each : NewsOf(before, after)) {
    told.push_back(Concat(each.warning ? "Warning " : "Normal ", each.reason, ": ", each.message));
  }
  return told;
}

TEST(QuotaNews, ABudgetThatBecomesNearlyFullIsToldOnce) {
  const auto some = Group("limits.cpu", 10, 8, 8), most = Group("limits.cpu", 10, 9, 9),
             all = Group("limits.cpu", 10, 10, 10);
  EXPECT_THAT(Told(some, most), ElementsAre("Warning BudgetNearlyFull: limits.cpu used 9 of 10"));
  EXPECT_THAT(Told(some, all), ElementsAre("Warning BudgetNearlyFull: limits.cpu used 10 of 10"));
  EXPECT_THAT(Told(most, all), IsEmpty());
  EXPECT_THAT(Told(all, all), IsEmpty());
  EXPECT_THAT(Told(all, some), IsEmpty());
  EXPECT_THAT(Told(some, Group("limits.cpu", 8, 8, 8)),
              ElementsAre("Warning BudgetNearlyFull: limits.cpu used 8 of 8"));
  EXPECT_THAT(Told(some, Group("limits.cpu", 10, 10, 0)), IsEmpty()) << "all of it was handed to children";
}

TEST(QuotaNews, HoursThatAreSpentAndThereAgainAreTold) {
  const auto some = Group("cash/limits.cpu", 10, 5, 5), most = Group("cash/limits.cpu", 10, 9, 9),
             all = Group("cash/limits.cpu", 10, 10, 10), over = Group("cash/limits.cpu", 10, 12, 12);
  const char kSpent[] = "Warning HoursSpent: cash/limits.cpu used 10 of 10: no new pod begins, those that run go on";
  EXPECT_THAT(Told(some, most), ElementsAre("Warning BudgetNearlyFull: cash/limits.cpu used 9 of 10"));
  EXPECT_THAT(Told(most, all), ElementsAre(kSpent));
  EXPECT_THAT(Told(some, all), ElementsAre(kSpent));
  EXPECT_THAT(Told(all, over), IsEmpty());
  EXPECT_THAT(Told(over, some), ElementsAre("Normal HoursAvailable: cash/limits.cpu used 5 of 10"));
  EXPECT_THAT(Told(all, Group("cash/limits.cpu", 11, 10, 10)),
              ElementsAre("Normal HoursAvailable: cash/limits.cpu used 10 of 11"));
}

TEST(QuotaNews, TransfersAreToldOfWhenTheyAreOverdueRefusedOrReturned) {
  QuotaTransfer before{.name = "t"};
  before.from = "team";
  before.to = "other";
  const auto told = [&](QuotaTransfer::Phase phase, const std::string& message) {
    QuotaTransfer after = before;
    after.phase = phase;
    after.message = message;
    const auto news = NewsOf(before, after);
    return news ? Concat(news->warning ? "Warning " : "Normal ", news->reason, ": ", news->message) : "";
  };
  EXPECT_EQ(told(QuotaTransfer::Phase::kRefused, "no group is above both"),
            "Warning TransferRefused: it cannot be carried out: no group is above both");
  EXPECT_EQ(told(QuotaTransfer::Phase::kMoving, ""), "");
  before.phase = QuotaTransfer::Phase::kLent;
  EXPECT_EQ(told(QuotaTransfer::Phase::kOverdue, "limits.cpu used 9 of 5"),
            "Warning TransferOverdue: bizrq/other still uses what it was lent: limits.cpu used 9 of 5");
  before.phase = QuotaTransfer::Phase::kOverdue;
  EXPECT_EQ(told(QuotaTransfer::Phase::kOverdue, "limits.cpu used 8 of 5"), "") << "it is no news";
  EXPECT_EQ(told(QuotaTransfer::Phase::kReturned, ""), "Normal TransferReturned: bizrq/team has its budget back");
}

TEST(QuotaNews, DriftNamesTheAmounts) {
  EXPECT_EQ(NewsOfDrift({{"limits.cpu", Quantity::FromMilli(2500)}, {"pods", Quantity::FromMilli(-1000)}}).message,
            "the status said something else than there is, and was put right; too much was limits.cpu 2500m, pods -1");
}

}  // namespace
}  // namespace huygens::controller
