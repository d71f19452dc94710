#include "controller/filled_budgets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/groups.h"

namespace huygens::controller {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> Filled(const cluster::BizGroupQuota& group) {
  std::vector<std::string> texts;
  for (const observe::FilledBudget& each : FilledBudgets(group)) {
    texts.push_back(Concat(each.group, " ", each.key, " ", std::to_string(each.share).substr(0, 4)));
  }
  return texts;
}

TEST(FilledBudgets, AreThoseOfWhichWorkloadsOfTheGroupUseNineTenths) {
  cluster::BizGroupQuota group =
      MakeGroup("team", "", {{"limits.cpu", "10"}, {"nvidia.com/gpu", "4"}, {"cash/limits.cpu", "100"}, {"pods", "0"}});
  group.self_used =
      Of({{"limits.cpu", "1"}, {"requests.nvidia.com/gpu", "4"}, {"cash/limits.cpu", "89"}, {"pods", "3"}});
  group.used =
      Of({{"limits.cpu", "8999m"}, {"requests.nvidia.com/gpu", "4"}, {"cash/limits.cpu", "120"}, {"pods", "3"}});
  EXPECT_THAT(Filled(group), ElementsAre("team cash/limits.cpu 1.20", "team requests.nvidia.com/gpu 1.00"));
  group.used = Of({{"limits.cpu", "9"}});
  EXPECT_THAT(Filled(group), ElementsAre("team limits.cpu 0.90"));
  group.self_used = Of({{"limits.cpu", "0"}});
  EXPECT_THAT(Filled(group), IsEmpty()) << "its children have it";
}

}  // namespace
}  // namespace huygens::controller
