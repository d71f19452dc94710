#include "usage_sources/queries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <vector>

#include "base/text.h"

namespace huygens::usage_sources {
namespace {

using ::testing::Each;
using ::testing::EndsWith;
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
      resource = "";
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
  ASSERT_EQ(rules.size(), 13U);
  const std::string owners = rules.at("huygens:pod_owner{}");
  EXPECT_EQ(owners, WithoutSpace(OwnerSeries({})));
  for (const std::string resource : {"cpu", "memory", "disk-io", "disk"}) {
    const Expressions expressions = ExpressionsFor(resource, {});
    const auto rule = [&](const std::string& record) { return rules.at(Concat(record, "{", resource, "}")); };
    const std::string pods = rule("huygens:pod_usage");
    EXPECT_EQ(pods, WithoutSpace(PodSeries(resource, {})));
    const std::string recorded_pods = Concat(R"(huygens:pod_usage{resource=")", resource, R"("})");
    EXPECT_EQ(Replaced(Replaced(rule("huygens:workload_usage"), recorded_pods, pods), "huygens:pod_owner", owners),
              WithoutSpace(expressions.workloads.raw));
    EXPECT_EQ(Replaced(rule("huygens:node_system_usage"), recorded_pods, pods), WithoutSpace(expressions.nodes.raw));
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

TEST(Queries, SayOfWhichNodesPodsAloneAreMeasured) {
  const Expressions pods_only = ExpressionsFor("gpu", {"my_gpu", ""});
  EXPECT_EQ(pods_only.nodes.raw,
            "sum by (node) (sum by (namespace, pod, node, owner_kind, owner_name) (my_gpu)) * NaN");
  EXPECT_THAT(pods_only.nodes.recorded, IsEmpty());
  EXPECT_THAT(ExpressionsFor("cpu", {"my_cpu", ""}).nodes.raw, HasSubstr(R"(id="/")")) << "the usual series";
}

TEST(Queries, AskOnlyForRecordingsOfAResourceTheyDoNotKnow) {
  const Expressions expressions = ExpressionsFor("gpu", {});
  EXPECT_EQ(expressions.workloads.recorded, R"(huygens:workload_usage{resource="gpu"})");
  EXPECT_THAT(expressions.workloads.raw, IsEmpty());
  EXPECT_THAT(expressions.nodes.raw, IsEmpty());
}

// The selectors in PromQL: whatever stands in braces.
std::vector<std::string> SelectorsIn(const std::string& query) {
  std::vector<std::string> selectors;
  for (size_t at = query.find('{'); at != std::string::npos; at = query.find('{', at + 1)) {
    selectors.push_back(query.substr(at + 1, query.find('}', at) - at - 1));
  }
  return selectors;
}

TEST(Queries, PutTheMatchersIntoEverySelector) {
  const Scope scope{.matchers = {R"(cluster="prod")", R"(region=~"eu-.*")"}, .replica_labels = {}};
  for (const std::string resource : {"cpu", "memory", "disk-io", "disk"}) {
    const Expressions plain = ExpressionsFor(resource, {}),
                      scoped = ExpressionsFor(resource, {}, usage::kMillion, scope);
    for (const auto& [with, without] : {std::pair(scoped.workloads.raw, plain.workloads.raw),
                                        {scoped.nodes.raw, plain.nodes.raw},
                                        {scoped.workloads.recorded, plain.workloads.recorded},
                                        {scoped.nodes.recorded, plain.nodes.recorded}}) {
      EXPECT_THAT(SelectorsIn(with), Each(EndsWith(R"(cluster="prod",region=~"eu-.*")")));
      std::string removed = Replaced(with, R"(,cluster="prod",region=~"eu-.*")", "");
      EXPECT_EQ(Replaced(removed, R"({cluster="prod",region=~"eu-.*"})", ""), without);
    }
  }
  EXPECT_THAT(SelectorsIn(RecordingsQuery(scope)), Each(EndsWith(R"(region=~"eu-.*")")));
  EXPECT_EQ(Recording({{"__name__", "huygens:workload_usage"}, {"resource", "cpu"}}, scope),
            ExpressionsFor("cpu", {}, usage::kMillion, scope).workloads.recorded);
}

TEST(Queries, CountTheCopiesOfAnOperatorsSeriesOnce) {
  const Scope scope{.matchers = {R"(cluster="prod")"}, .replica_labels = {"prometheus_replica", "replica"}};
  const Expressions both = ExpressionsFor("gpu", {"my_gpu", "node_gpu"}, usage::kMillion, scope);
  EXPECT_THAT(both.workloads.raw, HasSubstr("(max without (prometheus_replica, replica) (my_gpu))"));
  EXPECT_THAT(both.nodes.raw, HasSubstr("(max without (prometheus_replica, replica) (node_gpu))"));
  EXPECT_THAT(both.nodes.raw, Not(HasSubstr("prod"))) << "as the operator wrote it";
}

TEST(Queries, AskForPartsOfWorkloads) {
  const Part part = Part().Split(true)[1];
  const Expression expression = WorkloadsIn(part, "cpu", usage::kMillion, {});
  EXPECT_EQ(expression.recorded, Concat(R"(huygens:workload_usage{resource="cpu",)", part.name.Matcher("pod"), "}"));
  for (const std::string& selector : SelectorsIn(expression.raw)) {
    EXPECT_THAT(selector, HasSubstr(part.name.Matcher("namespace")));
  }
  // Where pods cannot be told apart any more, by owner.
  Part smallest;
  while (smallest.owner.all()) smallest = smallest.Split(true).front();
  EXPECT_THAT(WorkloadsIn(smallest, "cpu", usage::kMillion, {}).recorded, HasSubstr(R"(,pod="",owner_name=~")"));
  while (!smallest.Split(false).empty()) smallest = smallest.Split(false).front();
}

TEST(Queries, NameTheRecordingOfASeries) {
  EXPECT_EQ(Recording({{"resource", "cpu"}, {"__name__", "huygens:node_system_usage"}}),
            ExpressionsFor("cpu", {}).nodes.recorded);
}

}  // namespace
}  // namespace huygens::usage_sources
