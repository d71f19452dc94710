// What is said where there is no decision on a pod, and of a node.
#include "reports/nothing_to_explain.h"

#include <gmock/gmock.h>

#include "json/document.h"
#include "reports/node_report.h"
#include "reports/not_heard_of.h"

namespace huygens::reports {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(NotReady, NamesWhatFails) {
  EXPECT_EQ(NotReadyText("[+]nodes synced\n[-]pods broken: HTTP 403\n[!]filter.checks: usage\n[-]serving draining\n"
                         "readyz check failed\n"),
            "huygens is not ready and refuses every call:\n- pods broken: HTTP 403\n- serving draining");
  EXPECT_EQ(NotReadyText("[+]pods synced\n[-]serving draining: answers are still given\nreadyz check failed\n"),
            "huygens is about to end, and still answers:\n- serving draining: answers are still given");
  EXPECT_FALSE(RefusesCalls("[+]pods synced\n[-]serving draining: answers are still given\nreadyz check failed\n"));
  EXPECT_TRUE(RefusesCalls("[-]pods broken: HTTP 403\n[-]serving draining: answers are still given\n"));
  EXPECT_TRUE(RefusesCalls("<html>Bad Gateway</html>")) << "somebody else's answer";
}

TEST(UndecidedPod, IsToldWhatNodesWouldSayNow) {
  const auto waits = DecodeJson<admin_api::PodDocument>(
      R"({"pod":"shop/web","uid":"u","notUnderstood":["annotation a: no"],"nodes":[{"name":"n1","reason":"too small",)"
      R"("why":"needs 9 cpu"},{"name":"n2","reason":"no NRT"}],"fits":["n3"],"fitsLater":["n4"],"room":[{"name":"n4","asks":{"cpu":"9"},"unrequested":{"cpu":"1800m"}}],"tooSmall":2})");
  ASSERT_TRUE(waits.ok()) << waits.status();
  const std::string text = UndecidedPodText(*waits, "http://127.0.0.1:8889");
  EXPECT_THAT(text,
              StartsWith("no decision on pod shop/web is remembered by the huygens at http://127.0.0.1:8889: each"));
  EXPECT_THAT(text, HasSubstr("\n! annotation a: no\n"));
  EXPECT_THAT(text,
              EndsWith("1 node (n3) could take the pod, by what huygens looks at, by requests and by its "
                       "nodeSelector. 1 more (n4) "
                       "lack room only for the requests of other pods: n4 has 1800m cpu unrequested, of 9 asked. "
                       "2 nodes are too small for its requests, whoever leaves them. "
                       "Not looked at are taints, affinity, spread, ports and volumes: of these the pod's Events "
                       "tell.\nThese would not:\n\nNODE  VERDICT\n"
                       "n1    too small: needs 9 cpu\nn2    no NRT\n\nWhat to do:\n- see why kube-scheduler "
                       "does not take n3: `kubectl describe pod -n shop web` has it in the Events.\n- mend what is "
                       "marked with ! above; it counts as absent."));
  const auto large = DecodeJson<admin_api::PodDocument>(R"({"pod":"shop/web","uid":"u","nodes":[],"tooSmall":1})");
  ASSERT_TRUE(large.ok()) << large.status();
  EXPECT_THAT(
      UndecidedPodText(*large, "url"),
      HasSubstr("\nIf it asked now, 0 nodes could take the pod, by what huygens looks at, by requests and by its "
                "nodeSelector. 1 node is too small for its requests, whoever leaves it. Not looked at are"));
  const auto bound = DecodeJson<admin_api::PodDocument>(
      R"({"pod":"shop/web","uid":"u","node":"n1","noZones":"it is a pod of a DaemonSet","nodes":[]})");
  ASSERT_TRUE(bound.ok()) << bound.status();
  EXPECT_EQ(
      PlacedPodText(*bound, "url", Time()),
      "no decision on pod shop/web is remembered by the huygens at url: each remembers its own last 1000 since it "
      "started, so why it is where it is can no longer be said.\nIt is on n1, without zones: it is a pod of a "
      "DaemonSet.");
}

TEST(UndecidedPod, IsToldWhatItsNodeSelectorLeavesOut) {
  const auto text = [](std::string_view rest) {
    const auto pod = DecodeJson<admin_api::PodDocument>(Concat(
        R"({"pod":"shop/web","uid":"u","nodeSelector":"disk=ssd","notSelected":["a","b"],"nodes":[])", rest, "}"));
    EXPECT_TRUE(pod.ok()) << pod.status();
    return UndecidedPodText(*pod, "url");
  };
  EXPECT_THAT(text(R"(,"fits":["c"])"),
              HasSubstr(" 2 nodes have not the labels of its nodeSelector (disk=ssd): a, b."));
  EXPECT_THAT(text(""),
              HasSubstr(" NO NODE has the labels of its nodeSelector (disk=ssd): mend it, or label nodes so"));
}

TEST(UndecidedPod, IsToldOfItsGang) {
  const auto pod = DecodeJson<admin_api::PodDocument>(
      R"({"pod":"shop/g-1","uid":"u","gang":"g","gangWaits":["shop/g-0","shop/g-1"],"gangNeeds":{"cpu":"8"},)"
      R"("nodes":[],"fits":["n1"],"gangRoom":{"cpu":"6"}})");
  ASSERT_TRUE(pod.ok()) << pod.status();
  EXPECT_THAT(UndecidedPodText(*pod, "url"),
              HasSubstr("\nIt is of the gang g (spec.schedulingGroup), which is placed whole or not at all: "
                        "kube-scheduler asks about its pods one after the other, and gives all up at one that fits "
                        "nowhere. Of the others wait shop/g-0; of none of them it is known here that filter refused "
                        "it.\nTogether the 2 "
                        "pods of it that have no node request 8 cpu; all nodes together have 6 cpu unrequested, in "
                        "pieces.\n"));
  admin_api::PodDocument after = *pod;
  after.gang_refused = "shop/g-0";
  const std::string text = UndecidedPodText(after, "url");
  EXPECT_THAT(text, HasSubstr("wait shop/g-0; refused was shop/g-0: `huygens explain shop/g-0` says why.\n"));
  EXPECT_THAT(text, HasSubstr("\nWhat to do:\n- its gang does not fit whole: "));
  EXPECT_THAT(text, Not(HasSubstr("see why kube-scheduler does not take")));
}

TEST(UndecidedPod, IsToldOfItsBudgetAndWhatToDo) {
  const auto waits = DecodeJson<admin_api::PodDocument>(
      R"({"pod":"shop/web","uid":"u","nodes":[{"name":"n1","reason":"quota of the pod's business group is exhausted",)"
      R"("cause":"quota_exceeded"}]})");
  const auto quota = DecodeJson<admin_api::PodQuotaDocument>(
      R"({"pod":"shop/web","group":"g","path":"g","verdict":"refused","why":"quota bizrq/g: cpu used 4 of 4, requested 1",)"
      R"("keys":[],"usedBy":[{"group":"g","key":"cpu","pods":[{"name":"shop/a","amount":"4"}],"children":[]}]})");
  ASSERT_TRUE(waits.ok() && quota.ok()) << waits.status() << quota.status();
  const std::string text = UndecidedPodText(*waits, "url", &*quota);
  EXPECT_THAT(text,
              HasSubstr("\n\nquota bizrq/g: cpu used 4 of 4, requested 1\nWho uses cpu of g: pods shop/a 4.\n\nWhat "
                        "to do:\n- quota of the pod's business group is exhausted: a larger budget, a smaller "
                        "pod, or fewer pods of the group: "));
  EXPECT_THAT(text, EndsWith("`huygens quota explain shop/web` what this one costs."));
}

TEST(UndecidedPod, IsToldWhichSettingsOfKubeletsAreIgnored) {
  const auto waits = DecodeJson<admin_api::PodDocument>(
      R"({"pod":"shop/web","uid":"u","nodes":[{"name":"k","reason":"cannot align pod: taken by other pods",)"
      R"("ignored":"attribute x: kubelet knows no y"}]})");
  ASSERT_TRUE(waits.ok()) << waits.status();
  EXPECT_THAT(UndecidedPodText(*waits, "url"),
              HasSubstr("\n! k: attribute x: kubelet knows no y. What is said of k goes by that.\n"));
}

TEST(PlacedPod, IsToldWhatItHoldsThoughItsDecisionIsForgotten) {
  const auto pod = DecodeJson<admin_api::PodDocument>(
      R"({"pod":"shop/web","uid":"u","node":"n1","since":"2026-11-21T12:00:00Z","zones":[{"name":"node0","zone":0,)"
      R"("amount":{"cpu":"4"}}],"nodes":[]})");
  ASSERT_TRUE(pod.ok()) << pod.status();
  EXPECT_THAT(PlacedPodText(*pod, "url", *ParseRfc3339("2026-11-21T12:01:00Z")),
              HasSubstr("\nIt is on n1, since 2026-11-21T12:00:00Z (60s ago), and holds node0: 4 cpu."));
}

TEST(NotHeardOf, IsSaidOfEachKindWithTheLongestSilence) {
  EXPECT_EQ(NotHeardText({}), "");
  EXPECT_EQ(
      NotHeardText({{"nodes", 271, "no connection in time"}, {"pods", 272, "no connection in time"}}),
      "! huygens has not heard of nodes and pods for 272 s (no connection in time): what follows is that old, and "
      "decisions go by it, too.\n");
  EXPECT_EQ(NotHeardText({{"pods", 200, ""}}),
            "! huygens has not heard of pods for 200 s: what follows is that old, and decisions go by it, too.\n");
  const auto waits = DecodeJson<admin_api::PodDocument>(
      R"({"pod":"shop/web","uid":"u","notHeardOf":[{"kind":"pods","seconds":200}],"nodes":[]})");
  ASSERT_TRUE(waits.ok()) << waits.status();
  EXPECT_THAT(UndecidedPodText(*waits, "url"), HasSubstr("\n! huygens has not heard of pods for 200 s: "));
}

TEST(UnknownPod, SaysWhatThatMayMean) {
  const std::string text = UnknownPodText("default/p", "http://127.0.0.1:8889");
  EXPECT_THAT(text, HasSubstr("pod default/p"));
  EXPECT_THAT(text, HasSubstr("http://127.0.0.1:8889"));
  EXPECT_THAT(text, HasSubstr("-n NAMESPACE"));
  EXPECT_THAT(text, HasSubstr("`kubectl get pod -n default p -o\n"));
  EXPECT_THAT(text, Not(HasSubstr("Node called")));
  EXPECT_THAT(UnknownPodText("default/n9", "http://127.0.0.1:8889", /*is_node=*/true),
              HasSubstr("; there is a Node called n9: huygens explain node/n9.\nElse that means"));
}

TEST(UnknownNode, NamesTheNearestAndSaysNothingOfPods) {
  const std::string text = UnknownNodeText("nuam-1", "http://127.0.0.1:8889", {"numa-1", "worker"});
  EXPECT_THAT(text, HasSubstr("no Node called nuam-1 is known to the huygens at http://127.0.0.1:8889; did you mean "
                              "node/numa-1?\nIt knows 2 nodes"));
  EXPECT_THAT(text, Not(HasSubstr("pod")));
  EXPECT_THAT(UnknownNodeText("numa-2", "url", {"numa-1", "numa-3"}),
              HasSubstr("known to the huygens at url\nIt knows"))
      << "another node, not a misspelling";
}

TEST(NodeZones, AZoneThatOnlyPodsNameSaysWhy) {
  const auto note = [](std::string_view node) {
    const auto said = DecodeJson<admin_api::NodeDocument>(
        Concat(R"({"name":"n1","known":true,)", node,
               R"("zones":[{"name":"node1","zone":1,"absent":true,"allocatable":{},"free":{}}]})"));
    EXPECT_TRUE(said.ok()) << said.status();
    return NodeZonesText(*said, Time());
  };
  EXPECT_THAT(note(R"("mode":"managed",)"), HasSubstr("not in the object any more; counts again when it is back\n"));
  EXPECT_THAT(note(R"("mode":"unusable","defect":"zone node1: bad",)"),
              AllOf(HasSubstr("counts for nothing while the object cannot be used\n"), Not(HasSubstr("any more;"))));
  EXPECT_THAT(note(R"("mode":"none",)"), HasSubstr("its object is gone; counts again when it is back\n"));
}

TEST(NodeZones, SaysWhatRequestsLeaveAndWhoHoldsThemWithoutZones) {
  const auto text = [](std::string_view more) {
    const auto node = DecodeJson<admin_api::NodeDocument>(Concat(
        R"({"name":"n1","known":true,"mode":"managed","allocatable":{"cpu":"32"},"requested":{"cpu":"30200m"},)"
        R"("pods":[{"pod":"default/a","requests":{"cpu":"20"},"zones":[{"name":"node0","zone":0,"amount":{}}]},)",
        more, R"({"pod":"default/search-1","requests":{"cpu":"10"},"zones":[]},)",
        R"({"pod":"default/idle","zones":[]}]})"));
    EXPECT_TRUE(node.ok()) << node.status();
    return NodeZonesText(*node, Time());
  };
  EXPECT_THAT(text(""), HasSubstr("\nrequested 30200m of 32 cpu, 1800m left for kube-scheduler; 10 of it by "
                                  "default/search-1, which holds no zones\n"));
  EXPECT_THAT(text(R"({"pod":"kube-system/agent","requests":{"cpu":"200m"},"zones":[]},)"),
              HasSubstr("; 10200m of it by 2 pods that hold no zones, most by default/search-1: 10\n"));
}

TEST(NodeZones, ShowsZonesWhoHoldsThemAndWhatIsWrong) {
  const auto node = DecodeJson<admin_api::NodeDocument>(
      R"({"name":"n1","known":true,"mode":"managed","lostTopology":true,"topologyWritten":"2026-11-21T12:00:00Z","notices":["label x: no"],"zones":[)"
      R"({"name":"node0","zone":0,"stale":true,"offlineCpu":"7","offlineUpdated":"2026-11-21T12:00:00Z","allocatable":{"cpu":"8"},"effective":{"cpu":"7"},)"
      R"("used":{"cpu":"4"},"free":{"cpu":"3"},"cores":4,"wholeCores":1},)"
      R"({"name":"node9","zone":9,"absent":true,"allocatable":{},"effective":{"cpu":"0"},"used":{"cpu":"2"},)"
      R"("free":{"cpu":"0"}}],"pods":[{"pod":"default/a","uid":"u","reservation":"reserved","zones":[)"
      R"({"name":"node0","zone":0,"amount":{"cpu":"4"}}]},{"pod":"default/b","uid":"v","zones":[]}]})");
  ASSERT_TRUE(node.ok()) << node.status();
  const std::string text = NodeZonesText(*node, *ParseRfc3339("2026-11-21T15:00:00Z"));
  EXPECT_THAT(text, HasSubstr("zones: managed: huygens chooses zones\n! its NodeResourceTopology was deleted"));
  EXPECT_THAT(text, HasSubstr("\n! label x: no\nits topology object was written 2026-11-21T12:00:00Z (3h ago)\n"));
  EXPECT_THAT(text, HasSubstr("  ZONE   CAN GIVE  USED  FREE"));
  EXPECT_THAT(text, HasSubstr("  node0  7         4     3     ! real capacity 7 cpu; that is out of date, of "
                              "2026-11-21T12:00:00Z (3h ago): that figure goes on counting "
                              "(topology.realCapacity.whenStale); 1 of 4 cores unused\n"));
  EXPECT_THAT(text, HasSubstr("  node9  0         2     0     not in the object any more"));
  EXPECT_THAT(text, HasSubstr("  default/a  node0: 4 cpu  reserved: its Binding is on the way\n  1 pod without zones: "
                              "default/b; `huygens explain default/b` says why\n"));
  const auto lost = DecodeJson<admin_api::NodeDocument>(
      R"({"name":"n1","known":true,"mode":"managed","lostTopology":true,"lossLeftSeconds":412,"lossGraceSeconds":600})");
  EXPECT_THAT(
      NodeZonesText(*lost, Time()),
      HasSubstr("\n! its NodeResourceTopology was deleted 188 s ago; pods that need zones wait for it, 412 s more at "
                "most (topology.lossGrace: 10m), then the node counts as one without\n"));
  const auto unusable =
      DecodeJson<admin_api::NodeDocument>(R"({"name":"n1","known":true,"mode":"unusable","defect":"65 zones"})");
  EXPECT_THAT(NodeZonesText(*unusable, Time()), HasSubstr("! its NodeResourceTopology cannot be used: 65 zones\n"));
  const auto unpredicted = DecodeJson<admin_api::NodeDocument>(R"({"name":"k","known":true,"mode":"kubelet"})");
  EXPECT_THAT(NodeZonesText(*unpredicted, Time()), HasSubstr("every pod passes the zones, and gets none from huygens"));
}

}  // namespace
}  // namespace huygens::reports
