#include "admin/pod_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "admin_api/pod_document.h"
#include "admin_api/quota_document.h"
#include "tests/admin/admin_fixture.h"
#include "tests/admin_api/read_whole.h"

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
      R"("zone":"node0","free":{"cpu":"8"},"of":{"cpu":"8"}},"neverFits":true,"fitsAcross":true,"holdsAcross":true}]})"
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
    ExpectReadWhole<admin_api::PodDocument>(Get(Concat("/debug/pods/default/", pod)).body);
  }
  EXPECT_EQ(Get("/debug/pods/default/nobody").code, 404);
  EXPECT_EQ(Get("/debug/pods/default").code, 400);
}

TEST_F(AdminTest, APodsPageNamesTheZoneWithMostFreeBesideTheLargest) {
  AddNode("a");
  AddTopology("a", {15'000, 16'000});
  auto holder = MakePod("holder", 8000, "a");
  holder->placement_mark = {holder->uid, holder->node_name, {{1, ResourceVector{{kCpu, 8000}}}}};
  placement_->Apply(cluster::PodSet{holder});
  auto pod = MakePod("big", 17'000, "");
  pod->topology_awareness = true;
  placement_->Apply(cluster::PodSet{pod});
  Start();
  const std::string page = Get("/debug/pods/default/big").body;
  EXPECT_THAT(page, HasSubstr(R"("zone":"node1","free":{"cpu":"8"},"of":{"cpu":"16"},"freest":"node0",)"
                              R"("mostFree":{"cpu":"15"})"));
  ExpectReadWhole<admin_api::PodDocument>(page);
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
  EXPECT_EQ(Get("/debug/pods/default/grows").body,
            R"({"pod":"default/grows","uid":"uid-grows","node":"a","zones":[{"name":"node1","zone":1,)"
            R"("amount":{"cpu":"2"}}],"nodes":[]})"
            "\n")
      << "there was room for it";
  decision_.Ask([&] {
    hold("late", 1000, 1000);
    return true;
  });
  const std::string outgrown = Get("/debug/pods/default/grows").body;
  EXPECT_EQ(
      outgrown,
      R"({"pod":"default/grows","uid":"uid-grows","node":"a","zones":[{"name":"node1","zone":1,"amount":{"cpu":"2"}}],"outgrown":{"bound":{"cpu":"2"},"asks":{"cpu":"3"},)"
      R"("zones":[{"name":"node1","effective":{"cpu":"4"},"used":{"cpu":"5"}}]},"nodes":[]})"
      "\n");
  ExpectReadWhole<admin_api::PodDocument>(outgrown);
  EXPECT_THAT(Get("/debug/pods/default/beside").body, Not(HasSubstr("outgrown"))) << "it asks what it was bound with";
  EXPECT_THAT(
      Get("/debug/nodes/a").body,
      HasSubstr(R"("notices":["pods that were resized in place outgrew their zones: default/grows asks 3 cpu)"));
}

TEST_F(AdminTest, APodsPageSaysWhyWhatThePodBringsIsNotBelieved) {
  AddNode("a");
  AddTopology("a", {8000, 8000});
  const auto bind = [&](const std::string& name, bool brings, std::string_view marked_for) {
    auto pod = MakePod(name, 2000, "a");
    pod->containers[0].limits.Set(kMemory, int64_t{1} << 30);
    pod->has_topology_result = brings;
    if (!marked_for.empty()) pod->placement_mark = cluster::PlacementMark{marked_for, "a", {}};
    placement_->Apply(cluster::PodSet{pod});
  };
  bind("brought", true, "");
  bind("copied", true, "uid-another");
  bind("foreign", false, "");
  Start();
  const auto why = [&](const std::string& pod) {
    const auto page = DecodeJson<admin_api::PodDocument>(Get("/debug/pods/default/" + pod).body);
    EXPECT_TRUE(page.ok()) << page.status();
    return page.ok() ? page->no_zones : std::string();
  };
  EXPECT_THAT(why("brought"), HasSubstr("its topology-result bears no mark of huygens (huygens.dev/placement) and is "
                                        "not believed (topology.unmarkedResults: ignore)"));
  EXPECT_THAT(why("copied"), HasSubstr("was written for another pod or node and is not believed"));
  EXPECT_THAT(why("foreign"), HasSubstr("was bound without huygens: it has no topology-result"));
}

TEST_F(AdminTest, APodsPageNamesThePodsOfItsGangThatHaveNoNode) {
  placement_ = *placement::Placement::Create({.waiting_pods = 10});
  AddNode("a");
  const auto add = [&](const std::string& name, const std::string& gang, const std::string& node) {
    auto pod = MakePod(name, 100, node);
    pod->scheduling_group = gang;
    placement_->Apply(cluster::PodSet{pod});
  };
  for (const char* name : {"g7", "g6", "g5", "g4", "g3", "g2"}) add(name, "train", "");
  add("g1", "train", "a");
  add("other", "another", "");
  Start();
  const std::string page = Get("/debug/pods/default/g1").body;
  EXPECT_THAT(page, HasSubstr(R"("gang":"train","gangWaits":["default/g2","default/g3","default/g4","default/g5",)"
                              R"("default/g6"],"gangWaitsMore":1)"));
  ExpectReadWhole<admin_api::PodDocument>(page);
  EXPECT_THAT(Get("/debug/pods/default/other").body, HasSubstr(R"("gangWaits":["default/other"],)"));
  EXPECT_THAT(page, Not(HasSubstr("gangRefused")));
  decision_.Ask([&] {
    auto refused = MakePod("g4", 100, "");
    refused->scheduling_group = "train";
    const std::string_view nowhere[] = {"not-known"};
    placement_->Remember(refused, placement_->Filter(*refused, nowhere, clock_.Now()));
    return true;
  });
  EXPECT_THAT(Get("/debug/pods/default/g1").body, HasSubstr(R"("gangWaitsMore":1,"gangRefused":"default/g4")"));
  EXPECT_THAT(Get("/debug/pods/default/g4").body, Not(HasSubstr("gangRefused"))) << "which is another pod";
}

TEST_F(AdminTest, APodsPageSaysWhatItsGangNeedsAsAWhole) {
  placement_->Apply(cluster::NodeSet{
      {.name = "a", .uid = "", .allocatable = {{kCpu, 8000}, {kMemory, int64_t{64} << 30}, {kPodSlots, 110}}}});
  placement_->Apply(cluster::NodeSet{
      {.name = "b", .uid = "", .allocatable = {{kCpu, 4000}, {kMemory, int64_t{64} << 30}, {kPodSlots, 110}}}});
  placement_->Apply(cluster::PodSet{MakePod("holder", 1500, "b")});
  for (const char* name : {"g1", "g2", "g3"}) {
    auto pod = MakePod(name, 5000, "");
    pod->scheduling_group = "train";
    placement_->Apply(cluster::PodSet{pod});
  }
  Start();
  const std::string page = Get("/debug/pods/default/g1").body;
  EXPECT_THAT(page, HasSubstr(R"("gangNeeds":{"cpu":"15","memory":"3Gi"},)"));
  EXPECT_THAT(page, HasSubstr(R"("gangRoom":{"cpu":"10500m","memory":"127Gi"})"));
  ExpectReadWhole<admin_api::PodDocument>(page);
}

TEST_F(AdminTest, APodsPageKeepsToItsNodeSelectorAndSaysWhatNobodyUnderstands) {
  for (const char* node : {"fast", "slow"}) {
    placement_->Apply(cluster::NodeSet{{.name = node,
                                        .uid = "",
                                        .allocatable = {{kCpu, 8000}, {kMemory, int64_t{64} << 30}, {kPodSlots, 110}},
                                        .labels = {{"disk", node == std::string_view("fast") ? "ssd" : "hdd"}}}});
  }
  auto pod = MakePod("choosy", 1000, "");
  pod->waiting = cluster::WaitingNotes{{{"disk", "ssd"}}, {"annotation a: no"}};
  placement_->Apply(cluster::PodSet{pod});
  Start();
  const std::string page = Get("/debug/pods/default/choosy").body;
  EXPECT_EQ(page,
            R"({"pod":"default/choosy","uid":"uid-choosy","nodeSelector":"disk=ssd","notUnderstood":["annotation )"
            R"(a: no"],"nodes":[],"fits":["fast"],"notSelected":["slow"]})"
            "\n");
  ExpectReadWhole<admin_api::PodDocument>(page);
}

TEST_F(AdminTest, PagesSayOfWhatHuygensHasNotHeard) {
  AddNode("a");
  auto pod = MakePod("waits", 1000, "");
  pod->quota = std::make_shared<const cluster::QuotaLabels>(cluster::QuotaLabels{.group = "g"});
  placement_->Apply(cluster::PodSet{pod});
  not_heard_of_ = {{"nodes", 272, "cut"}};
  Start();
  for (const char* page : {"/debug/pods/default/waits", "/debug/nodes/a", "/debug/quotas/pods/default/waits"}) {
    EXPECT_THAT(Get(page).body, HasSubstr(R"("notHeardOf":[{"kind":"nodes","seconds":272,"why":"cut"}])")) << page;
  }
  ExpectReadWhole<admin_api::PodDocument>(Get("/debug/pods/default/waits").body);
  ExpectReadWhole<admin_api::NodeDocument>(Get("/debug/nodes/a").body);
  ExpectReadWhole<admin_api::PodQuotaDocument>(Get("/debug/quotas/pods/default/waits").body);
}

TEST_F(AdminTest, APodsPageNamesTheNodesThatHaveRoomByRequestsNowOrLater) {
  for (const char* node : {"empty", "full", "over", "small"}) {
    const int64_t cpus = node == std::string_view("small") ? 4000 : 8000;
    placement_->Apply(cluster::NodeSet{
        {.name = node, .uid = "", .allocatable = {{kCpu, cpus}, {kMemory, int64_t{64} << 30}, {kPodSlots, 110}}}});
  }
  placement_->Apply(cluster::PodSet{MakePod("holder", 6500, "full")});
  placement_->Apply(cluster::PodSet{MakePod("grown", 9000, "over")});
  placement_->Apply(cluster::PodSet{MakePod("waits", 5000, "")});
  Start();
  EXPECT_EQ(Get("/debug/pods/default/waits").body,
            R"({"pod":"default/waits","uid":"uid-waits","nodes":[],"fits":["empty"],"fitsLater":["full","over"],)"
            R"("room":[{"name":"full","asks":{"cpu":"5"},"unrequested":{"cpu":"1500m"}},)"
            R"({"name":"over","asks":{"cpu":"5"},"unrequested":{"cpu":"0"}}],)"
            R"("tooSmall":1})"
            "\n");
}

}  // namespace
}  // namespace huygens::admin
