#include "admin/pod_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "admin/pod_document.h"
#include "tests/admin/admin_fixture.h"
#include "tests/admin/read_whole.h"

namespace huygens::admin {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST_F(AdminTest, APodsPageSaysWhatEachNodeLacks) {
  placement_->Apply(cluster::NodeSet{
      {.name = "a", .uid = "", .allocatable = {{kCpu, 16'000}, {kMemory, int64_t{64} << 30}, {kPodSlots, 110}}}});
  AddTopology("a", {8000, 8000});
  auto pod = MakePod("big", 9000, "");
  pod->topology_awareness = true;
  placement_->Apply(cluster::PodSet{pod});
  placement_->Apply(cluster::PodSet{MakePod("plain", 1500, "a")});
  Start();
  const std::string big = Get("/debug/pods/default/big").body;
  EXPECT_EQ(
      big,
      R"({"pod":"default/big","uid":"uid-big","nodes":[{"name":"a","reason":"node(s) had insufficient resource of )"
      R"(NUMA node: too small even when empty","cause":"zones_too_small","why":"needs 9 cpu in one zone, as the pod asks; )"
      R"(largest node0: 8 of 8 free; too small even when empty; over several zones it would fit","figures":{"needs":{"cpu":"9"},"oneZone":true,)"
      R"("zone":"node0","free":{"cpu":"8"},"of":{"cpu":"8"}},"neverFits":true,"fitsAcross":true}]})"
      "\n");
  EXPECT_EQ(Get("/debug/pods/default/plain").body,
            R"({"pod":"default/plain","uid":"uid-plain","node":"a","noZones":"container app asks for 1500m cpu, which )"
            R"(is no whole number","nodes":[]})"
            "\n");
  decision_.Ask([this] {
    placement_->Apply(cluster::TopologyGone{cluster::TopologySource::kCrane, "a"});
    (void)placement_->AgeLosses(std::chrono::seconds(0));
    (void)placement_->AgeLosses(std::chrono::seconds(90));
    return true;
  });
  EXPECT_EQ(
      Get("/debug/pods/default/big").body,
      R"({"pod":"default/big","uid":"uid-big","nodes":[{"name":"a","reason":"node(s) lost their NRT",)"
      R"-("cause":"lost_topology","why":"its NodeResourceTopology was deleted 90 s ago; pods that need zones wait for it, 510 s more at most (topology.lossGrace: 10m)",)-"
      R"("lossLeftSeconds":510,"lossGraceSeconds":600}]})"
      "\n")
      << "which is no reason why it would never fit";
  EXPECT_THAT(Get("/debug/nodes/a").body,
              HasSubstr(R"("lostTopology":true,"lossLeftSeconds":510,"lossGraceSeconds":600,"zones":[)"));
  for (const char* pod : {"big", "plain"}) {
    ExpectReadWhole<PodDocument>(Get(Concat("/debug/pods/default/", pod)).body);
  }
  EXPECT_EQ(Get("/debug/pods/default/nobody").code, 404);
  EXPECT_EQ(Get("/debug/pods/default").code, 400);
}

TEST_F(AdminTest, APodsPageSaysThatItOutgrewItsZones) {
  AddNode("a");
  AddTopology("a", {4000, 4000});
  const auto hold = [&](const std::string& name, int64_t bound, int64_t asks) {
    auto pod = MakePod(name, asks, "a");
    pod->containers[0].limits.Set(kMemory, int64_t{1} << 30);
    pod->placement_mark = {pod->uid, pod->node_name, {{1, ResourceVector{{kCpu, bound}}}}};
    placement_->Apply(cluster::PodSet{pod});
  };
  hold("grows", 2000, 3000);
  hold("beside", 1000, 1000);
  Start();
  EXPECT_EQ(Get("/debug/pods/default/grows").body, R"({"pod":"default/grows","uid":"uid-grows","node":"a","nodes":[]})"
                                                   "\n")
      << "there was room for it";
  decision_.Ask([&] {
    hold("late", 1000, 1000);
    return true;
  });
  const std::string outgrown = Get("/debug/pods/default/grows").body;
  EXPECT_EQ(outgrown,
            R"({"pod":"default/grows","uid":"uid-grows","node":"a","outgrown":{"bound":{"cpu":"2"},"asks":{"cpu":"3"},)"
            R"("zones":[{"name":"node1","effective":{"cpu":"4"},"used":{"cpu":"5"}}]},"nodes":[]})"
            "\n");
  ExpectReadWhole<PodDocument>(outgrown);
  EXPECT_THAT(Get("/debug/pods/default/beside").body, Not(HasSubstr("outgrown"))) << "it asks what it was bound with";
  EXPECT_THAT(
      Get("/debug/nodes/a").body,
      HasSubstr(R"("notices":["pods that were resized in place outgrew their zones: default/grows asks 3 cpu)"));
}

TEST_F(AdminTest, APodsPageNamesTheNodesThatHaveRoomByRequestsNowOrLater) {
  for (const char* node : {"empty", "full", "small"}) {
    const int64_t cpus = node == std::string_view("small") ? 4000 : 8000;
    placement_->Apply(cluster::NodeSet{
        {.name = node, .uid = "", .allocatable = {{kCpu, cpus}, {kMemory, int64_t{64} << 30}, {kPodSlots, 110}}}});
  }
  placement_->Apply(cluster::PodSet{MakePod("holder", 6500, "full")});
  placement_->Apply(cluster::PodSet{MakePod("waits", 5000, "")});
  Start();
  EXPECT_EQ(Get("/debug/pods/default/waits").body,
            R"({"pod":"default/waits","uid":"uid-waits","nodes":[],"fits":["empty"],"fitsLater":["full"],)"
            R"("tooSmall":1})"
            "\n");
}

}  // namespace
}  // namespace huygens::admin
