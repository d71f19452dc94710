#include "usage_sources/prometheus_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/json/mutation.h"

namespace huygens::usage_sources {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kPrometheusVector =
    R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{"__name__":"up","node":"n1"},"value":[1795262400,"1"]}]}})";
constexpr std::string_view kPrometheusMatrix =
    R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":{"namespace":"shop","pod":"web-0"},)"
    R"("values":[[1795262399.999,"0.25"],[1795263300,"1e+06"]]},{"metric":{"namespace":"a\u0022b","pod":""},)"
    R"("values":[[1,"NaN"],[2,"+Inf"],[3,"-Inf"],[4.5,"-0.5"]]}]},"warnings":["PromQL warning: one of two stores is away"]})";
constexpr std::string_view kPrometheusError =
    R"({"status":"error","errorType":"bad_data","error":"invalid parameter \"query\": 1:5: parse error: unexpected end of input"})";

struct Seen {
  std::string labels;                               // "a=b,c=d"
  std::vector<std::pair<int64_t, double>> samples;  // milliseconds
};

PrometheusVisitor Visitor(std::vector<Seen>& seen, bool wanted) {
  return {.on_series =
              [&seen, wanted](const PrometheusLabels& labels) {
                Seen& series = seen.emplace_back();
                for (const auto& [name, value] : labels) {
                  series.labels += Concat(series.labels.empty() ? "" : ",", name, "=", value);
                }
                return wanted;
              },
          .on_sample =
              [&seen](Time time, double value) {
                const auto since = time.time_since_epoch();
                seen.back().samples.emplace_back(since / std::chrono::milliseconds(1), value);
              }};
}

StatusOr<PrometheusAnswer> Decode(std::string_view json, std::vector<Seen>& seen, bool wanted = true) {
  return DecodePrometheusAnswer(json, Visitor(seen, wanted));
}

TEST(Prometheus, ReadsAMatrix) {
  std::vector<Seen> seen;
  const auto answer = Decode(kPrometheusMatrix, seen);
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
  const auto answer = Decode(kPrometheusVector, seen);
  ASSERT_TRUE(answer.ok()) << answer.status();
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].labels, "__name__=up,node=n1");
  EXPECT_THAT(seen[0].samples, ElementsAre(std::pair(1'795'262'400'000, 1.0)));
}

TEST(Prometheus, ReadsWhyAQueryFailed) {
  std::vector<Seen> seen;
  const auto answer = Decode(kPrometheusError, seen);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_FALSE(answer->success);
  EXPECT_EQ(answer->error_type, "bad_data");
  EXPECT_THAT(answer->error, HasSubstr("parse error"));
}

TEST(Prometheus, PassesOverSamplesOfNoInterest) {
  std::vector<Seen> seen;
  ASSERT_TRUE(Decode(kPrometheusMatrix, seen, false).ok());
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

std::string Text(const std::vector<Seen>& seen, const StatusOr<PrometheusAnswer>& answer) {
  std::string text = answer.ok() ? Concat(answer->success ? "success " : "error ", answer->error_type, answer->error)
                                 : std::string(Message(answer.status()));
  for (const Seen& series : seen) {
    text += Concat("|", series.labels);
    for (const auto& [time, value] : series.samples)
      text += Concat(" ", std::to_string(time), "=", std::to_string(value));
  }
  return text;
}

TEST(Prometheus, ReadsTheSameHoweverTheAnswerIsCut) {
  for (const std::string_view whole :
       {kPrometheusMatrix, kPrometheusVector, kPrometheusError,
        std::string_view(R"({"data":{"result":[{"values":[[1.5e3,"2"]],"metric":{"\u00e4\"x":"\n"}}],"x":[{"a":[1]}]},)"
                         R"("status":"success"}  )"),
        std::string_view(R"({"status":"success","data":{"result":[{"metric":{"a":1}}]}})"),
        std::string_view(R"({"status":"success"} x)"), std::string_view(R"({"status":"success","data":{"resu)")}) {
    std::vector<Seen> seen;
    const auto answer = Decode(whole, seen);
    const std::string expected = Text(seen, answer);
    for (size_t size = 1; size < 9; ++size) {
      std::vector<Seen> again;
      const PrometheusVisitor visitor = Visitor(again, true);
      PrometheusDecoder decoder(visitor);
      Status status;
      for (size_t at = 0; at < whole.size() && status.ok(); at += size) status = decoder.Write(whole.substr(at, size));
      const auto pieces = status.ok() ? decoder.Finish() : StatusOr<PrometheusAnswer>(status);
      EXPECT_EQ(Text(again, pieces), expected) << "in pieces of " << size;
    }
  }
}

TEST(Prometheus, StaysWithItsFirstFault) {
  std::vector<Seen> seen;
  const PrometheusVisitor visitor = Visitor(seen, true);
  PrometheusDecoder decoder(visitor);
  const Status status = decoder.Write("[");
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(decoder.Write("]"), status);
  EXPECT_EQ(decoder.Finish().status(), status);
}

TEST(Prometheus, RefusesWhatIsNoAnswer) {
  const std::pair<const char*, const char*> cases[] = {
      {"<html>", "not JSON"},
      {"[]", "expected an object"},
      {"null", "expected an object"},
      {R"({"status":"success"} {})", "more text after the value at byte 21"},
      {R"({"status":"success","data":{"result":[{"metric":{},"metric":{}}]}})", "metric: stated twice"},
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

TEST(Prometheus, OneMemberChangedIsAValueOrAClearError) {
  for (std::string_view sample : {kPrometheusVector, kPrometheusMatrix, kPrometheusError}) {
    Mutator(sample).ForEach([&](Mutation, const std::string& text) {
      std::vector<Seen> seen;
      const Status status = Decode(text, seen).status();
      if (status.ok()) return;
      EXPECT_TRUE(absl::IsInvalidArgument(status)) << status << " for " << text;
      EXPECT_FALSE(Message(status).empty() || Message(status).starts_with("not JSON")) << status << " for " << text;
    });
  }
}

}  // namespace
}  // namespace huygens::usage_sources
