#include "wire/metrics_api.h"

#include <gtest/gtest.h>

namespace huygens::wire {
namespace {

class MetricsApi : public testing::Test {
 protected:
  ResourceMetrics Decode(std::string_view json) {
    auto metrics = DecodeResourceMetrics(json, names_);
    EXPECT_TRUE(metrics.ok()) << metrics.status();
    return metrics.ok() ? *metrics : ResourceMetrics{};
  }
  ResourceNames names_;
};

TEST_F(MetricsApi, SumsTheContainersOfAPod) {
  const auto pod = Decode(R"({
    "metadata": {"name": "web-0", "namespace": "shop", "creationTimestamp": "2026-11-21T12:00:31Z", "labels": {"a": "b"}},
    "timestamp": "2026-11-21T12:00:15Z", "window": "15.104s",
    "containers": [{"name": "app", "usage": {"cpu": "12345678n", "memory": "1024Ki"}},
                   {"name": "proxy", "usage": {"cpu": "2m", "memory": "3Mi"}}]})");
  EXPECT_EQ(pod.namespace_name, "shop");
  EXPECT_EQ(pod.name, "web-0");
  EXPECT_EQ(pod.timestamp, *ParseRfc3339("2026-11-21T12:00:15Z"));
  EXPECT_EQ(pod.usage, (ResourceVector{{kCpu, 13 + 2}, {kMemory, (1 << 20) + (3 << 20)}}));
}

TEST_F(MetricsApi, ReadsANode) {
  const auto node = Decode(R"({"metadata": {"name": "n1"}, "timestamp": "2026-11-21T12:00:15Z", "window": "20s",
                               "usage": {"cpu": "1500m", "memory": "8Gi", "example.com/unheard-of": "1"}})");
  EXPECT_EQ(node.namespace_name, "");
  EXPECT_EQ(node.usage, (ResourceVector{{kCpu, 1500}, {kMemory, int64_t{8} << 30}}));
}

TEST_F(MetricsApi, APartIsNoMeasurementOfTheWhole) {
  EXPECT_EQ(Decode(R"({"metadata": {"name": "p"}, "containers": [
                       {"usage": {"cpu": "1", "memory": "1Gi"}}, {"usage": {"cpu": "1"}}]})")
                .usage,
            (ResourceVector{{kCpu, 2000}}));
  EXPECT_TRUE(
      Decode(R"({"metadata": {"name": "p"}, "containers": [{"usage": {"cpu": "1"}}, {"usage": null}]})").usage.empty());
  EXPECT_TRUE(
      Decode(R"({"metadata": {"name": "p"}, "containers": [{"usage": {"cpu": "1"}}, {"name": "x"}]})").usage.empty());
}

TEST_F(MetricsApi, NothingIsNotZero) {
  EXPECT_TRUE(Decode(R"({"metadata": {"name": "p"}, "containers": []})").usage.empty());
  EXPECT_TRUE(Decode(R"({"metadata": {"name": "p"}})").usage.empty());
  EXPECT_TRUE(Decode(R"({"metadata": {"name": "p"}, "containers": [{"usage": {"cpu": "-1"}}]})").usage.empty());
  EXPECT_TRUE(Decode(R"({"metadata": {"name": "p"}, "usage": {"cpu": "0"}})").usage.Has(kCpu));
}

TEST_F(MetricsApi, AStrangeTimestampIsNone) {
  EXPECT_FALSE(Decode(R"({"metadata": {"name": "p"}, "timestamp": "yesterday"})").timestamp);
  EXPECT_FALSE(Decode(R"({"metadata": {"name": "p"}, "timestamp": null})").timestamp);
}

TEST_F(MetricsApi, NamesThePlaceOfAFault) {
  EXPECT_EQ(DecodeResourceMetrics(R"({"metadata": {"name": "p"}, "containers": [{"usage": {"cpu": "much"}}]})", names_)
                .status()
                .message()
                .substr(0, 23),
            "containers[0].usage.cpu");
  EXPECT_FALSE(DecodeResourceMetrics(R"({"metadata": {}})", names_).ok());
  EXPECT_FALSE(DecodeResourceMetrics("[]", names_).ok());
}

}  // namespace
}  // namespace huygens::wire
