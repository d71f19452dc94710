#include "admin/admin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "admin/query_string.h"
#include "admin_api/node_document.h"
#include "observe/instruments.h"
#include "tests/admin/admin_fixture.h"
#include "tests/admin_api/read_whole.h"

namespace huygens::admin {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

TEST_F(AdminTest, HealthzAnswersOkWhenTheDecisionThreadDoes) {
  Start();
  auto reply = Get("/healthz");
  EXPECT_EQ(reply.code, 200);
  EXPECT_EQ(reply.body, "ok\n");
}

TEST_F(AdminTest, AHungDecisionThreadFailsHealthzAndReadyzAndDebugButNotMetrics) {
  refresh_ = [] {};
  Start(/*hung=*/true, milliseconds(50));
  auto health = Get("/healthz");
  EXPECT_EQ(health.code, 500);
  EXPECT_EQ(health.body, "decision thread did not answer within 0.05s\n");
  EXPECT_EQ(Get("/readyz").code, 503);
  EXPECT_EQ(Get("/debug/nodes").code, 503);
  EXPECT_EQ(Get("/debug/nodes/a").code, 503);
  EXPECT_EQ(Get("/debug/decisions").code, 200);
  auto metrics = Get("/metrics");
  EXPECT_EQ(metrics.code, 200);
  EXPECT_THAT(metrics.body, HasSubstr("huygens_build_info"));
}

TEST_F(AdminTest, QuestionsThatTheDecisionLoopStillHoldsOutliveTheAdmin) {
  Start(/*hung=*/true, milliseconds(50));
  EXPECT_EQ(Get("/debug/nodes").code, 503);
  admin_.reset();
  EXPECT_GT(decision_.loop.Poll(), 0u);  // must not touch what is gone
}

TEST_F(AdminTest, ReadyzIsOkOnlyWhenEveryItemIs) {
  readiness_.items = {
      {.ok = true, .name = "pods", .detail = "synced"},
      {.ok = true, .warning = true, .name = "check usage", .detail = "is configured but not active in this version"}};
  Start();
  EXPECT_EQ(Get("/readyz").body, "ok\n");
  auto verbose = Get("/readyz?verbose");
  EXPECT_EQ(verbose.code, 200);
  EXPECT_EQ(verbose.body,
            "[+]pods synced\n[!]check usage is configured but not active in this version\nreadyz check passed\n");

  decision_.Ask([this] {
    readiness_.items.push_back({.ok = false, .name = "nodes", .detail = "not synced: connection refused"});
  });
  auto failing = Get("/readyz");
  EXPECT_EQ(failing.code, 503);
  EXPECT_THAT(failing.body, HasSubstr("[-]nodes not synced: connection refused\nreadyz check failed\n"));
}

// The rest of what /readyz?verbose says takes a walk over all nodes: nothing for every probe.
TEST_F(AdminTest, AProbeDoesNotAskForWhatItDoesNotShow) {
  Start();
  auto verbose = [this] { return decision_.Ask([this] { return asked_verbosely_; }); };
  Get("/readyz");
  EXPECT_EQ(verbose(), false);
  Get("/readyz?verbose");
  EXPECT_EQ(verbose(), true);
}

TEST_F(AdminTest, MetricsAreRefreshedOnTheDecisionThreadBeforeEachScrape) {
  int scrapes = 0;
  bool in_loop = false;
  refresh_ = [&] {
    in_loop = decision_.loop.InLoop();
    metrics_.SetPods(static_cast<size_t>(++scrapes));
  };
  Start();
  for (int scrape = 1; scrape <= 2; ++scrape) {
    auto reply = Get("/metrics");
    EXPECT_EQ(reply.code, 200);
    EXPECT_EQ(reply.content_type, observe::Instruments::kContentType);
    EXPECT_THAT(reply.body, HasSubstr(Concat("huygens_pods ", std::to_string(scrape))));
  }
  EXPECT_TRUE(in_loop);
}

TEST_F(AdminTest, UsageListsNodesAndRefusesWhatItDoesNotKnow) {
  placement_ = *placement::Placement::Create({.checks = {"usage"}, .usage = {.resources = {{.name = "cpu"}}}});
  for (int i = 0; i < 60; ++i) AddNode("n" + std::to_string(i));  // more than a slice
  Start();
  auto reply = Get("/debug/usage?limit=3&cpu=2");
  EXPECT_EQ(reply.code, 200);
  EXPECT_EQ(reply.content_type, "application/json");
  EXPECT_THAT(reply.body, testing::StartsWith(R"({"by":"cpu","check":"on",)"));
  EXPECT_THAT(reply.body, HasSubstr(R"("nodes":60,"fits":)"));
  auto wrong = Get("/debug/usage?by=gpu");
  EXPECT_EQ(wrong.code, 400);
  EXPECT_THAT(wrong.body, HasSubstr("by must be one of usage.resources (cpu)"));
}

TEST_F(AdminTest, QuotasListGroupsAndSayWhatAPodCosts) {
  placement_ = *placement::Placement::Create({.checks = {"quota"}, .resource_names = &resources_});
  for (int i = 0; i < 60; ++i) placement_->Apply(cluster::BizGroupQuotaSet{{.name = "g" + std::to_string(i)}});
  const auto labelled = R"({"metadata":{"name":"p","namespace":"shop","uid":")";
  const auto group = R"(","labels":{"biz.group.resource.quota":"g7"}},"spec":{"containers":[{"name":"c"}]}})";
  ASSERT_TRUE(pods_.Decode(Concat(labelled, "u1", group)).ok());
  ASSERT_TRUE(pods_.Decode(R"({"metadata":{"name":"p","namespace":"other","uid":"u2"}})").ok());
  auto watched = MakePod("q", 1000, "");
  watched->quota = std::make_shared<cluster::QuotaLabels>(cluster::QuotaLabels{.group = "nobody"});
  placement_->Apply(cluster::PodSet{watched});
  Start();
  auto reply = Get("/debug/quotas");
  EXPECT_EQ(reply.content_type, "application/json");
  EXPECT_THAT(reply.body, testing::StartsWith(R"({"enforcement":"placement","groups":[{"name":"g0",)"));
  EXPECT_THAT(reply.body, HasSubstr(R"({"name":"g9",)"));
  EXPECT_THAT(Get("/debug/quotas?group=g7").body,
              testing::StartsWith(R"({"enforcement":"placement","groups":[{"name":"g7",)"));
  EXPECT_EQ(Get("/debug/quotas?group=g").code, 404);
  EXPECT_EQ(Get("/debug/quotas?name=g7").body, "no parameter is called name; there are group and package\n");
  EXPECT_THAT(Get("/debug/quotas/pods/shop/p").body,
              HasSubstr(R"("group":"g7","path":"g7","models":{},"verdict":"fits")"));
  EXPECT_THAT(Get("/debug/quotas/pods/other/p").body, HasSubstr(R"("verdict":"noGroup")"));
  EXPECT_THAT(Get("/debug/quotas/pods/default/q").body, HasSubstr(R"("why":"quota bizrq/nobody: no such group")"));
  EXPECT_EQ(Get("/debug/quotas/pods/shop/q").code, 404);
  for (const char* path : {"/debug/quotas/pods/shop/", "/debug/quotas/pods/shop"}) {
    auto nameless = Get(path);
    EXPECT_EQ(nameless.code, 400) << path;
    EXPECT_EQ(nameless.body, "a pod is asked for as /debug/quotas/pods/NAMESPACE/NAME\n") << path;
  }
}

TEST_F(AdminTest, NodesShowWhatPlacedPodsRequest) {
  AddNode("a");
  AddTopology("a", {8000, 7500});
  placement_->Apply(cluster::PodSet{MakePod("p", 2500, "a")});
  placement_->Apply(cluster::PodSet{MakePod("q", 1000, "b")});  // a node that only a pod names
  Start();
  auto reply = Get("/debug/nodes");
  EXPECT_EQ(reply.content_type, "application/json");
  EXPECT_EQ(reply.body,
            R"({"nodes":[{"name":"a","known":true,"mode":"managed","allocatable":{"cpu":"15500m","memory":"64Gi"},)"
            R"("requested":{"cpu":"2500m","memory":"1Gi","pods":"1"},"pods":1},)"
            R"({"name":"b","known":false,"mode":"none","allocatable":{},)"
            R"("requested":{"cpu":"1","memory":"1Gi","pods":"1"},"pods":1}]})"
            "\n");
  ExpectReadWhole<admin_api::NodeListDocument>(reply.body);
}

TEST_F(AdminTest, ManyNodesAreListedInSlicesThatLetOtherTasksThrough) {
  constexpr size_t kNodes = 1000;
  for (size_t i = 0; i < kNodes; ++i) AddNode(Concat("node-", std::to_string(i)));
  Start(/*hung=*/true);
  net::testing::Inbox<net::HttpReply> replies;
  std::thread asking([&] { replies.Put(Get("/debug/nodes")); });
  size_t tasks = 0;
  while (replies.empty()) {
    tasks += decision_.loop.Poll();
    std::this_thread::yield();
  }
  asking.join();
  const std::string body = replies.Take().body;
  size_t listed = 0;
  for (size_t at = 0; (at = body.find("\"name\"", at)) != std::string::npos; ++at) ++listed;
  EXPECT_EQ(listed, kNodes);
  EXPECT_GE(tasks, kNodes / 100);
}

TEST_F(AdminTest, ANodeShowsItsZonesAndWhoHoldsThem) {
  AddNode("a");
  AddTopology("a", {8000, 8000});
  auto now = clock_.Now();
  auto pod = MakePod("p", 2000, "");
  ASSERT_TRUE(placement_->Reserve(pod, "a", now)->Accepted());
  Start();
  auto reply = Get("/debug/nodes/a");
  EXPECT_EQ(reply.code, 200);
  EXPECT_THAT(reply.body, HasSubstr(R"("mode":"managed")"));
  EXPECT_THAT(reply.body, HasSubstr(R"({"name":"node0","zone":0,"allocatable":{"cpu":"8"},"effective":{"cpu":"8"},)"
                                    R"("used":{"cpu":"2"},"free":{"cpu":"6"}})"));
  EXPECT_THAT(reply.body, HasSubstr(R"("pods":[{"pod":"default/p","uid":"uid-p","reservation":"reserved",)"
                                    R"("requests":{"cpu":"2","memory":"1Gi"},)"
                                    R"("zones":[{"name":"node0","zone":0,"amount":{"cpu":"2"}}]}])"));
  ExpectReadWhole<admin_api::NodeDocument>(reply.body);
  EXPECT_EQ(Get("/debug/nodes/%61").code, 200);

  EXPECT_THAT(reply.body, testing::Not(HasSubstr("\"kubelet\"")));

  auto unknown = Get("/debug/nodes/nope");
  EXPECT_EQ(unknown.code, 404);
  EXPECT_EQ(unknown.content_type, "application/json");
  EXPECT_EQ(unknown.body, "{\"error\":\"no Node called nope is known; /debug/nodes lists all\"}\n");
}

TEST_F(AdminTest, ANodeThatKubeletPinsShowsWhatIsAssumedOfKubelet) {
  AddNode("a");
  cluster::NodeTopology topology{.source = cluster::TopologySource::kCommunity, .node_name = "a"};
  topology.attributes = {{"topologyManagerPolicy", "restricted"}, {"topologyManagerScope", "pds"}};
  topology.zones.push_back({.id = 0, .name = "node-0", .allocatable = {{kCpu, 8000}}, .available = {{kCpu, 8000}}});
  placement_->Apply(cluster::TopologySet{std::move(topology)});
  Start();
  const std::string body = Get("/debug/nodes/a").body;
  EXPECT_THAT(body, HasSubstr(R"("kubelet":[{"name":"topologyManagerPolicy","value":"restricted","from":"object"},)"
                              R"({"name":"topologyManagerScope","value":"container","from":"configuration"},)"));
  EXPECT_THAT(body, HasSubstr(R"("notices":["attribute topologyManagerScope: kubelet knows no pds, so it counts as)"));
  EXPECT_THAT(body,
              HasSubstr(R"("zones":[{"name":"node-0","zone":0,"allocatable":{"cpu":"8"},"available":{"cpu":"8"},)"));
  ExpectReadWhole<admin_api::NodeDocument>(body);
}

TEST_F(AdminTest, DecisionsAreFoundByPodAndByUid) {
  auto reasons = std::make_shared<const std::vector<std::string>>(1);
  for (const char* name : {"default/a", "default/b", "default/a"}) {
    observe::Decision decision{.time = clock_.Now(), .verb = "filter", .pod = name};
    const std::string uid = Concat("uid-", name);
    decision.uid = uid;
    decision.outcome = "ok";
    ring_.Add(std::make_shared<const observe::DecisionRecord>(decision, reasons));
  }
  Start();
  auto count = [](const std::string& body) {
    size_t found = 0;
    for (size_t at = 0; (at = body.find("\"verb\"", at)) != std::string::npos; ++at) ++found;
    return found;
  };
  EXPECT_EQ(count(Get("/debug/decisions").body), 3u);
  EXPECT_EQ(count(Get("/debug/decisions?pod=default/a").body), 2u);
  EXPECT_EQ(count(Get("/debug/decisions?pod=default%2Fa&limit=1").body), 1u);
  EXPECT_EQ(count(Get("/debug/decisions?uid=uid-default/b").body), 1u);
  EXPECT_EQ(count(Get("/debug/decisions?uid=b").body), 0u) << "a name is no UID";
  auto misspelt = Get("/debug/decisions?pod=default/a&name=b");
  EXPECT_EQ(misspelt.code, 400);
  EXPECT_EQ(misspelt.body, "no parameter is called name; there are pod, uid and limit\n");
  EXPECT_EQ(Get("/debug/decisions?pod=default/c").body, "{\"decisions\":[]}\n");
  EXPECT_EQ(Get("/debug/decisions?limit=many").code, 400);
  EXPECT_EQ(Get("/debug/decisions?limit=0").code, 400);
}

TEST_F(AdminTest, SaysWhatThereIsAndWhatIsNot) {
  Start();
  EXPECT_THAT(Get("/").body, HasSubstr("/debug/decisions"));
  EXPECT_EQ(Get("/debug/quotas").body, "{\"enforcement\":\"off\",\"groups\":[]}\n");
  EXPECT_EQ(Get("/healthz/").code, 200);
  auto missing = Get("/debug/pods");
  EXPECT_EQ(missing.code, 404);
  EXPECT_THAT(missing.body, HasSubstr("nothing at /debug/pods; there is\n/healthz"));
  EXPECT_EQ(Call("POST", "/healthz").code, 405);
  EXPECT_EQ(Call("HEAD", "/healthz").code, 200);
}

TEST(QueryString, FindsAndDecodesValues) {
  EXPECT_EQ(QueryValue("pod=a%2Fb&limit=5", "pod"), "a/b");
  EXPECT_EQ(QueryValue("pod=a&limit=5", "limit"), "5");
  EXPECT_EQ(QueryValue("verbose", "verbose"), "");
  EXPECT_EQ(QueryValue("a=1&a=2", "a"), "1");
  EXPECT_EQ(QueryValue("ab=1", "a"), std::nullopt);
  EXPECT_EQ(QueryValue("", "a"), std::nullopt);
}

}  // namespace
}  // namespace huygens::admin
