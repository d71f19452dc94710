// Against vectors of vivo's overcommit from an independent model in exact numbers.
#include <gtest/gtest.h>

#include "recommend/decision.h"
#include "recommend/usage_model.h"
#include "tests/recommend/policies.h"

namespace huygens::recommend {
namespace {

constexpr const char* kFile = "overcommit.jsonl.gz";

Resource ResourceOf(const json::object& vector) {
  return vector.at("resource").as_string() == "cpu" ? Resource::kCpu : Resource::kMemory;
}

std::optional<int64_t> AmountOrNothing(const json::value* value) {
  if (!value || value->is_null()) return std::nullopt;
  return value->as_int64();
}

TEST(OvercommitConformance, Histogram) {
  const std::vector<json::object> vectors = ReadVectors(kFile, "histogram");
  if (vectors.empty()) GTEST_SKIP() << "no vectors under " << HUYGENS_SHARED_DATA;
  for (const json::object& vector : vectors) {
    const bool cpu = ResourceOf(vector) == Resource::kCpu;
    const Duration half_life = std::chrono::seconds(vector.at("half_life_s").as_int64());
    const double percentile = Number(vector.at("percentile"));
    const Profile profile{half_life, percentile, percentile};
    UsageModel model(cpu ? ModelOptions::Cpu(profile) : ModelOptions::Memory(profile));
    for (const json::value& row : vector.at("rows").as_array()) {
      std::vector<std::optional<int64_t>> containers;
      for (const json::value& each : row.at("containers").as_array()) containers.push_back(AmountOrNothing(&each));
      const std::string pod = Text(row.at("pod"));
      model.Add({pod, Time(std::chrono::seconds(row.at("t").as_int64())), row.at("original_request_m").as_int64(),
                 containers});
    }
    const json::value& expected = vector.at("expect");
    EXPECT_EQ(model.samples(), expected.at("samples_used").as_int64()) << vector.at("id");
    const Buckets& buckets = *model.options().histogram.buckets;
    EXPECT_EQ(model.Value(), buckets.End(expected.at("bucket").to_number<size_t>())) << vector.at("id");
    EXPECT_NEAR(model.Value(), Number(expected.at("model")), 1e-12 * model.Value()) << vector.at("id");
  }
}

TEST(OvercommitConformance, NumbersOfTheArticle) {
  const std::vector<json::object> decays = ReadVectors(kFile, "decay"), starts = ReadVectors(kFile, "bucket_start");
  if (decays.empty()) GTEST_SKIP() << "no vectors under " << HUYGENS_SHARED_DATA;
  for (const json::object& vector : decays) {
    const Duration half_life = std::chrono::seconds(vector.at("half_life_s").as_int64());
    const Time reference(std::chrono::seconds(vector.at("reference").as_int64()));
    for (size_t i = 0; i < vector.at("times").as_array().size(); ++i) {
      Histogram histogram = *Histogram::Load(HistogramOptions::Cpu(half_life), {reference, 0, {}});
      ASSERT_TRUE(histogram.Add(1, 1, Time(std::chrono::seconds(vector.at("times").at(i).as_int64()))).ok());
      EXPECT_EQ(histogram.total(), Number(vector.at("expect").at(i)));
    }
  }
  for (const json::object& vector : starts) {
    const Buckets buckets = ResourceOf(vector) == Resource::kCpu ? Buckets::Cpu() : Buckets::Memory();
    EXPECT_NEAR(buckets.Start(vector.at("bucket").to_number<size_t>()), Number(vector.at("expect")),
                1e-9 * Number(vector.at("expect")));
  }
}

TEST(OvercommitConformance, Correct) {
  const std::vector<json::object> vectors = ReadVectors(kFile, "correct");
  if (vectors.empty()) GTEST_SKIP() << "no vectors under " << HUYGENS_SHARED_DATA;
  for (const json::object& vector : vectors) {
    const Rounding rounding{vector.at("step").as_int64(), vector.at("floor").as_int64()};
    EXPECT_EQ(Correct(Number(vector.at("model")) * UnitsOf(ResourceOf(vector)), Factor(vector.at("factor")), rounding,
                      vector.at("original").as_int64()),
              vector.at("expect").as_int64())
        << vector.at("id");
  }
}

TEST(OvercommitConformance, Split) {
  const std::vector<json::object> vectors = ReadVectors(kFile, "split");
  if (vectors.empty()) GTEST_SKIP() << "no vectors under " << HUYGENS_SHARED_DATA;
  for (const json::object& vector : vectors) {
    std::vector<std::optional<int64_t>> originals, expected;
    for (const json::value& each : vector.at("originals").as_array()) originals.push_back(AmountOrNothing(&each));
    for (const json::value& each : vector.at("expect").as_array()) expected.push_back(AmountOrNothing(&each));
    EXPECT_EQ(Split(vector.at("pod_value").as_int64(), originals, {vector.at("step").as_int64(), 0}), expected)
        << vector.at("id");
  }
}

PodRequests PodOf(const json::value& value) {
  PodRequests pod;
  pod.guaranteed = value.at("qos").as_string() == "Guaranteed";
  const json::value* opted_out = value.as_object().if_contains("opt_out");
  pod.opted_out = opted_out && opted_out->as_bool();
  const json::value* recorded = value.as_object().if_contains("overcommit");
  for (const json::value& each : value.at("containers").as_array()) {
    ContainerRequests& container = pod.containers.emplace_back();
    const json::value* of_this = recorded ? recorded->as_object().if_contains(each.at("name").as_string()) : nullptr;
    size_t resource = 0;
    for (const char* name : {"cpu", "memory"}) {
      container.requests[resource] = AmountOrNothing(each.at("requests").as_object().if_contains(name));
      if (const json::value* amounts = of_this ? of_this->as_object().if_contains(name) : nullptr) {
        container.recorded[resource] = {amounts->at("original").as_int64(), amounts->at("applied").as_int64()};
      }
      ++resource;
    }
  }
  return pod;
}

TEST(OvercommitConformance, Decide) {
  const std::vector<json::object> vectors = ReadVectors(kFile, "decide");
  if (vectors.empty()) GTEST_SKIP() << "no vectors under " << HUYGENS_SHARED_DATA;
  for (const json::object& vector : vectors) {
    const std::optional<Recommendation> recommendation = RecommendationOf(vector.at("recommendation"));
    const Decision decision =
        Decide(PodOf(vector.at("pod")), PolicyOf(vector.at("policy")), recommendation ? &*recommendation : nullptr);
    const json::value& expected = vector.at("expect");
    EXPECT_EQ(Name(decision.reason), Text(expected.at("reason"))) << vector.at("id");
    size_t resource = 0;
    for (const char* name : {"cpu", "memory"}) {
      EXPECT_EQ(Name(decision.source[resource]), Text(expected.at("source").at(name))) << vector.at("id");
      size_t container = 0;
      for (const json::value& each : vector.at("pod").at("containers").as_array()) {
        const json::object& requests = expected.at("requests").at(each.at("name").as_string()).as_object();
        EXPECT_EQ(decision.containers[container++].requests[resource], AmountOrNothing(requests.if_contains(name)))
            << vector.at("id");
      }
      ++resource;
    }
  }
}

}  // namespace
}  // namespace huygens::recommend
