#include "admin_api/amounts.h"

#include <gtest/gtest.h>

namespace huygens::admin_api {
namespace {

TEST(Amounts, AreReadBackInBaseUnits) {
  ResourceNames resources;
  const ResourceId gpu = *resources.Intern("nvidia.com/gpu");
  const ResourceVector amounts = {{kCpu, 2500}, {kMemory, int64_t{4} << 30}, {kPodSlots, 110}, {gpu, 2}};
  const Amounts texts = {{"cpu", "2500m"}, {"memory", "4Gi"}, {"pods", "110"}, {"nvidia.com/gpu", "2"}};
  EXPECT_EQ(AmountsOf(amounts, resources), texts);
  EXPECT_EQ(ParseAmounts(texts, resources).value(), amounts);
  EXPECT_TRUE(Message(ParseAmounts({{"cpu", "many"}}, resources).status()).starts_with("cpu \"many\": "));
}

TEST(Amounts, AreSaidInOneLine) {
  EXPECT_EQ(AmountsText({{"cpu", "4"}, {"memory", "2Gi"}}), "4 cpu and 2Gi memory");
  EXPECT_EQ(AmountsText({}), "");
}

}  // namespace
}  // namespace huygens::admin_api
