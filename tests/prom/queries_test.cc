#include "prom/queries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "base/text.h"

namespace huygens::prom {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string WithoutSpace(std::string_view text) {
  std::string out;
  std::copy_if(text.begin(), text.end(), std::back_inserter(out), [](char c) { return c != ' ' && c != '\n'; });
  return out;
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// The expressions of config/prometheus/rules.yaml without space, by "RECORD{RESOURCE}".
std::map<std::string, std::string> Rules() {
  std::ifstream in(HUYGENS_SOURCE_DIR "/config/prometheus/rules.yaml");
  std::map<std::string, std::string> rules;
  std::string record, resource;
  for (std::string line; std::getline(in, line);) {
    const std::string text = WithoutSpace(line);
    if (text.starts_with("-record:")) {
      record = text.substr(8);
    } else if (text.starts_with("-name:") || text.starts_with("#")) {
      record = "";
    } else if (text.starts_with("labels:{resource:")) {
      resource = text.substr(17, text.size() - 18);
    } else if (text != "expr:|" && !record.empty()) {
      rules[Concat(record, "{", resource, "}")] += text;
    }
  }
  return rules;
}

TEST(Queries, AreWhatTheRecordingRulesRecord) {
  const auto rules = Rules();
  ASSERT_EQ(rules.size(), 12U);
  for (const std::string resource : {"cpu", "memory", "disk-io", "disk"}) {
    const Expressions expressions = ExpressionsFor(resource, {});
    const auto rule = [&](const std::string& record) { return rules.at(Concat(record, "{", resource, "}")); };
    const std::string pods = rule("huygens:pod_usage");
    const std::string recorded_pods = Concat(R"(huygens:pod_usage{resource=")", resource, R"("})");
    EXPECT_EQ(Replaced(rule("huygens:workload_usage"), recorded_pods, pods), WithoutSpace(expressions.workloads.raw));
    // What nodes use beyond their pods needs no owners.
    const std::string last = "oron(namespace,pod)(";
    const size_t begin = pods.rfind(last) + last.size();
    const std::string without_owner = pods.substr(begin, pods.size() - begin - 1);
    EXPECT_EQ(Replaced(rule("huygens:node_system_usage"), recorded_pods, without_owner),
              WithoutSpace(expressions.nodes.raw));
    EXPECT_EQ(expressions.workloads.recorded, Concat(R"(huygens:workload_usage{resource=")", resource, R"("})"));
    EXPECT_EQ(expressions.nodes.recorded, Concat(R"(huygens:node_system_usage{resource=")", resource, R"("})"));
  }
}

TEST(Queries, AskForAQuantileOfTheReplicasWhichNobodyRecords) {
  const Expressions expressions = ExpressionsFor("cpu", {}, 950'000);
  EXPECT_THAT(expressions.workloads.recorded, IsEmpty());
  EXPECT_THAT(expressions.workloads.raw,
              testing::StartsWith("quantile by (namespace, pod, node, owner_kind, owner_name) (0.95, "));
  EXPECT_EQ(expressions.nodes.recorded, ExpressionsFor("cpu", {}).nodes.recorded);
}

TEST(Queries, TakeTheOperatorsExpressions) {
  const Expressions both = ExpressionsFor("gpu", {"my_gpu", "node_gpu"});
  EXPECT_THAT(both.workloads.recorded, IsEmpty());
  EXPECT_THAT(both.nodes.recorded, IsEmpty());
  EXPECT_THAT(both.workloads.raw, HasSubstr("sum by (namespace, pod, node, owner_kind, owner_name) (my_gpu)"));
  EXPECT_THAT(both.nodes.raw, HasSubstr("sum by (node) (node_gpu)"));
  EXPECT_THAT(both.nodes.raw, HasSubstr("my_gpu"));

  const Expressions node_only = ExpressionsFor("cpu", {"", "node_cpu"});
  EXPECT_THAT(node_only.workloads.recorded, Not(IsEmpty()));
  EXPECT_THAT(node_only.nodes.recorded, IsEmpty());
  EXPECT_THAT(node_only.nodes.raw, HasSubstr("node_cpu"));
  EXPECT_THAT(node_only.nodes.raw, Not(HasSubstr(R"(id="/")")));
}

TEST(Queries, AskOnlyForRecordingsOfAResourceTheyDoNotKnow) {
  const Expressions expressions = ExpressionsFor("gpu", {});
  EXPECT_EQ(expressions.workloads.recorded, R"(huygens:workload_usage{resource="gpu"})");
  EXPECT_THAT(expressions.workloads.raw, IsEmpty());
  EXPECT_THAT(expressions.nodes.raw, IsEmpty());
}

TEST(Queries, NameTheRecordingOfASeries) {
  EXPECT_EQ(Recording({{"resource", "cpu"}, {"__name__", "huygens:node_system_usage"}}),
            ExpressionsFor("cpu", {}).nodes.recorded);
}

}  // namespace
}  // namespace huygens::prom
