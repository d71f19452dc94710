// Pods that name resources before any node does.
#include "cluster/unknown_resources.h"

#include <gtest/gtest.h>

#include "placement/placement.h"
#include "tests/cluster/build.h"

namespace huygens::placement {
namespace {

using namespace test;  // NOLINT: builders of the same words

class UnknownResourcesTest : public testing::Test {
 protected:
  static std::shared_ptr<cluster::Pod> Asking(const std::string& uid) {
    auto pod = MakePod(uid, 1);
    pod->unknown_resources = std::vector<std::string>{"made.up/other", "vendor.com/device"};
    pod->containers[0].requests.Set(kFirstUnknownResource + 1, 2);
    return pod;
  }
  int64_t Requested(const cluster::Pod& pod, ResourceId resource) { return pod.containers[0].requests.Get(resource); }

  ResourceNames names_;
  std::unique_ptr<Placement> placement_ = std::move(*Placement::Create({.resource_names = &names_}));
};

TEST_F(UnknownResourcesTest, CountOnceANodeHasThem) {
  auto bound = Asking("bound");
  bound->node_name = "n";
  placement_->Apply(cluster::PodSet{bound});
  const ResourceId device = *names_.Intern("vendor.com/device");
  cluster::Node node = MakeNode("n");
  node.allocatable = {{kCpu, 4000}, {device, 4}};
  placement_->Apply(cluster::NodeSet{node});
  EXPECT_EQ(Requested(*placement_->state().FindPod("bound"), device), 2);
  EXPECT_EQ(placement_->state().FindPlaced("bound")->pod, placement_->state().FindPod("bound"));
  EXPECT_EQ(placement_->Reconcile(10), 0u);

  // Decoded before the node was, applied after it; and what filter showed, with no word of the watch.
  placement_->Apply(cluster::PodSet{Asking("late")});
  EXPECT_EQ(Requested(*placement_->state().FindPod("late"), device), 2);
  ASSERT_TRUE(placement_->Reserve(Asking("unwatched"), "n", kNow)->Accepted());
  EXPECT_EQ(Requested(*placement_->state().FindPlaced("unwatched")->pod, device), 2);
}

TEST_F(UnknownResourcesTest, APodThatAListNamesAgainUnchangedIsLeftAlone) {
  auto bound = Asking("bound");
  bound->node_name = "n";
  placement_->Apply(cluster::PodSet{bound, 7});
  const auto before = placement_->state().FindPod("bound");
  auto again = std::make_shared<cluster::Pod>(*bound);
  placement_->Apply(cluster::PodSet{again, 7});
  EXPECT_EQ(placement_->state().FindPod("bound"), before);
}

}  // namespace
}  // namespace huygens::placement
