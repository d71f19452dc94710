#include "wire/prometheus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/wire/samples.h"

namespace huygens::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Seen {
  std::string labels;                               // "a=b,c=d"
  std::vector<std::pair<int64_t, double>> samples;  // milliseconds
};

StatusOr<PrometheusAnswer> Decode(std::string_view json, std::vector<Seen>& seen, bool wanted = true) {
  return DecodePrometheusAnswer(json,
                                {.on_series =
                                     [&](const PrometheusLabels& labels) {
                                       Seen& series = seen.emplace_back();
                                       for (const auto& [name, value] : labels) {
                                         series.labels += Concat(series.labels.empty() ? "" : ",", name, "=", value);
                                       }
                                       return wanted;
                                     },
                                 .on_sample =
                                     [&](Time time, double value) {
                                       const auto since = time.time_since_epoch();
                                       seen.back().samples.emplace_back(since / std::chrono::milliseconds(1), value);
                                     }});
}

TEST(Prometheus, ReadsAMatrix) {
  std::vector<Seen> seen;
  const auto answer = Decode(samples::kPrometheusMatrix, seen);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_TRUE(answer->success);
  EXPECT_THAT(answer->warnings, ElementsAre("PromQL warning: one of two stores is away"));
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0].labels, "namespace=shop,pod=web-0");
  EXPECT_THAT(seen[0].samples, ElementsAre(std::pair(1'795'262'399'999, 0.25), std::pair(1'795'263'300'000, 1e6)));
  EXPECT_EQ(seen[1].labels, "namespace=a\"b,pod=");
  ASSERT_EQ(seen[1].samples.size(), 4U);
  EXPECT_TRUE(std::isnan(seen[1].samples[0].second));
  EXPECT_EQ(seen[1].samples[1].second, INFINITY);
  EXPECT_EQ(seen[1].samples[2].second, -INFINITY);
  EXPECT_EQ(seen[1].samples[3].second, -0.5);
}

TEST(Prometheus, ReadsAVector) {
  std::vector<Seen> seen;
  const auto answer = Decode(samples::kPrometheusVector, seen);
  ASSERT_TRUE(answer.ok()) << answer.status();
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].labels, "__name__=up,node=n1");
  EXPECT_THAT(seen[0].samples, ElementsAre(std::pair(1'795'262'400'000, 1.0)));
}

TEST(Prometheus, ReadsWhyAQueryFailed) {
  std::vector<Seen> seen;
  const auto answer = Decode(samples::kPrometheusError, seen);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_FALSE(answer->success);
  EXPECT_EQ(answer->error_type, "bad_data");
  EXPECT_THAT(answer->error, HasSubstr("parse error"));
}

TEST(Prometheus, PassesOverSamplesOfNoInterest) {
  std::vector<Seen> seen;
  ASSERT_TRUE(Decode(samples::kPrometheusMatrix, seen, false).ok());
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_TRUE(seen[0].samples.empty());
  EXPECT_TRUE(seen[1].samples.empty());
}

TEST(Prometheus, KnowsTheSeriesBeforeItsSamplesInAnyOrder) {
  std::vector<Seen> seen;
  ASSERT_TRUE(
      Decode(
          R"({"data":{"result":[{"values":[[1,"2"]],"metric":{"a":"b"}}],"resultType":"matrix"},"status":"success"})",
          seen)
          .ok());
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].labels, "a=b");
  EXPECT_THAT(seen[0].samples, ElementsAre(std::pair(1000, 2.0)));
}

TEST(Prometheus, TakesEmptyAnswersAndWhatItDoesNotKnow) {
  std::vector<Seen> seen;
  EXPECT_TRUE(Decode(R"({"status":"success","data":{"resultType":"vector","result":[]}})", seen).ok());
  EXPECT_TRUE(Decode(R"({"status":"success","data":{"result":null},"warnings":null,"infos":["x"]})", seen).ok());
  EXPECT_TRUE(seen.empty());
  EXPECT_TRUE(
      Decode(R"({"status":"success","data":{"result":[{"metric":{},"histograms":[[1,{"count":"2"}]]}]}})", seen).ok());
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_TRUE(seen[0].samples.empty());
  EXPECT_TRUE(Decode(R"({"status":"success","data":{"result":[{"value":[1,"1e999"]}]}})", seen).ok());
  EXPECT_TRUE(std::isnan(seen.back().samples.at(0).second));
}

TEST(Prometheus, RefusesWhatIsNoAnswer) {
  const std::pair<const char*, const char*> cases[] = {
      {"<html>", "not JSON"},
      {"[]", "expected an object"},
      {"{}", "has no status"},
      {R"({"status":"fine"})", "status: expected success or error"},
      {R"({"status":"success"})", "has no result"},
      {R"({"status":"success","data":{"result":[1]}})", "data.result[0]: expected an object"},
      {R"({"status":"success","data":{"result":[{"metric":{"a":1}}]}})", "data.result[0].metric.a: expected a string"},
      {R"({"status":"success","data":{"result":[{"values":{}}]}})", "values: expected an array"},
      {R"({"status":"success","data":{"result":[{"values":[[1]]}]}})", "two parts"},
      {R"({"status":"success","data":{"result":[{"values":[[1,"2","3"]]}]}})", "two parts"},
      {R"({"status":"success","data":{"result":[{"values":[[1,2]]}]}})", "expected a number in quotes, found a number"},
      {R"({"status":"success","data":{"result":[{"values":[[1,"2x"]]}]}})", "expected a number in quotes"},
      {R"({"status":"success","data":{"result":[{"values":[["1","2"]]}]}})", "expected a time"},
      {R"({"status":"success","data":{"result":[{"values":[[1e300,"2"]]}]}})", "time out of range"},
  };
  for (const auto& [json, text] : cases) {
    std::vector<Seen> seen;
    const auto answer = Decode(json, seen);
    ASSERT_FALSE(answer.ok()) << json;
    EXPECT_THAT(std::string(Message(answer.status())), HasSubstr(text)) << json;
  }
}

}  // namespace
}  // namespace huygens::wire
