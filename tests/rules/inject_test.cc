#include "rules/inject.h"

#include <gtest/gtest.h>

#include "tests/rules/writes.h"

namespace huygens::rules {
namespace {

TEST(Inject, AddsAnnotationsLabelsTolerationsAndTheSchedulerToAPod) {
  const Written written = Write(kPod, {R"(
    {"metadata":{"name":"shared","generation":3},"spec":{"mode":"enforce","selector":{"kinds":["Pod"],"matchLabels":{"app":"cart"}},
     "inject":{"labels":{"pool":"shared"},"annotations":{"example.com/threshold":"0.8"},"schedulerName":"huygens-scheduler",
       "tolerations":[{"key":"pool","operator":"Equal","value":"shared","effect":"NoSchedule"}]}}})"});
  EXPECT_EQ(At(written.object, "/metadata/labels/pool"), "shared");
  EXPECT_EQ(At(written.object, "/metadata/annotations/example.com~1threshold"), "0.8");
  EXPECT_EQ(At(written.object, "/spec/schedulerName"), "huygens-scheduler");
  EXPECT_EQ(At(written.object, "/spec/tolerations/0/key"), "pool");
  EXPECT_EQ(At(written.object, "/metadata/annotations/rules.huygens.dev~1applied"), "shared@3");
}

}  // namespace
}  // namespace huygens::rules
