// Bound pods that are to grow in place and wait for room to do so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/placement/woken.h"

namespace huygens::placement {
namespace {

using namespace test;  // NOLINT: builders of the same words
using testing::ElementsAre;
using testing::IsEmpty;

// A node of one zone.
class ResizeWakeTest : public testing::Test {
 protected:
  ResizeWakeTest() { placement_->Apply(cluster::NodeSet{MakeNode("n0")}); }
  void Give(int64_t cpus) { placement_->Apply(cluster::TopologySet{MakeTopology("n0", {cpus * 1000})}); }
  void Reject(const std::shared_ptr<cluster::Pod>& pod) {
    const std::string_view names[] = {"n0"};
    const FilterAnswer answer = placement_->Filter(*pod, names, kNow);
    ASSERT_TRUE(answer.feasible.empty());
    placement_->Remember(pod, answer);
  }
  void Bind(const std::string& uid, int64_t cpus) {
    ASSERT_TRUE(placement_->Reserve(MakePod(uid, cpus), "n0", kNow)->Accepted());
  }
  // A pod that asks one zone for so many CPUs in its only app container.
  static std::shared_ptr<cluster::Pod> Asking(const std::string& uid, int64_t cpus) {
    auto pod = MakePod(uid, cpus);
    pod->topology_awareness = true;
    return pod;
  }
  // Bound, and from 2 CPUs to grow to so many.
  static std::shared_ptr<cluster::Pod> Growing(int64_t cpus) {
    auto pod = Asking("grows", cpus);
    pod->node_name = "n0";
    pod->containers[0].status.emplace() = {.requests = kTwo, .limits = kTwo, .allocated = kTwo};
    return pod;
  }
  std::vector<std::string> Search() { return Woken(search_); }
  size_t Waiting() const { return placement_->waiting().size(); }

  static inline const ResourceVector kTwo{{kCpu, 2000}}, kFour{{kCpu, 4000}};
  std::unique_ptr<Placement> placement_ = *Placement::Create({.waiting_pods = 100});
  WakeSearch search_{*placement_, 16};
};

TEST_F(ResizeWakeTest, ABoundPodThatIsToGrowInPlaceWaitsUntilItHas) {
  Give(4);
  Bind("beside", 2);
  const auto grows = Growing(4);
  placement_->Apply(cluster::PodSet{grows});
  Reject(grows);
  EXPECT_THAT(Search(), IsEmpty());
  placement_->Release("beside");
  for (int i = 0; i < 2; ++i) placement_->waiting().Remind(0, 1);  // kube-scheduler has had its own chance
  EXPECT_THAT(Search(), ElementsAre("grows"));
  auto grown = std::make_shared<cluster::Pod>(*grows);
  grown->containers[0].status.reset();
  placement_->Apply(cluster::PodSet{grown});
  Give(5);
  EXPECT_THAT(Search(), IsEmpty());
  EXPECT_EQ(Waiting(), 0u);
}

TEST_F(ResizeWakeTest, WhatItHoldsIsNotCountedTwiceWhereAnotherIsToFitBesideIt) {
  Give(4);
  Bind("beside", 2);
  auto grows = Growing(4);
  grows->placement_mark = {grows->uid, grows->node_name, {{0, kTwo}}};
  placement_->Apply(cluster::PodSet{grows});
  Reject(std::make_shared<cluster::Pod>(*grows));  // decoded from the question of kube-scheduler
  Reject(Asking("b", 3));
  Give(9);
  EXPECT_THAT(Search(), ElementsAre("grows", "b")) << "2 + 4 + 3";
  EXPECT_EQ(placement_->Reconcile(1), 0u);
}

TEST_F(ResizeWakeTest, LookingWhetherAnotherFitsBesideItLeavesTheAccountsAsTheyWere) {
  Give(2);
  const auto grows = Growing(4);
  placement_->Apply(cluster::PodSet{grows});
  Reject(std::make_shared<cluster::Pod>(*grows));
  Reject(Asking("b", 3));
  Give(20);
  EXPECT_THAT(Search(), ElementsAre("grows", "b"));
  EXPECT_EQ(placement_->Reconcile(1), 0u);
}

TEST_F(ResizeWakeTest, OneOfWhichASidecarOrThePodLevelIsToGrowWaitsLikewise) {
  const ResourceVector one{{kCpu, 1000}};
  auto sidecar = Asking("sidecar", 4);
  sidecar->init_containers.push_back({.name = "s", .requests = kTwo, .limits = kTwo, .restartable = true});
  sidecar->init_containers[0].status.emplace() = {.requests = one, .limits = one, .allocated = one};
  auto level = Asking("level", 0);
  level->containers[0].requests = level->containers[0].limits = {};
  level->pod_level = cluster::PodResources{kFour, kFour};
  level->pod_level_status = cluster::PodResources{kTwo, kTwo};
  level->pod_level_allocated = kTwo;
  for (const auto& grows : {sidecar, level}) {
    grows->node_name = "n0";
    Give(3);
    placement_->Apply(cluster::PodSet{grows});
    Reject(grows);
    Give(4);
    EXPECT_THAT(Search(), ElementsAre(std::string_view(grows->uid)));
    auto grown = std::make_shared<cluster::Pod>(*grows);
    for (auto& container : grown->init_containers) container.status.reset();
    grown->pod_level_status = grown->pod_level;
    placement_->Apply(cluster::PodSet{grown});
    Give(5);
    EXPECT_THAT(Search(), IsEmpty()) << grows->uid;
    EXPECT_EQ(Waiting(), 0u) << grows->uid;
  }
}

TEST_F(ResizeWakeTest, WhatAnInitContainerTookOrThePodLevelGivesBackIsNothingToWaitFor) {
  Give(2);
  auto init = Asking("init", 4);
  init->init_containers.push_back({.name = "i", .requests = kFour, .limits = kFour});
  init->init_containers[0].status.emplace() = {.requests = kTwo, .limits = kTwo, .allocated = kTwo};
  auto shrinks = Asking("shrinks", 4);
  shrinks->pod_level = cluster::PodResources{kFour, kFour};
  shrinks->pod_level_status = cluster::PodResources{kFour, kFour};
  shrinks->pod_level_allocated = {{kCpu, 6000}};
  for (const auto& pod : {init, shrinks}) {
    pod->node_name = "n0";
    placement_->Apply(cluster::PodSet{pod});
    Reject(pod);
  }
  EXPECT_EQ(Waiting(), 2u);
  Give(5);
  EXPECT_THAT(Search(), IsEmpty());
  EXPECT_EQ(Waiting(), 0u);
}

}  // namespace
}  // namespace huygens::placement
