#include "quota/workload_kinds.h"

#include <gtest/gtest.h>

namespace huygens::quota {
namespace {

TEST(WorkloadKinds, PodsThatOutliveTheirWorkStayCharged) {
  Workload job{.group = "batch", .kind = "Job", .parallelism = 4, .active = 2, .terminating = 1, .finished = true};
  EXPECT_EQ(ChargedPods(job)->at(0), 3);
  job.active = job.terminating = 0;
  EXPECT_EQ(ChargedPods(job)->at(0), 0);
  const Workload training{.group = "kubeflow.org",
                          .kind = "TFJob",
                          .finished = true,
                          .roles = {{.name = "PS", .replicas = 2, .active = 2}, {.name = "Worker", .replicas = 8}}};
  EXPECT_EQ(*ChargedPods(training), (std::vector<int64_t>{2, 0}));
}

TEST(WorkloadKinds, NoKindHasFewerThanNoPods) {
  EXPECT_EQ(ChargedPods({.group = "apps.kruise.io", .kind = "CloneSet", .replicas = -3})->at(0), 0);
  EXPECT_EQ(ChargedPods({.group = "argoproj.io", .kind = "Rollout", .replicas = -3}, {.include_surge = true})->at(0),
            0);
  EXPECT_EQ(ChargedPods({.group = "batch", .kind = "Job", .parallelism = -3, .completions = 2})->at(0), 0);
}

TEST(WorkloadKinds, ScaleMovesTheWorkers) {
  Workload training{.group = "kubeflow.org",
                    .kind = "PyTorchJob",
                    .roles = {{.name = "Master"}, {.name = "Worker", .replicas = 2, .max_replicas = 4}}};
  Scale(training, 3);
  EXPECT_EQ(*ChargedPods(training), (std::vector<int64_t>{1, 4})) << "its autoscaler may go there anyway";
  Scale(training, 6);
  EXPECT_EQ(*ChargedPods(training), (std::vector<int64_t>{1, 6}));
  Workload deployment{.group = "apps", .kind = "Deployment", .replicas = 1};
  Scale(deployment, 5);
  EXPECT_EQ(ChargedPods(deployment)->at(0), 5);
}

TEST(WorkloadKinds, ResourcesOfTheKindsAreKnown) {
  EXPECT_TRUE(IsKnownResource("apps", "deployments"));
  EXPECT_TRUE(IsKnownResource("kubeflow.org", "pytorchjobs"));
  EXPECT_FALSE(IsKnownResource("apps", "deployment"));
  EXPECT_FALSE(IsKnownResource("example.com", "deployments"));
}

}  // namespace
}  // namespace huygens::quota
