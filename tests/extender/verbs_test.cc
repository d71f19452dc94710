#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

#include "extender/verb.h"
#include "settings/service_options.h"
#include "tests/extender/fixture.h"
#include "tests/observe/decisions.h"

namespace huygens::extender {
namespace {

using testing::HasSubstr;

constexpr std::string_view kPod =
    R"({"metadata":{"name":"a","namespace":"default","uid":"u1","annotations":{"topology.crane.io/topology-awareness":"true"}},)"
    R"("spec":{"containers":[{"name":"c","resources":{"limits":{"cpu":"2"},"requests":{"cpu":"2"}}}]}})";

std::string WithNames(std::string_view names) {
  return Concat(R"({"Pod":)", kPod, R"(,"Nodes":null,"NodeNames":)", names, "}");
}

// Lowers, or raises, every key of a JSON text; values stay.
std::string ChangeKeyCase(std::string json, bool upper) {
  for (size_t i = 0; i < json.size(); ++i) {
    if (json[i] != '"') continue;
    size_t end = i + 1;
    while (json[end] != '"') end += json[end] == '\\' ? 2 : 1;
    if (json[end + 1] == ':') {
      for (size_t c = i + 1; c < end; ++c)
        json[c] = static_cast<char>(upper ? std::toupper(json[c]) : std::tolower(json[c]));
    }
    i = end;
  }
  return json;
}

class VerbsTest : public ServiceTest {};

TEST_F(VerbsTest, FilterPutsEachNodeIntoExactlyOneList) {
  AddNode("fits", {2});
  AddNode("full", {2});
  AddNode("small", {1});
  auto holder = std::make_shared<cluster::Pod>(*AddPod("holder", 2));
  holder->node_name = "full";
  holder->placement_mark = {holder->uid, holder->node_name, {{0, ResourceVector{{kCpu, 2000}}}}};
  placement_->Apply(cluster::PodSet{holder});
  VerbAnswer answer = Filter(context_, WithNames(R"(["fits","full","small","unheard-of"])"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.outcome, "ok");
  EXPECT_EQ(
      answer.body,
      Concat(
          R"({"Nodes":null,"NodeNames":["fits"],"FailedNodes":{"full":"node(s) had insufficient resource of NUMA node"},)"
          R"("FailedAndUnresolvableNodes":{"small":"node(s) had insufficient resource of NUMA node",)"
          R"("unheard-of":")",
          policy::Text(policy::Reason::kUnknownNode), R"("},"Error":""})"));
}

TEST_F(VerbsTest, FilterNamesARepeatedNodeOnce) {
  AddNode("fits", {2});
  AddNode("small", {1});
  VerbAnswer answer = Filter(context_, WithNames(R"(["fits","small","fits","small","nobody","nobody"])"));
  EXPECT_THAT(answer.body, HasSubstr(R"("NodeNames":["fits"])"));
  size_t first = answer.body.find("\"small\"");
  EXPECT_EQ(answer.body.find("\"small\"", first + 1), std::string::npos);
  first = answer.body.find("\"nobody\"");
  EXPECT_EQ(answer.body.find("\"nobody\"", first + 1), std::string::npos);
}

TEST_F(VerbsTest, FilterReturnsNodeObjectsAsTheyCame) {
  AddNode("n1", {2});
  AddNode("n2", {1});
  constexpr std::string_view kNode =
      R"({"metadata":{"name":"n1","labels":{"x":"\u003c 中文"}},"spec":{ },"status":{"foo":1e2}})";
  std::string body = Concat(R"({"Pod":)", kPod, R"(,"Nodes":{"metadata":{},"items":[)", kNode,
                            R"(,{"metadata":{"name":"n2"}}]},"NodeNames":null})");
  VerbAnswer answer = Filter(context_, body);
  EXPECT_THAT(answer.body, HasSubstr(Concat(R"({"Nodes":{"metadata":{},"items":[)", kNode, R"(]},"NodeNames":null)")));
}

TEST_F(VerbsTest, FilterTellsAnErrorForWhatIsUnderstoodAnd400ForWhatIsNotJson) {
  for (std::string_view body :
       {R"({})", R"({"Pod":null,"NodeNames":["n1"]})", R"({"Pod":7,"NodeNames":["n1"]})",
        R"({"Pod":{"spec":{"containers":[{"resources":{"requests":{"cpu":"two"}}}]}},"NodeNames":[]})"}) {
    VerbAnswer answer = Filter(context_, body);
    EXPECT_EQ(answer.status, 200) << body;
    EXPECT_EQ(answer.outcome, "error") << body;
    EXPECT_THAT(answer.body, testing::Not(HasSubstr(R"("Error":"")"))) << body;
  }
  for (std::string_view body : {"", "{", "nonsense", R"({"Pod":{}} trailing)"}) {
    EXPECT_EQ(Filter(context_, body).status, 400) << body;
  }
  not_ready_ = "waiting for the first list of pods";
  EXPECT_THAT(Filter(context_, WithNames("[]")).body, HasSubstr("waiting for the first list of pods"));
}

TEST_F(VerbsTest, EmptyAndNullListsAreAnsweredWithNoNode) {
  for (std::string_view names : {"[]", "null"}) {
    EXPECT_THAT(Filter(context_, WithNames(names)).body,
                HasSubstr(R"("FailedNodes":{},"FailedAndUnresolvableNodes":{},"Error":"")"));
    EXPECT_EQ(Prioritize(context_, WithNames(names)).body, "[]");
  }
}

TEST_F(VerbsTest, PrioritizeScoresFewerZonesHigher) {
  AddNode("one", {8});
  AddNode("two", {1, 1});
  AddNode("absent", {0});
  std::string pod(kPod);
  pod.replace(pod.find("\"true\""), 6, "\"false\"");
  std::string body = Concat(R"({"Pod":)", pod, R"(,"Nodes":null,"NodeNames":["two","one","unheard-of"]})");
  VerbAnswer answer = Prioritize(context_, body);
  auto score = [&](std::string_view host) {
    size_t at = answer.body.find(Concat("{\"Host\":\"", host, "\",\"Score\":"));
    EXPECT_NE(at, std::string::npos) << answer.body;
    return std::stoi(answer.body.substr(answer.body.find("Score\":", at) + 7));
  };
  EXPECT_EQ(score("one"), 10);
  EXPECT_LT(score("two"), 10);
  EXPECT_EQ(score("unheard-of"), 0);
  for (size_t at = 0; (at = answer.body.find("Score\":", at)) != std::string::npos; ++at) {
    size_t end = answer.body.find('}', at);
    EXPECT_EQ(answer.body.substr(at + 7, end - at - 7).find_first_not_of("0123456789"), std::string::npos)
        << "Go takes whole numbers only";
  }
}

TEST_F(VerbsTest, DecisionsCanBeLookedUpAfterwards) {
  AddNode("n1", {2});
  AddNode("n2", {1});
  Filter(context_, WithNames(R"(["n1","n2"])"));
  Prioritize(context_, WithNames(R"(["n1"])"));
  std::string json = Json(ring_, {"default/a"}, 10);
  EXPECT_THAT(json, HasSubstr("node(s) had insufficient resource of NUMA node"));
  EXPECT_THAT(json, HasSubstr("FewestZones"));
}

TEST_F(VerbsTest, ARefusedPodOfAGangIsRememberedWithTheCountsOfItsGang) {
  AddNode("n1", {2});
  const auto filter = [&](std::string_view uid) {
    std::string body = WithNames(R"(["n1"])");
    body.replace(body.find("\"u1\""), 4, Concat("\"", uid, "\""));
    body.replace(body.find("\"spec\":{"), 8, R"("spec":{"schedulingGroup":{"podGroupName":"g"},)");
    return Filter(context_, body).outcome;
  };
  EXPECT_EQ(filter("u1"), "ok");
  EXPECT_THAT(Json(ring_, {"default/a"}, 10), testing::Not(HasSubstr("gang")));
  EXPECT_EQ(filter("u2"), "rejected");
  EXPECT_THAT(Json(ring_, {"default/a"}, 10), HasSubstr(R"("facts":{"gangHolds":1,"gangPods":2})"));
}

TEST_F(VerbsTest, TwoPodsOfOneNameAndDifferentBytesAreNotMixedUp) {
  AddNode("n1", {2});
  EXPECT_THAT(Filter(context_, WithNames(R"(["n1"])")).body, HasSubstr(R"("NodeNames":["n1"])"));
  std::string larger = WithNames(R"(["n1"])");
  for (size_t at; (at = larger.find("\"cpu\":\"2\"")) != std::string::npos;) larger.replace(at, 9, "\"cpu\":\"3\"");
  EXPECT_THAT(Filter(context_, larger).body, HasSubstr(R"("NodeNames":[])"));
}

// A service whose metrics have the labels that a running one gives them.
class CountedTest : public VerbsTest {
 protected:
  void FilterAnnotated(std::string_view name, std::string_view annotation) {
    Filter(counting_, Concat(R"({"Pod":{"metadata":{"name":")", name, R"(","namespace":"default","uid":"uid-)", name,
                             R"(","annotations":{)", annotation, R"(}},"spec":{}},"Nodes":null,"NodeNames":["n"]})"));
  }
  testing::Matcher<std::string> Counts(std::string_view annotation, int pods) {
    return HasSubstr(
        Concat("huygens_annotations_ignored_total{annotation=\"", annotation, "\"} ", std::to_string(pods), "\n"));
  }

  observe::Metrics real_{settings::MetricsOptions({})};
  Journal counting_journal_{*placement_, resources_, real_, ring_, decision_log_};
  Context counting_{{*placement_, clock_, log_, real_, [] { return std::string(); }, context_.warn},
                    resources_,
                    counting_journal_,
                    pods_};
};

TEST_F(CountedTest, FilterWarnsOfAnAnnotationThatNobodyUnderstandsAndCountsIt) {
  AddNode("n", {16});
  FilterAnnotated("a", R"("topology.crane.io/topology-awareness":"flase")");
  EXPECT_THAT(
      backend_.events,
      testing::ElementsAre("default/a: AnnotationIgnored: annotation topology.crane.io/topology-awareness: there is no "
                           "\"flase\", so it counts as absent; there are true, false"));
  EXPECT_THAT(real_.Render(), Counts("topology.crane.io/topology-awareness", 1));
  EXPECT_THAT(real_.Render(), Counts("other", 0));
  FilterAnnotated("b", R"("topology.crane.io/topology-awarenes":"true")");
  EXPECT_THAT(real_.Render(), Counts("other", 1)) << "a key that is misspelt, of which there are endless ones";
  EXPECT_THAT(real_.Render(), Counts("topology.crane.io/topology-awareness", 1));
}

// Requests that kube-scheduler 1.36.3 really sent.
class RecordedTest : public VerbsTest {
 protected:
  RecordedTest() {
    for (std::string name : {"worker-0", "worker-1", "worker-2", "worker-3"}) AddNode(name, {2, 2});
    AddNode("worker-4", {2});
  }
  std::string Read(std::string_view name) {
    std::ifstream file(Concat(HUYGENS_SHARED_DATA, "/wire/", name));
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

TEST_F(RecordedTest, FilterAndPrioritizeAreAnsweredByteForByte) {
  std::string filter = Read("filter-names.json");
  if (filter.empty()) GTEST_SKIP() << "no recorded requests at " << HUYGENS_SHARED_DATA << "/wire";
  constexpr std::string_view kFiltered =
      R"({"Nodes":null,"NodeNames":["worker-0","worker-1","worker-2","worker-3"],"FailedNodes":{},"FailedAndUnresolvableNodes":{},"Error":""})";
  constexpr std::string_view kScored =
      R"([{"Host":"worker-0","Score":10},{"Host":"worker-1","Score":10},{"Host":"worker-2","Score":10},{"Host":"worker-3","Score":10}])";
  EXPECT_EQ(Filter(context_, filter).body, kFiltered);
  EXPECT_EQ(Prioritize(context_, Read("prioritize-names.json")).body, kScored);
  EXPECT_EQ(Prioritize(context_, Read("prioritize-nodes.json")).body, kScored);

  std::string with_objects = Read("filter-nodes.json");
  size_t from = with_objects.find("\"Nodes\":") + 8;
  std::string nodes = with_objects.substr(from, with_objects.rfind(",\"NodeNames\"") - from);
  EXPECT_EQ(Filter(context_, with_objects).body,
            Concat(R"({"Nodes":)", nodes,
                   R"(,"NodeNames":null,"FailedNodes":{},"FailedAndUnresolvableNodes":{},"Error":""})"));
}

TEST_F(RecordedTest, TheCaseOfFieldNamesDoesNotMatter) {
  std::string filter = Read("filter-names.json");
  if (filter.empty()) GTEST_SKIP() << "no recorded requests at " << HUYGENS_SHARED_DATA << "/wire";
  std::string expected = Filter(context_, filter).body;
  EXPECT_EQ(Filter(context_, ChangeKeyCase(filter, false)).body, expected);
}

TEST_F(RecordedTest, PreemptAndBindAreAnsweredByteForByte) {
  std::string meta = Read("preempt-meta.json");
  if (meta.empty()) GTEST_SKIP() << "no recorded requests at " << HUYGENS_SHARED_DATA << "/wire";
  std::string victims = meta.substr(meta.find("\"NodeNameToMetaVictims\""));
  for (std::string name : {"worker-0", "worker-1", "worker-3"}) AddNode(name, {4, 4});
  EXPECT_EQ(Preempt(context_, meta).body, Concat("{", victims));
  EXPECT_EQ(Preempt(context_, ChangeKeyCase(meta, false)).body, Concat("{", victims));
  StatusOr<BindArgs> bind = DecodeBindArgs(Read("bind.json"));
  ASSERT_TRUE(bind.ok());
  EXPECT_EQ(bind->pod_uid, "d5677970-b10d-44de-bd3d-f134b241994a");
  Filter(context_, Read("filter-names.json"));
  std::string error = "(none)";
  bind_.Bind(*bind, [&](std::string_view told) { error = told; });
  ASSERT_EQ(backend_.binds.size(), 1u) << "the pod is known from filter alone";
  backend_.binds[0].done({BindResult::kBound});
  EXPECT_EQ(error, "");
}

TEST_F(RecordedTest, CutAnywhereARequestIsRefusedAndNothingBreaks) {
  std::string filter = Read("filter-names.json");
  if (filter.empty()) GTEST_SKIP() << "no recorded requests at " << HUYGENS_SHARED_DATA << "/wire";
  for (size_t length = 0; length < filter.size(); length += 7) {
    EXPECT_EQ(Filter(context_, std::string_view(filter).substr(0, length)).status, 400);
    EXPECT_EQ(Prioritize(context_, std::string_view(filter).substr(0, length)).status, 400);
  }
}

class QuotaVerbsTest : public ServiceTest {
 protected:
  QuotaVerbsTest() : ServiceTest({.checks = {"topology", "quota"}}) {
    AddNode("n1", {8});
    cluster::BizGroupQuota team{.name = "team"};
    team.hard = {{"limits.cpu", *Quantity::Parse("3")}};
    placement_->Apply(cluster::BizGroupQuotaSet{team});
  }
  static std::string Pod(std::string_view name) {
    return Concat(R"({"metadata":{"name":")", name, R"(","namespace":"default","uid":"uid-)", name,
                  R"(","labels":{"biz.group.resource.quota":"team"}},)",
                  R"("spec":{"containers":[{"name":"c","resources":{"limits":{"cpu":"2"},"requests":{"cpu":"2"}}}]}})");
  }
  static std::string Body(std::string_view name) {
    return Concat(R"({"Pod":)", Pod(name), R"(,"NodeNames":["n1","unheard-of"]})");
  }
  std::string Decided(std::string_view name) const { return Json(ring_, {Concat("default/", name)}, 10); }

  const std::string why_ = "quota bizrq/team: limits.cpu used 2 of 3, requested 2";
};

TEST_F(QuotaVerbsTest, KubeSchedulerSeesAFixedTextAndPeopleTheFigures) {
  EXPECT_EQ(Filter(context_, Body("a")).outcome, "ok");
  EXPECT_EQ(Filter(context_, Body("b")).outcome, "ok");
  size_t bind = Bind("a", "n1");
  backend_.binds[0].done({BindResult::kBound});
  ASSERT_EQ(Answer(bind), "");

  EXPECT_EQ(Answer(Bind("b", "n1")), policy::Text(policy::Reason::kQuotaExceeded)) << "it raced";
  EXPECT_THAT(Decided("b"), HasSubstr(Concat(R"("quota":")", why_, "\"")));
  EXPECT_TRUE(backend_.events.empty()) << "filter will be asked again and say so then";

  VerbAnswer answer = Filter(context_, Body("c"));
  EXPECT_EQ(answer.outcome, "rejected");
  EXPECT_EQ(answer.body, Concat(R"({"Nodes":null,"NodeNames":[],"FailedNodes":{},"FailedAndUnresolvableNodes":{"n1":")",
                                policy::Text(policy::Reason::kQuotaExceeded), R"(","unheard-of":")",
                                policy::Text(policy::Reason::kUnknownNode), R"("},"Error":""})"));
  EXPECT_THAT(Decided("c"), HasSubstr(Concat(R"("quota":")", why_, "\"")));
  EXPECT_THAT(backend_.events, testing::ElementsAre("default/c: QuotaExceeded: " + why_));
  EXPECT_THAT(Decided("a"), testing::Not(HasSubstr("\"quota\":\"quota")));
  EXPECT_THAT(backend_.repeat_keys, testing::ElementsAre("")) << "other figures are no news";
}

TEST_F(QuotaVerbsTest, PeopleSeeTheModelThatIsWantedAndThoseThatNodesHave) {
  cluster::Node node{.name = "n1"};
  node.labels = {{"huygens.dev/cpu-model", "A4"}};
  placement_->Apply(cluster::NodeSet{node});
  std::string body = Body("a");
  constexpr std::string_view kGroup = R"("biz.group.resource.quota":"team")";
  body.insert(body.find(kGroup) + kGroup.size(), R"(,"biz.group.resource.quota/cpu-type":"B7")");
  EXPECT_EQ(Filter(context_, body).outcome, "rejected");
  EXPECT_THAT(Decided("a"), testing::AllOf(HasSubstr("/cpu-type wants B7, the label huygens.dev/cpu-model is A4 on 1 "
                                                     "node\""),
                                           HasSubstr(policy::Text(policy::Reason::kQuotaOtherModel))));
  EXPECT_TRUE(backend_.events.empty()) << "kube-scheduler's says it";
  EXPECT_EQ(Answer(Bind("a", "n1")), policy::Text(policy::Reason::kQuotaOtherModel));
}

TEST_F(QuotaVerbsTest, PreemptionNamesNobodyForABudget) {
  auto victim = std::make_shared<cluster::Pod>(*AddPod("victim", 2));
  victim->quota = std::make_shared<const cluster::QuotaLabels>(cluster::QuotaLabels{.group = "team"});
  victim->node_name = "n1";
  victim->priority = -1;
  placement_->Apply(cluster::PodSet{victim});
  VerbAnswer answer = Preempt(
      context_, Concat(R"({"Pod":)", Pod("a"),
                       R"(,"NodeNameToMetaVictims":{"n1":{"Pods":[{"UID":"uid-victim"}],"NumPDBViolations":0}}})"));
  EXPECT_EQ(answer.outcome, "rejected");
  EXPECT_THAT(answer.body, testing::Not(HasSubstr("uid-victim")));
}

}  // namespace
}  // namespace huygens::extender
