#include <gmock/gmock.h>

#include "extender/verb.h"
#include "tests/extender/fixture.h"
#include "tests/observe/decisions.h"

namespace huygens::extender {
namespace {

using testing::HasSubstr;

// Two managed nodes of two zones of 4 CPUs; on n1 "low" has one zone and "high" the other.
class PreemptVerbTest : public ServiceTest {
 protected:
  PreemptVerbTest() {
    for (std::string node : {"n1", "n2"}) AddNode(node, {4, 4});
    AddBound("low", 10, 0);
    AddBound("high", 2000, 1);
  }
  void AddBound(const std::string& name, int priority, int zone) {
    auto pod = std::make_shared<cluster::Pod>(*AddPod(name, 4));
    pod->priority = priority;
    pod->node_name = "n1";
    pod->placement_mark = {pod->uid, pod->node_name, {{zone, ResourceVector{{kCpu, 4000}}}}};
    placement_->Apply(cluster::PodSet{pod});
  }
  VerbAnswer Ask(std::string_view candidates, std::string_view spec = R"("priority":1000)") {
    return Preempt(
        context_, Concat(R"({"Pod":{"metadata":{"name":"p","namespace":"default","uid":"uid-p",)",
                         R"("annotations":{"topology.crane.io/topology-awareness":"true"}},"spec":{)", spec,
                         R"(,"containers":[{"name":"c","resources":{"limits":{"cpu":"4"},"requests":{"cpu":"4"}}}]}},)",
                         candidates, "}"));
  }
  static constexpr std::string_view kNone = R"({"NodeNameToMetaVictims":{}})";
  static constexpr std::string_view kLow =
      R"({"NodeNameToMetaVictims":{"n1":{"Pods":[{"UID":"uid-low"}],"NumPDBViolations":0}}})";
};

TEST_F(PreemptVerbTest, ChoosesVictimsWhereKubeSchedulerNamesNone) {
  for (std::string_view candidates :
       {R"("NodeNameToVictims":null,"NodeNameToMetaVictims":{"n1":{"Pods":null,"NumPDBViolations":0}})",
        R"("NodeNameToMetaVictims":{"n1":{"Pods":[]}})", R"("NodeNameToVictims":{"n1":{}})",
        R"("nodenametometavictims":{"n1":null})"}) {
    VerbAnswer answer = Ask(candidates);
    EXPECT_EQ(answer.body, kLow) << candidates;
    EXPECT_EQ(answer.outcome, "ok");
  }
}

TEST_F(PreemptVerbTest, AnswersWholePodsByUidAndKeepsTheCountOfViolations) {
  EXPECT_EQ(Ask(R"("NodeNameToVictims":{"n1":{"Pods":[{"metadata":{"uid":"uid-low"}}],"NumPDBViolations":1}})").body,
            R"({"NodeNameToMetaVictims":{"n1":{"Pods":[{"UID":"uid-low"}],"NumPDBViolations":1}}})");
}

TEST_F(PreemptVerbTest, CountsNoMoreViolationsThanVictims) {
  EXPECT_EQ(Ask(R"("NodeNameToMetaVictims":{"n1":{"Pods":[{"UID":"uid-high"}],"NumPDBViolations":2}})").body,
            R"({"NodeNameToMetaVictims":{"n1":{"Pods":[{"UID":"uid-low"}],"NumPDBViolations":1}}})");
}

TEST_F(PreemptVerbTest, DropsTheNodesThatAreNotHelped) {
  VerbAnswer answer = Ask(R"("NodeNameToMetaVictims":{"n1":{"Pods":[]},"n2":{"Pods":[]},"n3":{"Pods":[{"UID":"x"}]}})");
  EXPECT_EQ(answer.body, kLow) << "n2 has room, n3 is not known";
  answer = Ask(R"("NodeNameToMetaVictims":{"n1":{"Pods":[{"UID":"uid-low"}]}})", R"("priority":10)");
  EXPECT_EQ(answer.body, kNone);
  EXPECT_EQ(answer.outcome, "rejected");
  answer = Ask(R"("NodeNameToMetaVictims":{"n1":{"Pods":[{"UID":"uid-low"}]}})",
               R"("priority":1000,"preemptionPolicy":"Never")");
  EXPECT_EQ(answer.body, kNone);
}

TEST_F(PreemptVerbTest, WithoutAPodOrBeforeTheFirstListsNobodyIsEvicted) {
  const std::string victims = R"("NodeNameToMetaVictims":{"n1":{"Pods":[{"UID":"uid-low"}]}})";
  for (const std::string& body : {Concat("{", victims, "}"), Concat(R"({"Pod":null,)", victims, "}"),
                                  Concat(R"({"Pod":{"spec":{"priority":"high"}},)", victims, "}"), std::string("{}")}) {
    VerbAnswer answer = Preempt(context_, body);
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, kNone) << body;
    EXPECT_EQ(answer.outcome, "error");
  }
  EXPECT_EQ(Ask(victims).body, kLow);
  not_ready_ = "waiting for the first list of pods";
  EXPECT_EQ(Ask(victims).body, kNone);
  EXPECT_EQ(Preempt(context_, "[").status, 400);
}

TEST_F(PreemptVerbTest, CanBeLookedUpAfterwards) {
  Ask(R"("NodeNameToMetaVictims":{"n1":{"Pods":[]},"n3":{"Pods":[]}})");
  EXPECT_THAT(Json(ring_, {"default/p"}, 1),
              HasSubstr(R"("facts":{"victims":{"n1":["uid-low"]}},"nodes":[{"name":"n1"},{"name":"n3","reason":")"));
}

}  // namespace
}  // namespace huygens::extender
