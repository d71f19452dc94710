// The stand-in against a scripted extender on real sockets.
#include "cli/stand_in_scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/place_report.h"
#include "json/append.h"
#include "reports/node_report.h"
#include "tests/net/fixture.h"

namespace huygens::cli {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

PodManifest MakePod(const std::string& name, int64_t cpus) {
  PodManifest pod;
  pod.pod.name = name;
  pod.pod.namespace_name = "default";
  pod.pod.uid = Concat("uid-", name);
  pod.pod.containers.push_back({"app", {{kCpu, cpus * 1000}}, {}, false});
  pod.json = Concat(R"({"metadata":{"name":")", name, R"("}})");
  return pod;
}

// Plays both servers of a huygens: answers what the maps say, and remembers what it was asked.
class ScriptedHuygens {
 public:
  ScriptedHuygens()
      : server_({}, [this](const net::Request& request, const net::Respond& respond) { Handle(request, respond); }) {}

  Remote Open() { return *Remote::Open({.url = server_.Url(), .flag = "--url"}); }
  void Script(const std::string& path, std::string answer, int status = 200) {
    server_.thread.Ask([&] { answers_[path] = {status, "application/json", std::move(answer)}; });
  }
  std::vector<std::string> Asked() {
    return server_.thread.Ask([this] { return std::exchange(asked_, {}); });
  }

 private:
  void Handle(const net::Request& request, const net::Respond& respond) {
    asked_.push_back(Concat(request.method, " ", request.path, " ", request.body));
    auto answer = answers_.find(std::string(request.path));
    respond(answer == answers_.end() ? net::Response{404, "text/plain", "nothing here\n"} : answer->second);
  }

  std::map<std::string, net::Response> answers_;
  std::vector<std::string> asked_;
  net::testing::TestServer server_;
};

class StandIn : public testing::Test {
 protected:
  StandIn() {
    huygens_.Script(
        "/debug/nodes",
        R"({"nodes":[{"name":"c","known":true,"allocatable":{"cpu":"8","pods":"9"},"requested":{}},)"
        R"({"name":"a","known":true,"allocatable":{"cpu":"8","pods":"9"},"requested":{"cpu":"500m","pods":"1"}},)"
        R"({"name":"b","known":true,"allocatable":{"cpu":"8","pods":"1"},"requested":{"cpu":"1","pods":"1"}},)"
        R"({"name":"ghost","known":false,"allocatable":{},"requested":{}}]})");
    for (const char* node : {"a", "b", "c"}) {
      huygens_.Script(Concat("/debug/nodes/", node), R"({"pods":[{"uid":"other","zones":[]},{"uid":"uid-p","zones":)"
                                                     R"([{"name":"node0","zone":0,"amount":{"cpu":"4"}}]}]})");
    }
    Filter(R"(["a","c"])");
    huygens_.Script("/prioritize", R"([{"Host":"a","Score":3},{"Host":"c","Score":3}])");
    huygens_.Script("/bind", R"({"Error":""})");
  }
  void Filter(const std::string& names, const std::string& failed = "{}", const std::string& error = "") {
    huygens_.Script("/filter", Concat(R"({"Nodes":null,"NodeNames":)", names, R"(,"FailedNodes":)", failed,
                                      R"(,"FailedAndUnresolvableNodes":{},"Error":")", error, "\"}"));
  }
  PodOutcome Place(const PodManifest& pod) {
    auto outcome = scheduler_.Place(pod);
    EXPECT_TRUE(outcome.ok()) << outcome.status();
    return outcome.ok() ? *outcome : PodOutcome{};
  }

  ScriptedHuygens huygens_;
  ResourceNames names_;
  Remote verbs_ = huygens_.Open();
  Remote admin_ = huygens_.Open();
  StandInScheduler scheduler_{verbs_, admin_, names_};
};

TEST_F(StandIn, AsksFilterPrioritizeBindAboutTheNodesThatFitByRequests) {
  ASSERT_TRUE(scheduler_.Start().ok());
  huygens_.Asked();
  PodOutcome outcome = Place(MakePod("p", 4));
  EXPECT_THAT(huygens_.Asked(),
              ElementsAre(R"(POST /filter {"Pod":{"metadata":{"name":"p"}},"Nodes":null,"NodeNames":["a","c"]})",
                          R"(POST /prioritize {"Pod":{"metadata":{"name":"p"}},"Nodes":null,"NodeNames":["a","c"]})",
                          R"(POST /bind {"PodName":"p","PodNamespace":"default","PodUID":"uid-p","Node":"a"})",
                          "GET /debug/nodes/a "));
  EXPECT_EQ(outcome.node, "a");  // a tie goes to the first by name
  EXPECT_EQ(outcome.score, 3);
  EXPECT_EQ(reports::ToText(outcome.zones), "node0: 4 cpu");
  EXPECT_THAT(outcome.refusals, ElementsAre(Pair("b", "Too many pods")));
}

TEST_F(StandIn, TakesTheHighestScore) {
  ASSERT_TRUE(scheduler_.Start().ok());
  huygens_.Script("/prioritize", R"([{"Host":"a","Score":2},{"Host":"c","Score":9}])");
  EXPECT_EQ(Place(MakePod("p", 1)).node, "c");
}

TEST_F(StandIn, APodThatIsThereAlreadyStaysAndIsNotCountedTwice) {
  huygens_.Script("/debug/nodes", R"({"nodes":[{"name":"a","known":true,"allocatable":{"cpu":"8","pods":"9"},)"
                                  R"("requested":{"cpu":"4","pods":"1"},"pods":2}]})");
  ASSERT_TRUE(scheduler_.Start().ok());
  huygens_.Asked();
  const PodOutcome outcome = Place(MakePod("p", 5));
  EXPECT_THAT(huygens_.Asked(), IsEmpty());
  EXPECT_EQ(outcome.node, "a");
  EXPECT_TRUE(outcome.placed_before);
  EXPECT_EQ(reports::ToText(outcome.zones), "node0: 4 cpu");
  EXPECT_THAT(PlaceTable({outcome}), AllOf(HasSubstr("was there before\n"),
                                           HasSubstr("\n1 of 1 pods placed (1 of them before), 0 without a node.\n")));
}

TEST_F(StandIn, ARefusalForZonesHasFiguresAndTellsTakenFromTooSmall) {
  ASSERT_TRUE(scheduler_.Start().ok());
  Filter("[]", R"({"a":"node(s) had insufficient resource of NUMA node"},"FailedAndUnresolvableNodes":{)"
               R"("c":"node(s) had insufficient resource of NUMA node"},"Ignored":{})");
  huygens_.Script(
      "/debug/pods/default/p",
      R"({"uid":"uid-p","nodes":[)"
      R"({"name":"a","reason":"node(s) had insufficient resource of NUMA node: taken by other pods",)"
      R"("why":"needs 7 cpu in one zone, as the node asks; freest node1: 5 of 8 free; taken by other pods"},)"
      R"({"name":"c","reason":"node(s) had insufficient resource of NUMA node: too small even when empty"}]})");
  const PodOutcome outcome = Place(MakePod("p", 7));
  EXPECT_EQ(WhyNot(outcome),
            "0/3 nodes are available: 1 Too many pods, 1 node(s) had insufficient resource of NUMA node: taken by "
            "other pods, 1 node(s) had insufficient resource of NUMA node: too small even when empty. "
            "a: needs 7 cpu in one zone, as the node asks; freest node1: 5 of 8 free; taken by other pods.");
  EXPECT_THAT(PlaceJson({outcome}),
              HasSubstr(R"("why":"needs 7 cpu in one zone, as the node asks; freest node1: 5 of 8 free)"));
}

TEST_F(StandIn, ChargesWhatItPlaced) {
  ASSERT_TRUE(scheduler_.Start().ok());
  EXPECT_EQ(Place(MakePod("p", 4)).node, "a");
  Filter(R"(["c"])");
  PodOutcome second = Place(MakePod("q", 4));  // 500m + 4 + 4 is more than the 8 of a
  EXPECT_EQ(second.node, "c");
  EXPECT_THAT(second.refusals, ElementsAre(Pair("a", "Insufficient cpu"), Pair("b", "Too many pods")));
}

TEST_F(StandIn, APodThatFitsNowhereIsAnOutcomeThatReadsLikeKubeSchedulersEvent) {
  ASSERT_TRUE(scheduler_.Start().ok());
  Filter(
      "[]",
      R"({"c":"node(s) had insufficient resource of NUMA node","a":"node(s) had insufficient resource of NUMA node"})");
  PodOutcome outcome = Place(MakePod("p", 7));
  EXPECT_EQ(outcome.node, "");
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(WhyNot(outcome),
            "0/3 nodes are available: 1 Too many pods, 2 node(s) had insufficient resource of NUMA node.");

  huygens_.Asked();
  outcome = Place(MakePod("huge", 100));
  EXPECT_THAT(huygens_.Asked(), ElementsAre());  // kube-scheduler does not ask an extender about no node
  EXPECT_EQ(WhyNot(outcome), "0/3 nodes are available: 1 Too many pods, 3 Insufficient cpu.");
}

TEST_F(StandIn, APodThatItsBusinessGroupRefusesShowsTheFigures) {
  ASSERT_TRUE(scheduler_.Start().ok());
  Filter("[]", R"({"a":"out of quota","c":"out of quota"})");
  huygens_.Script("/debug/quotas/pods/default/p", R"({"verdict":"refused","why":"quota bizrq/t: cpu used 4 of 4"})");
  PodManifest pod = MakePod("p", 1);
  pod.pod.quota = std::make_shared<cluster::QuotaLabels>(cluster::QuotaLabels{.group = "t"});
  const PodOutcome outcome = Place(pod);
  EXPECT_EQ(WhyNot(outcome),
            "0/3 nodes are available: 1 Too many pods, 2 out of quota. quota bizrq/t: cpu used 4 of 4.");
  huygens_.Script("/debug/quotas/pods/default/p",
                  R"({"verdict":"refused","why":"quota bizrq/t: no such group","nearestGroup":"tt"})");
  EXPECT_THAT(WhyNot(Place(pod)), testing::EndsWith(" quota bizrq/t: no such group; did you mean tt?"));
  huygens_.Asked();
  pod.pod.quota = nullptr;
  EXPECT_EQ(Place(pod).quota, "");
  EXPECT_THAT(huygens_.Asked(), testing::Not(testing::Contains(HasSubstr("/debug/quotas")))) << "nobody to ask about";
}

TEST_F(StandIn, WhatNobodyUnderstandsIsInTheJson) {
  ASSERT_TRUE(scheduler_.Start().ok());
  PodManifest pod = MakePod("p", 1);
  pod.not_understood = {"annotation a: there is no \"b\""};
  const PodOutcome outcome = Place(pod);
  EXPECT_EQ(outcome.node, "a");
  EXPECT_THAT(PlaceJson({outcome}), HasSubstr(R"("notUnderstood":["annotation a: there is no \"b\""],"refused":[)"));
}

TEST_F(StandIn, ADaemonSetsPodGoesToItsNodeOnly) {
  ASSERT_TRUE(scheduler_.Start().ok());
  Filter(R"(["c"])");
  PodManifest pod = MakePod("p", 1);
  pod.only_on = {"c"};
  PodOutcome outcome = Place(pod);
  EXPECT_EQ(outcome.node, "c");
  EXPECT_THAT(outcome.refusals, ElementsAre(Pair("a", "node(s) didn't match Pod's node affinity/selector"),
                                            Pair("b", "node(s) didn't match Pod's node affinity/selector")));
}

TEST_F(StandIn, AnErrorOfAVerbIsNoPlacement) {
  ASSERT_TRUE(scheduler_.Start().ok());
  huygens_.Script("/bind", R"({"Error":"zone taken"})");
  PodOutcome outcome = Place(MakePod("p", 1));
  EXPECT_EQ(outcome.node, "");
  EXPECT_EQ(outcome.error, "bind to a: zone taken");
  EXPECT_EQ(outcome.score, std::nullopt);
  Filter("null", "null", "huygens is not ready");
  EXPECT_EQ(Place(MakePod("p", 1)).error, "filter: huygens is not ready");
}

TEST_F(StandIn, SaysWhatFailedAndWhere) {
  ASSERT_TRUE(scheduler_.Start().ok());
  huygens_.Script("/filter", "overloaded\n", 503);
  auto answered = scheduler_.Place(MakePod("p", 1));
  ASSERT_FALSE(answered.ok());
  EXPECT_THAT(std::string(Message(answered.status())),
              testing::MatchesRegex("POST http://127.0.0.1:[0-9]+/filter answered 503: overloaded"));

  huygens_.Script("/filter", "<html>");
  EXPECT_THAT(std::string(Message(scheduler_.Place(MakePod("p", 1)).status())), HasSubstr("answer of filter"));
  Filter(R"(["x"])");
  EXPECT_THAT(std::string(Message(scheduler_.Place(MakePod("p", 1)).status())), HasSubstr("not asked about node x"));

  auto nobody = Remote::Open({.url = "http://127.0.0.1:1/", .flag = "--url"});
  ASSERT_TRUE(nobody.ok());
  const Status refused = nobody->Get("/x").status();
  EXPECT_TRUE(absl::IsUnavailable(refused));
  EXPECT_THAT(std::string(Message(refused)), HasSubstr("Is `huygens extender` running there? --url names its address"));
  EXPECT_TRUE(absl::IsNotFound(admin_.Get("/nowhere").status()));
  EXPECT_THAT(std::string(Message(Remote::Open({.url = "127.0.0.1:8889", .flag = "--admin-url"}).status())),
              HasSubstr("must begin with https:// or http://"));
  huygens_.Script("/debug/decisions", "no verb at /debug/decisions; huygens serves POST /{...}\n", 404);
  EXPECT_THAT(std::string(Message(admin_.Get("/debug/decisions").status())), HasSubstr("wants server.adminAddress"));
}

TEST_F(StandIn, ReportsEachPodAsTableAndAsJson) {
  ASSERT_TRUE(scheduler_.Start().ok());
  std::vector<PodOutcome> outcomes{Place(MakePod("p", 4))};
  outcomes.push_back(Place(MakePod("huge", 100)));
  huygens_.Script("/bind", R"({"Error":"zone taken"})");
  Filter(R"(["c"])");
  outcomes.push_back(Place(MakePod("late", 1)));
  EXPECT_EQ(PlaceTable(outcomes),
            "POD           NODE  ZONES         SCORE  REASON\n"
            "default/p     a     node0: 4 cpu  3\n"
            "default/huge  -     -             -      0/3 nodes are available: 1 Too many pods, 3 Insufficient cpu.\n"
            "default/late  -     -             -      ERROR bind to c: zone taken\n"
            "\n1 of 3 pods placed, 1 without a node, 1 failed.\n");
  const std::string json = PlaceJson(outcomes);
  EXPECT_THAT(
      json,
      HasSubstr(
          R"({"pods":[{"pod":"default/p","uid":"uid-p","node":"a","score":3,)"
          R"("zones":[{"name":"node0","amount":{"cpu":"4"}}],"refused":[{"node":"b","reason":"Too many pods"}]},)"));
  EXPECT_THAT(json, HasSubstr(R"("message":"0/3 nodes are available: 1 Too many pods, 3 Insufficient cpu.")"));
  EXPECT_THAT(json, HasSubstr(R"("error":"bind to c: zone taken")"));
}

TEST_F(StandIn, NeedsANode) {
  huygens_.Script("/debug/nodes", R"({"nodes":[]})");
  huygens_.Script("/readyz", "[-]nodes broken\n", 503);
  EXPECT_THAT(std::string(Message(scheduler_.Start())), HasSubstr("/readyz?verbose"));
  huygens_.Script("/readyz", "ok\n");
  EXPECT_THAT(std::string(Message(scheduler_.Start())),
              HasSubstr("the cluster has no Node; where huygens reads manifests"));
}

}  // namespace
}  // namespace huygens::cli
