// What operators see of checks that only report, from the verbs to the log, the pages, the metrics and the Events.
#include "oversight/report_watch.h"

#include <gmock/gmock.h>

#include "extender/verb.h"
#include "tests/extender/fixture.h"
#include "tests/observe/decisions.h"

namespace huygens::extender {
namespace {

using policy::CheckMode;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class ReportWatchTest : public ServiceTest {
 protected:
  explicit ReportWatchTest(std::vector<placement::CheckSetting> checks = {{"topology", CheckMode::kReport}})
      : ServiceTest({.checks = std::move(checks)}) {
    AddNode("small", {1});
    AddNode("large", {4});
    Watch(false);
  }
  void Watch(bool events) {
    watch_ = std::make_unique<oversight::ReportWatch>(context_, events);
    context_.reports = watch_.get();
  }
  // Asks filter for a pod with so many CPUs of one zone.
  VerbAnswer Ask(std::string_view name, int cpus) {
    return Filter(
        context_,
        Concat(R"({"Pod":{"metadata":{"name":")", name, R"(","namespace":"default","uid":"uid-)", name,
               R"(","annotations":{"topology.crane.io/topology-awareness":"true"}},"spec":{"containers":[{"name":"c",)",
               R"("resources":{"limits":{"cpu":")", std::to_string(cpus), R"("},"requests":{"cpu":")",
               std::to_string(cpus), R"("}}}]}},"NodeNames":["small","large"]})"));
  }
  void Seconds(int count) {
    for (; count > 0; --count) watch_->EverySecond();
  }
  std::string Page() const {
    std::string text;
    for (const observe::Readiness::Item& item : watch_->Describe()) text += Concat(item.name, " ", item.detail, "\n");
    return text;
  }
  std::string Decided(std::string_view name) const { return Json(ring_, {Concat("default/", name)}, 10); }

  std::unique_ptr<oversight::ReportWatch> watch_;
};

TEST_F(ReportWatchTest, NothingIsRefusedAndEverythingIsRemembered) {
  EXPECT_THAT(Ask("a", 9).body, HasSubstr(R"("NodeNames":["small","large"],"FailedNodes":{},"FailedAndUnresolvableNode)"
                                          R"(s":{},"Error":"")"));
  EXPECT_THAT(Decided("a"), HasSubstr(R"({"name":"small","wouldRefuse":{"topology":"node(s) had insufficient )"));
  EXPECT_THAT(Decided("a"), Not(HasSubstr(R"("checks")"))) << "none is enforced";
}

TEST_F(ReportWatchTest, TheLogSumsUpAndIsSilentOtherwise) {
  Seconds(60);
  EXPECT_THAT(captured_.Lines(), IsEmpty());
  Ask("a", 9);
  Ask("a", 9);
  Ask("b", 2);
  Ask("c", 1);
  Seconds(599);
  EXPECT_THAT(captured_.Lines(), IsEmpty());
  Seconds(1);
  EXPECT_THAT(
      captured_.Lines(),
      ElementsAre(HasSubstr("msg=\"a check that only reports would have refused pods\" check=topology pods=2 "
                            "podsOnEveryNode=1 nodes=2 minutes=10 why=\"node(s) had insufficient resource of NUMA node "
                            "(5x)\"")));
  Seconds(600);
  EXPECT_THAT(captured_.Lines(), testing::SizeIs(1));
}

TEST_F(ReportWatchTest, ThePageShowsTheLastTenToTwentyMinutes) {
  EXPECT_EQ(Page(), "check topology only reports; since 2026-11-21T12:00:00Z it would have refused nothing\n");
  Ask("a", 9);
  EXPECT_EQ(Page(),
            "check topology only reports; since 2026-11-21T12:00:00Z it would have refused 1 pod on 2 nodes, 1 of them "
            "on every node: node(s) had insufficient resource of NUMA node (2x)\n");
  Seconds(60);
  Ask("a", 9);
  Ask("b", 2);
  EXPECT_THAT(Page(), HasSubstr("2 pods on 2 nodes, 1 of them on every node: node(s) had insufficient resource of NUMA "
                                "node (5x)"));
  Seconds(600);
  EXPECT_THAT(Page(), HasSubstr("2 pods"));
  Seconds(600);
  EXPECT_THAT(Page(), HasSubstr("nothing"));
}

TEST_F(ReportWatchTest, EventsAreSentOnlyIfAskedFor) {
  Ask("a", 9);
  EXPECT_THAT(backend_.events, IsEmpty());
  Watch(true);
  Ask("b", 2);
  EXPECT_THAT(backend_.events, IsEmpty()) << "one node is left";
  Ask("a", 9);
  EXPECT_THAT(
      backend_.events,
      ElementsAre("default/a: WouldBeRefused: the check topology only reports; enforced, it would leave the pod "
                  "no node: node(s) had insufficient resource of NUMA node"));
}

TEST_F(ReportWatchTest, ABindToANodeThatWouldBeRefusedIsBoundAndTold) {
  Watch(true);
  AddPod("a", 2);
  size_t bind = Bind("a", "small");
  ASSERT_EQ(backend_.binds.size(), 1u);
  EXPECT_THAT(backend_.binds[0].order.request.annotations,
              Not(testing::Contains(testing::Key(std::string("topology.crane.io/topology-result")))));
  EXPECT_THAT(backend_.events, IsEmpty()) << "not bound yet";
  backend_.binds[0].done({BindResult::kBound});
  EXPECT_EQ(Answer(bind), "");
  EXPECT_THAT(backend_.events,
              ElementsAre("default/a: WouldBeRefused: bound to small, which the check topology would refuse if it did "
                          "not only report: node(s) had insufficient resource of NUMA node"));
  EXPECT_THAT(Decided("a"), HasSubstr(R"("node":"small","wouldRefuse":{"topology":"node(s) had )"));
}

class TwoReports : public ReportWatchTest {
 protected:
  TwoReports() : ReportWatchTest({{"topology", CheckMode::kReport}, {"quota", CheckMode::kReport}, "usage"}) {}
};

TEST_F(TwoReports, EachHasItsItem) {
  EXPECT_THAT(Page(), testing::MatchesRegex("check topology only reports; [^\n]*\ncheck quota only reports; [^\n]*\n"));
}

TEST_F(TwoReports, ABudgetThatOnlyReportsSaysItsFiguresAndWarnsOfNoRefusal) {
  Watch(true);
  std::string pod = R"({"Pod":{"metadata":{"name":"q","namespace":"default","uid":"uid-q",)"
                    R"("labels":{"biz.group.resource.quota":"nobody"}},"spec":{"containers":[{"name":"c"}]}},)"
                    R"("NodeNames":["small"]})";
  EXPECT_EQ(Filter(context_, pod).outcome, "ok");
  EXPECT_THAT(backend_.events, ElementsAre(testing::AllOf(HasSubstr("WouldBeRefused: the check quota only reports"),
                                                          HasSubstr("nobody"))));
  EXPECT_THAT(Decided("q"), HasSubstr(R"("quota":"would be refused: )"));
}

}  // namespace
}  // namespace huygens::extender
