#include "informer/followed_workloads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/fake/api_server.h"
#include "tests/observe/captured_log.h"

namespace huygens::informer {
namespace {

using testing::ElementsAre;
using workloads::WorkloadObject;

std::string Workload(std::string_view kind, std::string_view name, std::string_view group, std::string_view replicas) {
  const std::string_view version = kind == "Rollout" ? "argoproj.io/v1alpha1" : "apps/v1";
  return Concat(R"({"apiVersion":")", version, R"(","kind":")", kind, R"(","metadata":{"namespace":"shop","name":")",
                name, R"(","uid":"of-)", name, R"(","labels":{"biz.group.resource.quota":")", group,
                R"("}},"spec":{"replicas":)", replicas,
                R"(,"template":{"spec":{"containers":[{"name":"app","resources":{"limits":{"cpu":"1"}}}]}}}})");
}

class FollowedWorkloadsTest : public testing::Test {
 protected:
  FollowedWorkloadsTest() {
    followed_.Call([this](const WorkloadObject* before, const WorkloadObject* after) {
      const auto replicas = [](const WorkloadObject* each) {
        return each == nullptr ? std::string("-") : std::to_string(each->counted.replicas.value_or(1));
      };
      changes_.push_back(
          Concat((after != nullptr ? after : before)->name, " ", replicas(before), ">", replicas(after)));
    });
  }

  void Start() {
    ASSERT_TRUE(followed_.Start(api_.Options()).ok());
    while (!followed_.Complete()) loop_.Poll();
  }
  void Await(size_t changes) {
    while (changes_.size() < changes) loop_.Poll();
  }
  std::vector<std::string> Of(std::string_view group) const {
    std::vector<std::string> names;
    followed_.index().ForEachOf(group, [&](const WorkloadObject& each) { names.push_back(each.name); });
    return names;
  }

  fake::ApiServer api_;
  net::EventLoop loop_;
  observe::CapturedLog captured_;
  observe::Metrics metrics_{{.version = "test", .reject_reasons = {}, .workloads = true}};
  ResourceNames names_;
  std::vector<std::string> changes_;
  FollowedWorkloads followed_{names_, loop_, captured_.log, metrics_};
};

TEST_F(FollowedWorkloadsTest, KnowsWorkloadsOfAllKindsThatThereAre) {
  EXPECT_THAT(followed_.NotReady(), testing::StartsWith("waiting for the first list of replicationcontrollers, "));
  api_.Put(Workload("Deployment", "web", "team", "3"));
  api_.Put(Workload("StatefulSet", "db", "team", "2"));
  api_.Put(Workload("Deployment", "free", "", "1"));
  Start();
  EXPECT_EQ(followed_.NotReady(), "");
  EXPECT_THAT(Of("team"), ElementsAre("db", "web"));
  EXPECT_THAT(Of(""), ElementsAre());
  ASSERT_NE(followed_.index().ByName("apps", "Deployment", "shop", "free"), nullptr);
  // A kind without a definition is empty first, and said to be absent thereafter.
  while (followed_.Describe().size() > 5) loop_.Poll();
  std::vector<std::string> kinds;
  for (const auto& item : followed_.Describe()) kinds.push_back(item.name);
  EXPECT_THAT(kinds, ElementsAre("replicationcontrollers", "deployments.apps", "replicasets.apps", "statefulsets.apps",
                                 "jobs.batch"));
}

TEST_F(FollowedWorkloadsTest, TellsWhatChangesAndGoes) {
  Start();
  api_.Put(Workload("Deployment", "web", "team", "3"));
  Await(1);
  api_.Put(Workload("Deployment", "web", "other", "5"));
  Await(2);
  EXPECT_THAT(Of("team"), ElementsAre());
  EXPECT_THAT(Of("other"), ElementsAre("web"));
  api_.Delete(fake::kDeployments, "shop", "web");
  Await(3);
  EXPECT_THAT(changes_, ElementsAre("web ->3", "web 3>5", "web 5>-"));
  EXPECT_EQ(followed_.index().size(), 0U);
}

TEST_F(FollowedWorkloadsTest, ForgetsWhatAListDoesNotNameAndKeepsWhatCannotBeRead) {
  api_.Put(Workload("Deployment", "gone", "team", "1"));
  api_.Put(Workload("Deployment", "odd", "team", "2"));
  Start();
  ASSERT_TRUE(api_.AwaitWatch(fake::kDeployments));
  api_.Silence(fake::kDeployments, true);
  api_.Delete(fake::kDeployments, "shop", "gone");
  api_.Put(Workload("Deployment", "odd", "team", "\"many\""));
  api_.Compact();
  api_.Silence(fake::kDeployments, false);
  api_.CutWatches(fake::kDeployments);
  Await(3);
  EXPECT_THAT(changes_, ElementsAre("gone ->1", "odd ->2", "gone 1>-"));
  EXPECT_THAT(Of("team"), ElementsAre("odd"));
  EXPECT_THAT(captured_.Lines(), testing::Contains(testing::HasSubstr("kind=deployments.apps object=shop/odd fault=")));
}

}  // namespace
}  // namespace huygens::informer
