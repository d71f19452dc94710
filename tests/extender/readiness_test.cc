#include "extender/readiness.h"

#include <gtest/gtest.h>

namespace huygens::extender {
namespace {

TEST(WaitingText, SaysACauseThatAllShareOnce) {
  const Missing missing[] = {{"nodes", "GET https://10.0.0.1:6443/api/v1/nodes: Connection refused"},
                             {"pods", "GET https://10.0.0.1:6443/api/v1/pods: Connection refused"},
                             {"as", "GET https://10.0.0.1:6443/apis/a: Connection refused"},
                             {"bs", "GET https://10.0.0.1:6443/apis/b: Connection refused"}};
  EXPECT_EQ(WaitingText(missing),
            "waiting for the first list of nodes, pods and 2 more (GET https://10.0.0.1:6443/...: Connection refused)");
  EXPECT_EQ(WaitingText({missing, 3}),
            "waiting for the first list of nodes, pods and as (GET https://10.0.0.1:6443/...: Connection refused)");
}

TEST(WaitingText, KeepsCausesApart) {
  const Missing missing[] = {
      {"nodes", ""}, {"pods", "GET http://h/pods: no answer in time"}, {"as", ""}, {"bs", "HTTP 403"}};
  EXPECT_EQ(
      WaitingText(missing),
      "waiting for the first list of nodes and as; of pods (GET http://h/...: no answer in time); of bs (HTTP 403)");
  EXPECT_EQ(WaitingText({}), "");
}

}  // namespace
}  // namespace huygens::extender
