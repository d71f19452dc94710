// The recorded questions of tests/recommend/hpa_conformance_test.cc by way of the list that is served: from what it says,
// upstream's arithmetic on requests must come to the count of the basis.
#include <gtest/gtest.h>

#include <vector>

#include "base/text.h"
#include "metrics_front/pod_metrics.h"
#include "metrics_front/scaled_answer.h"
#include "tests/recommend/scale_vectors.h"

namespace huygens::metrics_front {
namespace {

namespace json = boost::json;
using recommend::Basis;
using recommend::ScaledContainer;
using recommend::ScaledPod;
using recommend::ScaleQuestion;

size_t ResourceOf(const ScaleQuestion& question) { return question.resource == "cpu" ? 0 : 1; }

// As whoever measures would list it.
std::string Measured(const ScaleQuestion& question) {
  json::array items;
  for (const ScaledPod& pod : question.pods) {
    if (!pod.has_metric) continue;
    json::array containers;
    for (const ScaledContainer& each : pod.containers) {
      json::object usage;
      if (each.usage) usage[question.resource] = Concat(std::to_string(*each.usage), "m");
      containers.push_back(json::object{{"name", each.name}, {"usage", usage}});
    }
    items.push_back(json::object{{"metadata", json::object{{"name", pod.name}}},
                                 {"timestamp", FormatRfc3339(pod.metric_time)},
                                 {"window", Concat(std::to_string(pod.metric_window / std::chrono::seconds(1)), "s")},
                                 {"containers", containers}});
  }
  return json::serialize(json::object{{"kind", "PodMetricsList"}, {"items", items}});
}

// The question as the HPA controller asks it when it is told this list.
ScaleQuestion Told(ScaleQuestion question, const std::string& list) {
  const std::vector<PodMetrics> told = *DecodePodMetrics(list);
  for (ScaledPod& pod : question.pods) {
    for (const PodMetrics& each : told) {
      if (each.name != pod.name) continue;
      for (size_t i = 0; i < pod.containers.size(); ++i) {
        const auto& amount = each.containers[i].usage[ResourceOf(question)];
        pod.containers[i].usage = amount ? std::optional<int64_t>(amount->thousandths) : std::nullopt;
      }
    }
  }
  return question;
}

std::vector<AskedPod> PodsOf(const ScaleQuestion& question) {
  std::vector<AskedPod> pods;
  for (const ScaledPod& pod : question.pods) {
    AskedPod& asked = pods.emplace_back();
    asked.name = pod.name;
    ScaledPod& of = asked.of_resource[ResourceOf(question)];
    of = pod;
    of.has_metric = false;
    for (ScaledContainer& each : of.containers) each.usage.reset();
  }
  return pods;
}

TEST(ScaledAnswerConformance, UpstreamComesToTheCountOfTheBasis) {
  const std::vector<json::object> vectors = recommend::ReadVectors("hpa_replicas.jsonl.gz");
  if (vectors.empty()) GTEST_SKIP() << "no vectors under " << HUYGENS_SHARED_DATA;
  size_t asked = 0, same = 0;
  for (const json::object& vector : vectors) {
    const ScaleQuestion question = recommend::QuestionOf(vector);
    const std::vector<AskedPod> pods = PodsOf(question);
    std::vector<const AskedPod*> pointers;
    for (const AskedPod& each : pods) pointers.push_back(&each);
    Autoscaler autoscaler;
    autoscaler.metrics.push_back({question.resource, question.container, question.target_percent});
    autoscaler.tolerance_up = question.tolerance_up;
    autoscaler.tolerance_down = question.tolerance_down;
    const std::string measured = Measured(question);
    if (!recommend::Replicas(question, Basis::kRequest).ok()) continue;
    for (const Basis basis : {Basis::kOriginal, Basis::kLimit}) {
      const json::value& expected = vector.at("expect").at(recommend::kBasisNames[static_cast<size_t>(basis)]);
      if (expected.as_object().contains("error")) continue;
      const StatusOr<ScaledAnswer> answer = ScaleAnswerFor(autoscaler, {question.current_replicas, ""}, basis, pointers,
                                                           measured, recommend::kAskedAt, {});
      ASSERT_TRUE(answer.ok()) << answer.status();
      const auto reached = recommend::Replicas(Told(question, answer->body), Basis::kRequest);
      ASSERT_TRUE(reached.ok()) << reached.status() << " " << vector.at("id");
      ++asked;
      same += reached->replicas == expected.at("replicas").as_int64();
    }
    const auto native = ScaleAnswerFor(autoscaler, {question.current_replicas, ""}, Basis::kRequest, pointers, measured,
                                       recommend::kAskedAt, {});
    EXPECT_EQ(native->body, measured);
  }
  EXPECT_GT(asked, 1000U);
  EXPECT_GE(static_cast<double>(same), 0.999 * static_cast<double>(asked)) << same << " of " << asked;
}

}  // namespace
}  // namespace huygens::metrics_front
