#include "usage_sources/placed_pods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace huygens::usage_sources {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using Which = PlacedPods::Which;

cluster::PlacedPod Pod(const std::string& name, const std::string& uid, const std::string& owner_kind = "",
                       const std::string& owner_name = "", bool started = false) {
  cluster::Pod pod;
  pod.namespace_name = "s";
  pod.name = name;
  pod.uid = uid;
  pod.owner_kind = owner_kind;
  pod.owner_name = owner_name;
  if (started) pod.start_time = Time(std::chrono::hours(1));
  return {.pod = std::make_shared<const cluster::Pod>(pod), .node = 0, .zones = {}};
}

TEST(PlacedPods, KnowsAPodFromItsPlacingToItsLeaving) {
  PlacedPods pods(Which::kAll);
  const auto web = Pod("web-0", "u1");
  pods.Place(web);
  EXPECT_EQ(pods.Find("s/web-0"), web.pod);
  pods.Leave(web);
  EXPECT_EQ(pods.Find("s/web-0"), nullptr);
}

TEST(PlacedPods, APodThatLeavesLateDoesNotTakeItsSuccessorWithIt) {
  PlacedPods pods(Which::kAll);
  const auto first = Pod("db-0", "u1");
  const auto second = Pod("db-0", "u2");
  pods.Place(first);
  pods.Place(second);
  pods.Leave(first);
  EXPECT_EQ(pods.Find("s/db-0"), second.pod);
}

TEST(PlacedPods, KeepsOnlyThoseWhoseNameMisleadsIfThatIsAllThatIsAsked) {
  PlacedPods pods(Which::kOwnerNotInName);
  pods.Place(Pod("web-7d4b9c6f5-x2x4z", "u1", "ReplicaSet", "web-7d4b9c6f5", true));
  pods.Place(Pod("render-17", "u2", "Workflow", "render", true));
  EXPECT_EQ(pods.Find("s/web-7d4b9c6f5-x2x4z"), nullptr);
  EXPECT_NE(pods.Find("s/render-17"), nullptr);
  EXPECT_TRUE(pods.TakeStarted().empty());
}

TEST(PlacedPods, TellsEachThatStartedOnceHoweverOftenItChanged) {
  PlacedPods pods(Which::kAll);
  pods.Place(Pod("a", "u1"));
  pods.Place(Pod("b", "u2", "", "", true));
  const auto changed = Pod("b", "u2", "", "", true);
  pods.Place(changed);
  const auto gone = Pod("c", "u3", "", "", true);
  pods.Place(gone);
  pods.Leave(gone);
  EXPECT_THAT(pods.TakeStarted(), ElementsAre(Pair("s/b", changed.pod)));
  EXPECT_THAT(pods.TakeStarted(), IsEmpty());
}

TEST(PlacedPods, TellsOnceWhichLeftAndStayedAway) {
  PlacedPods pods(Which::kAll);
  const auto changes = Pod("a", "u1");
  const auto first = Pod("db-0", "u2");
  const auto second = Pod("db-0", "u3");
  for (const auto& pod : {changes, first}) {
    pods.Place(pod);
    pods.Leave(pod);
  }
  pods.Place(changes);
  pods.Place(second);
  pods.Leave(second);
  pods.Place(second);
  EXPECT_THAT(pods.TakeLeft(), ElementsAre(Pair("s/db-0", first.pod)));
  EXPECT_THAT(pods.TakeLeft(), IsEmpty());
}

TEST(PlacedPods, KeepsNoneThatLeftIfNobodyAsksForThem) {
  PlacedPods pods(Which::kOwnerNotInName);
  const auto render = Pod("render-17", "u2", "Workflow", "render", true);
  pods.Place(render);
  pods.Leave(render);
  EXPECT_THAT(pods.TakeLeft(), IsEmpty());
}

}  // namespace
}  // namespace huygens::usage_sources
