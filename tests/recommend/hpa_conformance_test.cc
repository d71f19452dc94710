// The HPA controller's arithmetic against recorded answers of Kubernetes v1.36.3, and what the front makes of it.
#include <gtest/gtest.h>

#include "recommend/metrics_front.h"
#include "tests/recommend/scale_vectors.h"

namespace huygens::recommend {
namespace {

// The question as the HPA controller asks it when it is told this use.
ScaleQuestion Told(ScaleQuestion question, const std::vector<std::optional<int64_t>>& usage) {
  for (size_t i = 0; i < usage.size(); ++i) {
    if (!usage[i]) continue;
    std::vector<int64_t> measured;
    std::vector<ScaledContainer*> counted;
    for (ScaledContainer& container : question.pods[i].containers) {
      if (!question.container.empty() && container.name != question.container) continue;
      counted.push_back(&container);
      measured.push_back(*container.usage);
    }
    const std::vector<int64_t> parts = Spread(*usage[i], measured);
    for (size_t c = 0; c < counted.size(); ++c) counted[c]->usage = parts[c];
  }
  return question;
}

TEST(HpaConformance, CountsReplicasAsUpstream) {
  const std::vector<json::object> vectors = ReadVectors("hpa_replicas.jsonl.gz");
  if (vectors.empty()) GTEST_SKIP() << "no vectors under " << HUYGENS_SHARED_DATA;
  for (const json::object& vector : vectors) {
    const ScaleQuestion question = QuestionOf(vector);
    for (size_t basis = 0; basis < 3; ++basis) {
      SCOPED_TRACE(Concat(json::serialize(vector.at("id")), " ", kBasisNames[basis]));
      const json::object& expected = vector.at("expect").at(kBasisNames[basis]).as_object();
      const StatusOr<ScaleAnswer> answer = Replicas(question, static_cast<Basis>(basis));
      if (const json::value* error = expected.if_contains("error")) {
        EXPECT_EQ(Message(answer.status()), Text(*error));
        continue;
      }
      ASSERT_TRUE(answer.ok()) << answer.status();
      EXPECT_EQ(answer->replicas, expected.at("replicas").as_int64());
      EXPECT_EQ(answer->percent, expected.at("utilization").as_int64());
      EXPECT_EQ(answer->average, expected.at("average_m").as_int64());
    }
  }
}

TEST(HpaConformance, FromWhatTheFrontAnswersUpstreamReachesTheCountOfTheBasis) {
  const std::vector<json::object> vectors = ReadVectors("hpa_replicas.jsonl.gz");
  if (vectors.empty()) GTEST_SKIP() << "no vectors under " << HUYGENS_SHARED_DATA;
  size_t asked = 0, same = 0, same_percent = 0, unanswered = 0;
  for (const json::object& vector : vectors) {
    const ScaleQuestion question = QuestionOf(vector);
    for (const Basis basis : {Basis::kOriginal, Basis::kLimit}) {
      const json::object& expected = vector.at("expect").at(kBasisNames[static_cast<size_t>(basis)]).as_object();
      if (expected.contains("error")) {
        EXPECT_FALSE(AnswerFor(question, basis).ok());
        continue;
      }
      const StatusOr<FrontAnswer> front = AnswerFor(question, basis);
      if (!front.ok()) {
        // Requests are missing: the controller itself cannot count.
        EXPECT_FALSE(Replicas(question, Basis::kRequest).ok());
        ++unanswered;
        continue;
      }
      ++asked;
      const StatusOr<ScaleAnswer> reached = Replicas(Told(question, front->usage), Basis::kRequest);
      ASSERT_TRUE(reached.ok()) << reached.status();
      const bool equal = reached->replicas == expected.at("replicas").as_int64();
      EXPECT_EQ(equal, front->exact) << vector.at("id");
      if (!equal) std::cout << "vector " << vector.at("id") << ": " << reached->replicas << "\n";
      same += equal;
      same_percent += reached->percent == expected.at("utilization").as_int64();
    }
  }
  std::cout << same << " of " << asked << " counts and " << same_percent << " percentages, " << unanswered
            << " without requests\n";
  EXPECT_GE(static_cast<double>(same), 0.999 * static_cast<double>(asked));
}

// Another implementation's answers lead the calculator to the same counts, so it does not fit our front alone.
TEST(HpaConformance, FromRecordedAnswersTheCalculatorReachesTheCountOfTheBasis) {
  const std::vector<json::object> vectors = ReadVectors("hpa_replicas.jsonl.gz");
  if (vectors.empty()) GTEST_SKIP() << "no vectors under " << HUYGENS_SHARED_DATA;
  size_t asked = 0;
  for (const json::object& vector : vectors) {
    const ScaleQuestion question = QuestionOf(vector);
    const json::value* fronts = vector.if_contains("front");
    if (!fronts) continue;
    for (const auto& [basis, answer] : fronts->as_object()) {
      std::vector<std::optional<int64_t>> usage(question.pods.size());
      for (size_t i = 0; i < usage.size(); ++i) {
        if (const json::value* told = answer.as_object().if_contains(question.pods[i].name)) {
          usage[i] = told->as_int64();
        }
      }
      const StatusOr<ScaleAnswer> reached = Replicas(Told(question, usage), Basis::kRequest);
      ASSERT_TRUE(reached.ok()) << vector.at("id") << reached.status();
      EXPECT_EQ(reached->replicas, vector.at("expect").at(basis).at("replicas").as_int64()) << vector.at("id");
      ++asked;
    }
  }
  EXPECT_GT(asked, 0u);
}

}  // namespace
}  // namespace huygens::recommend
