// Each kind of refusal, as an operator who knows nothing but `huygens explain` reads it: the cause, figures where there
// are any, and what to do.
#include <gmock/gmock.h>

#include <ostream>

#include "tests/reports/explain_fixture.h"

namespace huygens::reports {
namespace {

using policy::Reason;
using testing::HasSubstr;

struct Refusal {
  std::string_view name;
  Reason reason = Reason::kFits;
  std::string_view quota;        // of the decision
  std::string_view facts;        // likewise
  std::string_view why;          // of the node now, as the server words it; empty: the page does not list it
  std::string_view node_fields;  // more of the node on the pod's page
  std::string_view pod_fields;   // more of that page
  std::string_view quota_now;    // the page of the pod's budget
  std::string_view cause;
  std::string_view figures;
  std::string_view advice;   // below "What to do"
  std::string_view waiting;  // whether it helps

  friend void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.name; }
};

constexpr std::string_view kTriesAgain = "kube-scheduler tries again when something changes in the cluster";

constexpr Refusal kRefusals[] = {
    {.name = "ZoneTaken",
     .reason = Reason::kInsufficientZones,
     .why = "needs 6 cpu in one zone, as the pod asks; freest node1: 5 of 16 free; taken by other pods",
     .cause = "node(s) had insufficient resource of NUMA node: ",
     .figures = "needs 6 cpu in one zone, as the pod asks; freest node1: 5 of 16 free; taken by other pods\n",
     .advice = "taken by other pods: it fits once pods there end: wait, give it a priority",
     .waiting = kTriesAgain},
    {.name = "ZoneNeverFits",
     .reason = Reason::kZonesTooSmall,
     .why = "needs 17 cpu in one zone, as the pod asks; largest node1: 5 of 16 free; too small even when empty",
     .node_fields = R"(,"neverFits":true,"holdsAcross":true,"figures":{"needs":{"cpu":"17"},"oneZone":true,)"
                    R"("zone":"node1","free":{"cpu":"5"},"of":{"cpu":"16"}})",
     .cause = "node(s) had insufficient resource of NUMA node: ",
     .figures = "needs 17 cpu in one zone, as the pod asks; largest node1: 5 of 16 free; too small even when empty\n",
     .advice =
         "too small even when empty: no pod that ends would help: make it a pod of 5 cpu or less (so much is free "
         "now in node1 of n1), or of 16 cpu or less once pods there end (so much has the largest zone, node1 of n1), "
         "allow several zones (topology.crane.io/topology-awareness: \"false\": n1 "
         "would hold it so, once pods there end), or add nodes with larger zones.\n",
     .waiting = "Waiting does not help there: the pod must be allowed several zones "
                "(topology.crane.io/topology-awareness: \"false\") and others there end, or it must ask for less"},
    {.name = "ZoneNeverFitsAnyhow",
     .reason = Reason::kZonesTooSmall,
     .why = "needs 40 cpu in one zone, as the pod asks; largest node1: 5 of 16 free; too small even when empty",
     .node_fields = R"(,"neverFits":true)",
     .cause = "node(s) had insufficient resource of NUMA node: ",
     .figures = "needs 40 cpu in one zone",
     .advice = "no pod that ends would help: ask for less, or add nodes with larger zones.\n",
     .waiting = "Waiting does not help there: the pod must ask for less, or larger nodes must come."},
    {.name = "AllZonesNeverFit",
     .reason = Reason::kZonesTooSmall,
     .why = "needs 40 cpu across zones, as the pod allows; 5 of 32 free; too small even when empty",
     .node_fields = R"(,"neverFits":true,"figures":{"needs":{"cpu":"40"},"oneZone":false,)"
                    R"("free":{"cpu":"5"},"of":{"cpu":"32"}})",
     .cause = "node(s) had insufficient resource of NUMA node: ",
     .figures = "needs 40 cpu across zones",
     .advice = "no pod that ends would help: ask for less, or add larger nodes.\n",
     .waiting = "Waiting does not help there: the pod must ask for less, or larger nodes must come."},
    {.name = "PartsOfCores",
     .reason = Reason::kTooFewCores,
     .why = "kubelet gives whole cores only (full-pcpus-only, 2 threads each): container app asks for 7 cpu, which is "
            "no multiple of 2",
     .node_fields = R"(,"neverFits":true,"figures":{"needs":{"cpu":"7"},"oneZone":false,"container":"app","free":{},)"
                    R"("of":{"cpu":"16"},"coreThreads":2},"ignored":"attribute x: kubelet knows no y")",
     .cause = "node(s) had insufficient CPU cores of NUMA node: kubelet gives whole cores only",
     .figures = "\n! n1: attribute x: kubelet knows no y. What is said of n1 goes by that.\n",
     .advice = "- mend what is marked with ! above; it counts as absent.\n- node(s) had insufficient CPU cores of NUMA "
               "node: ask for 6 or 8 cpu in container app, or allow parts "
               "of cores there (full-pcpus-only of the CPU manager).\n",
     .waiting = "Waiting does not help there: its containers must ask for whole cores."},
    {.name = "ZoneNeverFitsNorSeveral",
     .reason = Reason::kZonesTooSmall,
     .why = "needs 9 cpu in one zone, as the pod asks; largest node3: 6 of 8 free; too small even when empty; over "
            "several zones the zones would hold it, but only 1800m cpu of the node are unrequested",
     .node_fields = R"(,"neverFits":true,"fitsAcross":true,"asks":{"cpu":"9"},"unrequested":{"cpu":"1800m"})",
     .cause = "node(s) had insufficient resource of NUMA node: ",
     .figures = "but only 1800m cpu of the node are unrequested\n",
     .advice =
         "ask for less, allow several zones (topology.crane.io/topology-awareness: \"false\": n1 would hold it so, "
         "once more than 1800m cpu is unrequested there), or add",
     .waiting = "Waiting does not help there: the pod must be allowed several zones "
                "(topology.crane.io/topology-awareness: \"false\") and others there end, or it must ask for less"},
    {.name = "ZoneTakenOnTooSmallANode",
     .reason = Reason::kInsufficientZones,
     .why = "needs 9 cpu in one zone, as the pod asks; freest node1: 5 of 16 free; taken by other pods",
     .node_fields = R"(,"neverFits":true,"asks":{"memory":"64Gi"},"unrequested":{"memory":"32Gi"})",
     .cause = "node(s) had insufficient resource of NUMA node: ",
     .figures = "freest node1: 5 of 16 free; taken by other pods\n",
     .advice = "taken by other pods: no pod that ends would help: what it requests is more than the whole node has. ",
     .waiting = "Waiting does not help there: the pod must ask for less, or larger nodes must come."},
    {.name = "Ceiling",
     .reason = Reason::kUsageCeiling,
     .why = "cpu: 2550m for the pod, 85 % of what it requests or is limited to, nothing measured yet, beside a peak of "
            "12300m (Wed 14:15; the largest there "
            "is shop/web-1, 4), where 12800m of 16 are allowed (usage.resources)",
     .node_fields = R"(,"ceiling":{"resource":"cpu","needs":"2550m","fits":"500m","requests":"588m","hasPods":true})",
     .cause = "node(s) would exceed the usage ceiling: ",
     .figures = "cpu: 2550m for the pod, 85 % of what it requests or is limited to, nothing measured yet, beside a "
                "peak of 12300m (Wed 14:15; the largest "
                "there is shop/web-1, 4), where 12800m of 16 are allowed (usage.resources)\n",
     .advice =
         "ceiling: move or end pods that use much there, make it a pod of 588m cpu or less, as its limit, too (so "
         "much n1 takes now), raise the ceiling (usage.resources, or the annotation "
         "huygens.dev/usage-ceilings), or add nodes; "
         "`huygens explain node/n1` shows a node's week by pod.\n",
     .waiting = kTriesAgain},
    {.name = "CeilingWithoutPodsOrRoom",
     .reason = Reason::kUsageCeiling,
     .why =
         "cpu: 2550m for the pod, beside a peak of 12800m (Wed 14:15; the node's own), where 12800m of 16 are allowed",
     .node_fields = R"(,"ceiling":{"resource":"cpu","needs":"2550m","fits":"0","requests":"0"})",
     .cause = "node(s) would exceed the usage ceiling: ",
     .figures = "the node's own",
     .advice = "node(s) would exceed the usage ceiling: raise the ceiling (usage.resources, or",
     .waiting = kTriesAgain},
    {.name = "CeilingBelowTheNodesOwnUse",
     .reason = Reason::kUsageCeiling,
     .why = "cpu: what runs beside pods used 13 (Thu 09:00) by itself, where 12800m of 16 are allowed "
            "(usage.resources): no pod is small enough",
     .node_fields = R"(,"noPodFits":true)",
     .cause = "node(s) would exceed the usage ceiling: ",
     .figures = "what runs beside pods used 13 (Thu 09:00) by itself, where 12800m of 16 are allowed",
     .advice = "- node(s) would exceed the usage ceiling: nothing fits there: find what runs beside pods (`huygens "
               "explain node/n1` shows its week), or raise the ceiling",
     .waiting = "Waiting does not help there: what runs there beside pods must use less, or the ceilings of use must "
                "be raised."},
    {.name = "InsistsOnZones",
     .reason = Reason::kNoTopology,
     .why = " ",
     .node_fields = R"(,"insists":"topology.crane.io/topology-awareness: \"true\"")",
     .cause = "node(s) failed to get NRT",
     .figures = "",
     .advice = "- node(s) failed to get NRT: the pod insists on zones (topology.crane.io/topology-awareness: "
               "\"true\"); without that n1 would take it, without zones. Or run the exporter or agent there.\n",
     .waiting = "Waiting does not help there: the pod must not insist on zones, or somebody must write the nodes' "
                "topology objects. Then"},
    {.name = "NeverHadTopology",
     .reason = Reason::kNoTopology,
     .why = " ",
     .cause = "node(s) failed to get NRT",
     .figures = "",
     .advice =
         "- node(s) failed to get NRT: run the exporter or agent there. The pod insists on zones, and without them "
         "would not fit there either.\n",
     .waiting =
         "Waiting does not help there: somebody must write the nodes' topology objects, or the pod must not insist "
         "on zones. Then"},
    {.name = "TopologyDemanded",
     .reason = Reason::kNoTopology,
     .why = " ",
     .node_fields = R"(,"demandsTopology":true)",
     .cause = "node(s) failed to get NRT",
     .figures = "",
     .advice = "run the exporter or agent there, or let pods go there without zones (topology.nodesWithoutTopology: "
               "pass, and neither topology-awareness: \"true\" nor huygens.dev/smt on the pod).\n",
     .waiting = "Waiting does not help there: "},
    {.name = "TopologyGivenUp",
     .reason = Reason::kNoTopology,
     .why = "its NodeResourceTopology was deleted, and did not come back within topology.lossGrace (10m)",
     .node_fields = R"(,"gaveUpTopology":true,"insists":"topology.crane.io/topology-awareness: \"true\"")",
     .cause = "node(s) failed to get NRT: its NodeResourceTopology was deleted",
     .figures = "within topology.lossGrace (10m)\n",
     .advice = "the NodeResourceTopology of n1 was deleted: see why its exporter or agent does not write it anew, or "
               "apply its definition again if that went, too (`kubectl apply -k config/crd`). The pod insists on zones "
               "(topology.crane.io/topology-awareness: \"true\"); without that n1 would take it, without zones.\n",
     .waiting = "\nWaits for: the topology object of n1, or the same of 2 nodes more.\n"},
    {.name = "CoresWhereKubeletPins",
     .reason = Reason::kUnknownCores,
     .why = "kubelet pins there by its own options, and never gives what huygens.dev/smt asks for",
     .node_fields = R"(,"givesNoCores":true,"insists":"huygens.dev/smt")",
     .cause = "node(s) had unknown CPU cores of NUMA node: kubelet pins there",
     .figures = "",
     .advice =
         "node(s) had unknown CPU cores of NUMA node: kubelet pins on n1 and never gives what huygens.dev/smt asks "
         "for: without that annotation n1 would take the pod.\n",
     .waiting =
         "Waiting does not help there: huygens.dev/smt must go from the pod, or nodes must come whose agent pins."},
    {.name = "Budget",
     .reason = Reason::kQuotaExceeded,
     .quota = "quota bizrq/search: limits.cpu used 4 of 4, requested 1",
     .quota_now = R"({"group":"search","verdict":"refused","keys":[{"key":"limits.cpu","cost":"1","used":"4",)"
                  R"("hard":"4","lacks":true}],"usedBy":[{"group":"search","key":"limits.cpu",)"
                  R"("pods":[{"name":"shop/a","amount":"3"}],"morePods":2,"children":[]}]})",
     .cause = "\nquota bizrq/search: limits.cpu used 4 of 4, requested 1\n",
     .figures = "\nWho uses limits.cpu of search: pods shop/a 3 and 2 more.\n",
     .advice = "a larger budget (what its parent has left: `huygens quota tree`), a smaller pod, or fewer pods of the "
               "group: `kubectl get pods -A -l biz.group.resource.quota=search` lists them, `huygens quota explain "
               "default/p` what this one costs.\n",
     .waiting = kTriesAgain},
    {.name = "Model",
     .reason = Reason::kQuotaOtherModel,
     .quota = "the pod's label biz.group.resource.quota/cpu-type wants A5, the label huygens.dev/cpu-model is A4 on 3 "
              "nodes",
     .quota_now = R"({"verdict":"fits","models":{"cpu":"A5"},"modelNodes":0,"otherModels":"the pod's label )"
                  R"(biz.group.resource.quota/cpu-type wants A5, the label huygens.dev/cpu-model is A4 on 3 nodes"})",
     .cause = "node(s) were not of the model that the pod's quota labels name",
     .figures = "\nNO NODE is of cpu model A5, and the pod goes to no other: the pod's label "
                "biz.group.resource.quota/cpu-type wants A5, the label huygens.dev/cpu-model is A4 on 3 nodes.\n\n",
     .advice = "mend the pod's label biz.group.resource.quota/cpu-type (A5), or the nodes' label huygens.dev/cpu-model "
               "(or what quota.cpuModelLabel names instead); upper and lower case differ.\n",
     .waiting = "Waiting does not help there: its quota labels must name models that nodes have"},
    {.name = "LostTopology",
     .reason = Reason::kLostTopology,
     .why = "its NodeResourceTopology was deleted 188 s ago; pods that need zones wait for it, 412 s more at most "
            "(topology.lossGrace: 10m)",
     .node_fields = R"(,"lossLeftSeconds":412,"lossGraceSeconds":600)",
     .cause = "node(s) lost their NRT: ",
     .figures = "its NodeResourceTopology was deleted 188 s ago; pods that need zones wait for it, 412 s more at most "
                "(topology.lossGrace: 10m)\n",
     .advice =
         "node(s) lost their NRT: the node's NodeResourceTopology was deleted: see why its exporter or agent does "
         "not write it anew, or apply its definition again",
     .waiting = kTriesAgain},
    {.name = "StaleTopology",
     .reason = Reason::kStaleRealCapacity,
     .why = "needs 5 cpu in one zone, as the pod asks; freest node0: 0 of 0 free; its real capacity, 6 cpu, is out of "
            "date (of 2026-11-21T10:00:00Z) and counts for nothing; it claims 8 cpu",
     .cause = "node(s) had stale real capacity of NUMA node: ",
     .figures =
         "its real capacity, 6 cpu, is out of date (of 2026-11-21T10:00:00Z) and counts for nothing; it claims 8 "
         "cpu\n",
     .advice = "whoever writes offline_capacity has stopped: start it again, or set topology.realCapacity.whenStale",
     .waiting = "Waiting does not help there: the real capacity of their zones must be written again."},
    {.name = "BadAnnotation",
     .reason = Reason::kZonesTooSmall,
     .why = "needs 17 cpu in one zone, as the node asks; largest node1: 16 of 16 free; too small even when empty; over "
            "several zones it would fit",
     .node_fields = R"(,"neverFits":true,"fitsAcross":true)",
     .pod_fields =
         R"(,"notUnderstood":["annotation topology.crane.io/topology-awareness: there is no \"flase\", so it )"
         R"(counts as absent; there are true, false"])",
     .cause =
         "\n! annotation topology.crane.io/topology-awareness: there is no \"flase\", so it counts as absent; there "
         "are true, false\n",
     .figures = "needs 17 cpu in one zone, as the node asks; largest node1: 16 of 16 free;",
     .advice = "- mend what is marked with ! above; it counts as absent.\n",
     .waiting = "Waiting does not help there: what is marked with ! below must be mended, or"},
    {.name = "BadAnnotationThatIsNotTheCause",
     .reason = Reason::kQuotaExceeded,
     .quota = "quota bizrq/search: limits.cpu used 4 of 4, requested 5",
     .pod_fields = R"(,"notUnderstood":["annotation huygens.dev/smt: there is no \"spred\", so it counts as absent; )"
                   R"(there are spread, pack, isolate"])",
     .quota_now = R"({"group":"search","verdict":"refused","keys":[{"key":"limits.cpu","cost":"5","used":"4",)"
                  R"("hard":"4","lacks":true}]})",
     .cause = "\nquota bizrq/search: limits.cpu used 4 of 4, requested 5\n",
     .figures = "\n! annotation huygens.dev/smt: there is no \"spred\"",
     .advice =
         "\n- mend what is marked with ! above, too: it counts as absent, though it is not why the pod is refused.\n",
     .waiting = "Waiting does not help there: its business group's budget must grow"},
    {.name = "Gang",
     .reason = Reason::kInsufficientZones,
     .facts = R"({"gangHolds":6})",
     .why = "needs 6 cpu in one zone, as the pod asks; freest node1: 5 of 16 free; taken by other pods",
     .pod_fields = R"(,"gang":"train")",
     .cause = "\nIt is of the gang train (spec.schedulingGroup), which is placed whole or not at all",
     .figures = "; 6 of them had a node by then",
     .advice = "- its gang does not fit whole: fewer or smaller pods in it, or more nodes.",
     .waiting = kTriesAgain},
    {.name = "UnknownNode",
     .reason = Reason::kUnknownNode,
     .cause = "node(s) not known to huygens yet\n",
     .advice =
         "node(s) not known to huygens yet: the watch has not shown this Node: it is new, or gone; if it stays so "
         "for longer than some seconds see the item nodes of /readyz?verbose.\n",
     .waiting = kTriesAgain},
};

class ExplainRefusal : public ExplainNow, public testing::WithParamInterface<Refusal> {
 protected:
  std::string PageOf(const Refusal& refusal) {
    std::string nodes;
    for (const std::string_view node : kNodes) {
      if (refusal.why.empty()) break;
      nodes += Concat(nodes.empty() ? "" : ",", R"({"name":")", node, R"(","reason":")",
                      policy::Explained(refusal.reason), R"(","why":")", refusal.why, "\"", refusal.node_fields, "}");
    }
    return Concat(R"({"pod":"default/p","uid":"uid-1")", refusal.pod_fields, R"(,"nodes":[)", nodes, "]}");
  }
};

TEST_P(ExplainRefusal, NamesTheCauseTheFiguresAndWhatToDo) {
  const Refusal& refusal = GetParam();
  const std::vector<uint8_t> codes(std::size(kNodes), Code(refusal.reason));
  Add({.verb = "filter",
       .outcome = "rejected",
       .quota = refusal.quota,
       .nodes = kNodes,
       .reasons = std::as_bytes(std::span(codes)),
       .facts_json = std::string(refusal.facts)});
  const std::string text = TextWith(PageOf(refusal), refusal.quota_now);
  EXPECT_THAT(text, HasSubstr("\nRefused for all 3 nodes asked about, 2026-11-21T12:00:01Z (30s ago).\n"));
  EXPECT_THAT(text, HasSubstr(refusal.waiting));
  EXPECT_THAT(text, HasSubstr(refusal.cause));
  EXPECT_THAT(text, HasSubstr(refusal.figures));
  const size_t to_do = text.find("\nWhat to do:\n");
  ASSERT_NE(to_do, std::string::npos) << text;
  EXPECT_THAT(text.substr(to_do), HasSubstr(refusal.advice));
}

INSTANTIATE_TEST_SUITE_P(OfEveryKind, ExplainRefusal, testing::ValuesIn(kRefusals),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace huygens::reports
