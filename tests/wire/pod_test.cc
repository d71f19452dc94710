#include "wire/pod.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cluster/unknown_resources.h"
#include "tests/wire/samples.h"

namespace huygens::wire {
namespace {

using cluster::CpuPolicy;
using cluster::Pod;
using cluster::PodPhase;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int64_t kGi = int64_t{1} << 30;

class PodTest : public testing::Test {
 protected:
  Pod Decode(std::string_view json) {
    auto pod = DecodePod(json, names_);
    EXPECT_TRUE(pod.ok()) << pod.status();
    return pod.ok() ? *pod : Pod();
  }
  std::string Error(std::string_view json) {
    auto pod = DecodePod(json, names_);
    return pod.ok() ? "no error" : std::string(Message(pod.status()));
  }
  Pod WithAnnotation(std::string_view key, std::string_view quoted_value) {
    return Decode(Concat(R"({"metadata":{"annotations":{")", key, "\":", quoted_value, "}}}"));
  }
  // What the nodes of this cluster have.
  PodTest() { (void)names_.Intern("example.com/gpu"); }
  ResourceNames names_;
};

TEST_F(PodTest, KeepsTheNodeSelectorUntilThereIsANode) {
  const Pod pod = Decode(R"({"spec":{"nodeSelector":{"zone":"a","disk":"ssd"}}})");
  ASSERT_TRUE(pod.waiting);
  EXPECT_THAT(pod.waiting->node_selector, ElementsAre(std::pair("disk", "ssd"), std::pair("zone", "a")));
  EXPECT_FALSE(Decode(R"({"spec":{"nodeSelector":{"zone":"a"},"nodeName":"n"}})").waiting);
  EXPECT_FALSE(Decode(R"({"spec":{"nodeSelector":{}}})").waiting);
  EXPECT_FALSE(Decode(R"({"spec":{"nodeSelector":null}})").waiting);
}

TEST_F(PodTest, KeepsTheLabelsAndAnnotationsThatSomebodyAsksFor) {
  constexpr std::string_view kJson = R"({"metadata":{
      "labels":{"app":"web","biz.group.resource.quota":"team","tier":"front"},
      "annotations":{"a.b/c":"x","huygens.dev/smt":"pack","other":"y"}}})";
  Pod pod = Decode(kJson);
  EXPECT_FALSE(pod.texts) << "nobody asks";
  EXPECT_EQ(cluster::LabelOf(pod, "app"), nullptr);
  names_.KeepOfPods(
      {.labels = {"tier", "biz.group.resource.quota", "absent"}, .annotations = {"a.b/c", "huygens.dev/smt"}});
  pod = Decode(kJson);
  ASSERT_NE(cluster::LabelOf(pod, "tier"), nullptr);
  EXPECT_EQ(*cluster::LabelOf(pod, "tier"), "front");
  EXPECT_EQ(*cluster::LabelOf(pod, "biz.group.resource.quota"), "team");
  EXPECT_EQ(cluster::LabelOf(pod, "app"), nullptr);
  EXPECT_EQ(cluster::LabelOf(pod, "absent"), nullptr);
  EXPECT_EQ(cluster::LabelOf(pod, "a.b/c"), nullptr) << "it is an annotation";
  EXPECT_EQ(*cluster::AnnotationOf(pod, "a.b/c"), "x");
  EXPECT_EQ(*cluster::AnnotationOf(pod, "huygens.dev/smt"), "pack");
  EXPECT_EQ(cluster::AnnotationOf(pod, "other"), nullptr);
  EXPECT_EQ(pod.quota->group, "team") << "huygens' own are read all the same";
  EXPECT_EQ(pod.smt, cluster::Smt::kPack);
  EXPECT_FALSE(Decode(R"({"metadata":{"labels":{"app":"web"},"annotations":null}})").texts) << "it has none of them";
}

TEST_F(PodTest, KnowsWhoMadeItFromWhichTemplateAndWhetherItServes) {
  Pod pod = Decode(R"({"metadata":{"creationTimestamp":"2026-03-02T10:00:00Z",
      "labels":{"controller-revision-hash":"web-1","pod-template-hash":"7d","app":"web"},
      "ownerReferences":[{"kind":"Other","uid":"x"},{"kind":"ReplicaSet","name":"web-7d","uid":"u1","controller":true}]},
      "spec":{"terminationGracePeriodSeconds":7},
      "status":{"conditions":[{"type":"PodScheduled","status":"True"},{"type":"Ready","status":"True"}]}})");
  EXPECT_EQ(pod.owner_uid, "u1");
  EXPECT_EQ(pod.template_hash, "7d") << "a ReplicaSet's, whatever else there is";
  EXPECT_TRUE(pod.ready);
  EXPECT_EQ(pod.grace_seconds, 7);
  EXPECT_EQ(pod.created, *ParseRfc3339("2026-03-02T10:00:00Z"));
  pod = Decode(R"({"metadata":{"labels":{"controller-revision-hash":"web-1"}},
      "status":{"conditions":[{"type":"Ready","status":"False"}]}})");
  EXPECT_EQ(pod.template_hash, "web-1");
  EXPECT_FALSE(pod.ready);
  EXPECT_EQ(pod.grace_seconds, 30);
  EXPECT_FALSE(pod.created);
}

TEST_F(PodTest, ReadsWhatADecisionNeeds) {
  Pod pod = Decode(samples::kPod);
  EXPECT_EQ(pod.name, "web-0");
  EXPECT_EQ(pod.namespace_name, "shop");
  EXPECT_EQ(pod.uid, "uid-web-0");
  EXPECT_EQ(pod.node_name, "worker-2");
  EXPECT_EQ(pod.phase, PodPhase::kRunning);
  EXPECT_FALSE(pod.deleting);
  EXPECT_TRUE(pod.owned_by_daemon_set);
  EXPECT_EQ(pod.owner_kind, "DaemonSet");
  EXPECT_EQ(pod.owner_name, "web");
  EXPECT_EQ(pod.priority, 100000);
  ASSERT_NE(pod.quota, nullptr);
  EXPECT_EQ(pod.quota->group, "team-a");
  EXPECT_EQ(pod.quota->cpu_model, "A4");
  ASSERT_EQ(pod.init_containers.size(), 2u);
  EXPECT_EQ(pod.init_containers[0].name, "init");
  EXPECT_FALSE(pod.init_containers[0].restartable);
  EXPECT_EQ(pod.init_containers[0].requests, ResourceVector({{kCpu, 500}, {kMemory, 64 << 20}}));
  EXPECT_EQ(pod.init_containers[0].limits, ResourceVector({{kCpu, 1000}, {kMemory, 128 << 20}}));
  EXPECT_TRUE(pod.init_containers[1].restartable);
  ASSERT_EQ(pod.containers.size(), 1u);
  ResourceId gpu = names_.Find("example.com/gpu").value();
  EXPECT_EQ(pod.containers[0].requests, ResourceVector({{kCpu, 2000}, {kMemory, 4 * kGi}, {gpu, 1}}));
  EXPECT_EQ(pod.overhead, ResourceVector({{kCpu, 250}, {kMemory, 120 << 20}}));
  ASSERT_TRUE(pod.pod_level.has_value());
  EXPECT_EQ(pod.pod_level->requests, ResourceVector({{kCpu, 3000}}));
  EXPECT_EQ(pod.pod_level->limits, ResourceVector({{kCpu, 4000}}));
  EXPECT_EQ(pod.cpu_policy, CpuPolicy::kExclusive);
  EXPECT_EQ(pod.topology_awareness, true);
  EXPECT_THAT(pod.topology_result, ElementsAre(cluster::ZoneAmount{1, {{kCpu, 2000}}}));
  ASSERT_TRUE(pod.placement_mark.has_value());
  EXPECT_EQ(pod.placement_mark->uid, "uid-web-0");
  EXPECT_EQ(pod.placement_mark->node, "worker-2");
}

TEST_F(PodTest, AnEmptyObjectIsAPodOfNothing) {
  Pod pod = Decode("{}");
  EXPECT_EQ(pod.phase, PodPhase::kPending);
  EXPECT_FALSE(pod.Bound());
  EXPECT_FALSE(pod.pod_level.has_value());
  EXPECT_FALSE(pod.topology_awareness.has_value());
}

TEST_F(PodTest, NullsCountAsAbsent) {
  Pod pod = Decode(
      R"({"metadata":{"name":null,"annotations":null,"ownerReferences":null,"deletionTimestamp":null},"spec":{"containers":null,)"
      R"("initContainers":null,"priority":null,"overhead":null,"resources":null,"nodeName":null},"status":null})");
  EXPECT_THAT(pod.containers, IsEmpty());
  EXPECT_FALSE(pod.deleting);
  EXPECT_FALSE(pod.pod_level.has_value());
  pod = Decode(
      R"({"spec":{"containers":[null,{"name":null,"resources":null},{"resources":{"requests":null,"limits":{"cpu":null}}}]}})");
  ASSERT_EQ(pod.containers.size(), 3u);
  EXPECT_EQ(pod.containers[2].limits, ResourceVector({{kCpu, 0}}));  // Go: present, and 0
}

TEST_F(PodTest, OnlyRestartPolicyAlwaysMakesASidecar) {
  Pod pod = Decode(
      R"({"spec":{"initContainers":[{"restartPolicy":"Always"},{"restartPolicy":"OnFailure"},{"restartPolicy":null},{}]}})");
  std::vector<bool> restartable;
  for (const cluster::Container& container : pod.init_containers) restartable.push_back(container.restartable);
  EXPECT_THAT(restartable, ElementsAre(true, false, false, false));
}

TEST_F(PodTest, OfRepeatedFieldsTheLastWins) {
  Pod pod = Decode(
      R"({"metadata":{"name":"a","Name":"b","name":"c"},"spec":{"containers":[{"name":"x"},{"name":"y"}],"containers":[{"name":"z"}],)"
      R"("nodeName":"n"},"Spec":{"priority":3}})");
  EXPECT_EQ(pod.name, "c");
  ASSERT_EQ(pod.containers.size(), 1u);
  EXPECT_EQ(pod.containers[0].name, "z");
  EXPECT_EQ(pod.node_name, "n");  // repeated objects merge
  EXPECT_EQ(pod.priority, 3);
}

TEST_F(PodTest, FieldNamesInAnyCaseButMapKeysExactly) {
  Pod pod = Decode(R"({"METADATA":{"UID":"u","Annotations":{"TOPOLOGY.crane.io/cpu-policy":"numa"}},)"
                   R"("Spec":{"CONTAINERS":[{"Resources":{"REQUESTS":{"CPU":"1","cpu":"2"}}}]}})");
  EXPECT_EQ(pod.uid, "u");
  EXPECT_EQ(pod.cpu_policy, CpuPolicy::kUnset);
  EXPECT_EQ(pod.containers.at(0).requests.Get(kCpu), 2000);
  EXPECT_EQ(pod.containers[0].requests.Get(kFirstUnknownResource), 1);
}

TEST_F(PodTest, QuantitiesMayBeBareNumbersAndAreNeverRoundedThroughADouble) {
  Pod pod =
      Decode(R"({"spec":{"overhead":{"cpu":0.1,"memory":9007199254740993,"pods":1e3,"ephemeral-storage":" 1Gi "}}})");
  EXPECT_EQ(pod.overhead,
            ResourceVector({{kCpu, 100}, {kMemory, 9007199254740993}, {kEphemeralStorage, kGi}, {kPodSlots, 1000}}));
}

TEST_F(PodTest, ErrorsSayWhereAndWhat) {
  EXPECT_THAT(Error(R"({"spec":{"containers":[{},{},{"resources":{"requests":{"cpu":"2x"}}}]}})"),
              testing::StartsWith("spec.containers[2].resources.requests.cpu: quantity \"2x\": "));
  EXPECT_EQ(Error(R"({"spec":{"containers":[{"resources":{"limits":{"cpu":true}}}]}})"),
            "spec.containers[0].resources.limits.cpu: expected a quantity, found a bool");
  EXPECT_EQ(Error(R"({"metadata":{"name":5}})"), "metadata.name: expected a string, found a number");
  EXPECT_EQ(Error(R"({"spec":{"priority":1.5}})"),
            "spec.priority: expected a whole number, found a fraction or exponent");
  EXPECT_EQ(Error(R"({"spec":{"priority":4294967296}})"), "spec.priority: number out of range");
  EXPECT_EQ(Error(R"({"spec":[]})"), "spec: expected an object, found an array");
  EXPECT_EQ(Error(R"({"spec":{"initContainers":{"a":1}}})"), "spec.initContainers: expected an array, found an object");
  EXPECT_EQ(Error("[]"), "expected an object, found an array");
  EXPECT_THAT(Error("{"), HasSubstr("not JSON"));
}

TEST_F(PodTest, WrongTypesElsewhereDoNotMatter) {
  EXPECT_EQ(
      Decode(
          R"({"metadata":{"name":"a","labels":{"app":7},"managedFields":"x"},"spec":{"volumes":{},"tolerations":3},"kind":{}})")
          .name,
      "a");
}

TEST_F(PodTest, ALongQuotedTextInAnErrorEndsAtACharacter) {
  std::string error = Error(Concat(R"({"spec":{"overhead":{"cpu":")", std::string(39, 'x'), "中中中\"}}}"));
  EXPECT_THAT(error, HasSubstr(std::string(39, 'x') + "\""));
  EXPECT_THAT(Error(Concat(R"({"spec":{"overhead":{")", std::string(1 << 20, 'k'), R"(":"x"}}})")).size(),
              testing::Lt(400u));
}

TEST_F(PodTest, CpuPolicyIsOneOfFourWords) {
  auto policy = [&](std::string_view value) {
    return WithAnnotation("topology.crane.io/cpu-policy", value).cpu_policy;
  };
  EXPECT_EQ(policy(R"("none")"), CpuPolicy::kNone);
  EXPECT_EQ(policy(R"("exclusive")"), CpuPolicy::kExclusive);
  EXPECT_EQ(policy(R"("numa")"), CpuPolicy::kNuma);
  EXPECT_EQ(policy(R"("immovable")"), CpuPolicy::kImmovable);
  for (std::string_view other : {R"("")", R"("None")", R"(" numa")", "null"})
    EXPECT_EQ(policy(other), CpuPolicy::kUnset) << other;
}

TEST_F(PodTest, AwarenessIsAWordOfParseBool) {
  auto awareness = [&](std::string_view value) {
    return WithAnnotation("topology.crane.io/topology-awareness", Concat("\"", value, "\"")).topology_awareness;
  };
  for (std::string_view word : {"1", "t", "T", "TRUE", "true", "True"}) EXPECT_EQ(awareness(word), true) << word;
  for (std::string_view word : {"0", "f", "F", "FALSE", "false", "False"}) EXPECT_EQ(awareness(word), false) << word;
  for (std::string_view word : {"", "yes", "tRUE", "2", "true "}) EXPECT_FALSE(awareness(word).has_value()) << word;
}

TEST_F(PodTest, ATopologyResultIsOrderedByZoneAndAddedUp) {
  std::string text =
      R"([{\"name\":\"node10\",\"type\":\"Node\",\"resources\":{\"capacity\":{\"cpu\":\"1\",\"memory\":\"1Gi\"}}},)"
      R"({\"name\":\"node2\",\"type\":\"Node\",\"resources\":{\"capacity\":{\"cpu\":\"1500m\"}}},)"
      R"({\"name\":\"socket0\",\"type\":\"Socket\",\"resources\":{\"capacity\":{\"cpu\":\"9\"}}},)"
      R"({\"name\":\"node2\",\"type\":\"Node\",\"resources\":{\"capacity\":{\"cpu\":2}}},)"
      R"({\"name\":\"unnumbered\",\"type\":\"Node\",\"resources\":{\"capacity\":{\"cpu\":\"9\"}}}])";
  Pod pod = WithAnnotation("topology.crane.io/topology-result", Concat("\"", text, "\""));
  EXPECT_THAT(pod.topology_result, ElementsAre(cluster::ZoneAmount{2, {{kCpu, 3500}}},
                                               cluster::ZoneAmount{10, {{kCpu, 1000}, {kMemory, kGi}}}));
}

TEST_F(PodTest, AMalformedTopologyResultIsNoneAndNoError) {
  for (std::string_view text :
       {"", "null", "[", "{}", "7", "[7]", R"([{\"name\":7}])",
        R"([{\"name\":\"node0\",\"type\":\"Node\",\"resources\":{\"capacity\":{\"cpu\":\"x\"}}}])",
        R"([{\"name\":\"node0\",\"type\":\"Node\",\"resources\":{\"capacity\":{\"cpu\":\"-1\"}}}])"}) {
    EXPECT_THAT(WithAnnotation("topology.crane.io/topology-result", Concat("\"", text, "\"")).topology_result,
                IsEmpty())
        << text;
  }
}

TEST_F(PodTest, APlacementMarkNeedsUidAndNode) {
  for (std::string_view text : {"", "[]", "{}", R"({\"uid\":\"u\"})", R"({\"uid\":1,\"node\":\"n\"})"}) {
    EXPECT_FALSE(WithAnnotation("huygens.dev/placement", Concat("\"", text, "\"")).placement_mark.has_value()) << text;
  }
}

TEST_F(PodTest, APlacementMarkHasTheZonesWithTheResourcesThatThePodItselfNames) {
  const Pod pod = Decode(R"({"metadata":{"annotations":{"huygens.dev/placement":)"
                         R"("{\"uid\":\"u\",\"node\":\"n\",\"zones\":[{\"name\":\"node-1\",\"cpu\":\"2\"},)"
                         R"({\"name\":\"node-0\",\"cpu\":\"500m\",\"example.com/nic\":\"1\"}]}"}},)"
                         R"("spec":{"containers":[{"resources":{"limits":{"example.com/nic":"1"}}}]}})");
  ASSERT_TRUE(pod.placement_mark.has_value());
  const ResourceId nic = kFirstUnknownResource;
  EXPECT_THAT(pod.placement_mark->zones,
              ElementsAre(cluster::ZoneAmount{0, {{kCpu, 500}, {nic, 1}}}, cluster::ZoneAmount{1, {{kCpu, 2000}}}));
  for (std::string_view zones : {"7", R"([{\"cpu\":\"1\"}])", R"([{\"name\":\"node-0\",\"cpu\":\"-1\"}])",
                                 R"([{\"name\":\"node-0\",\"cpu\":\"x\"}])"}) {
    const Pod other =
        WithAnnotation("huygens.dev/placement", Concat(R"("{\"uid\":\"u\",\"node\":\"n\",\"zones\":)", zones, "}\""));
    ASSERT_TRUE(other.placement_mark.has_value()) << zones;
    EXPECT_THAT(other.placement_mark->zones, IsEmpty()) << zones;
  }
}

TEST_F(PodTest, AnObservedPlacementIsReadAsAPlacementMarkOfItsOwn) {
  const Pod pod =
      Decode(R"({"metadata":{"annotations":{"huygens.dev/placement-observed":)"
             R"("{\"uid\":\"u\",\"node\":\"n\",\"zones\":[{\"name\":\"node-1\",\"example.com/nic\":\"1\"}]}"}},)"
             R"("spec":{"containers":[{"resources":{"limits":{"example.com/nic":"1"}}}]}})");
  EXPECT_FALSE(pod.placement_mark.has_value());
  ASSERT_TRUE(pod.observed_mark.has_value());
  ASSERT_TRUE(pod.unknown_resources.has_value());
  EXPECT_EQ(pod.observed_mark->uid, "u");
  EXPECT_EQ(pod.observed_mark->node, "n");
  EXPECT_THAT(pod.observed_mark->zones, ElementsAre(cluster::ZoneAmount{1, {{kFirstUnknownResource, 1}}}));
  for (std::string_view text : {"", "[]", R"({\"uid\":\"u\"})"}) {
    EXPECT_FALSE(WithAnnotation("huygens.dev/placement-observed", Concat("\"", text, "\"")).observed_mark.has_value())
        << text;
  }
}

TEST_F(PodTest, WhatTheAgentSaysOfKubeletCountsAsObservedUnlessAnotherSaysSo) {
  const std::string kubelet =
      R"("huygens.dev/kubelet-placement":"{\"uid\":\"u\",\"node\":\"n\",\"zones\":[{\"name\":\"node1\",\"type\":\"Node\",)"
      R"(\"attributes\":{\"cpus\":\"2,10\"},\"resources\":{\"capacity\":{\"cpu\":\"2\",\"memory\":\"1024\"}}}]}")";
  const std::string other =
      R"("huygens.dev/placement-observed":"{\"uid\":\"u\",\"node\":\"n\",\"zones\":[{\"name\":\"node3\",\"cpu\":\"4\"}]}")";
  const auto zones = [&](const std::string& annotations) {
    const Pod pod = Decode(Concat(R"({"metadata":{"annotations":{)", annotations, "}}}"));
    return pod.observed_mark ? pod.observed_mark->zones : std::vector<cluster::ZoneAmount>();
  };
  EXPECT_THAT(zones(kubelet), ElementsAre(cluster::ZoneAmount{1, {{kCpu, 2000}, {kMemory, 1024}}}));
  for (const std::string& both : {Concat(kubelet, ",", other), Concat(other, ",", kubelet)}) {
    EXPECT_THAT(zones(both), ElementsAre(cluster::ZoneAmount{3, {{kCpu, 4000}}})) << both;
  }
}

TEST_F(PodTest, ADaemonSetThatControlsItMakesADaemonSetPod) {
  auto owned = [&](std::string_view owners) {
    return Decode(Concat(R"({"metadata":{"ownerReferences":)", owners, "}}")).owned_by_daemon_set;
  };
  EXPECT_TRUE(owned(R"([{"kind":"Node"},{"controller":true,"apiVersion":"apps/v1","kind":"DaemonSet"}])"));
  EXPECT_TRUE(owned(R"([{"controller":true,"apiVersion":"apps/v2","kind":"DaemonSet"}])"));
  // Anybody can write an owner that nobody heeds.
  EXPECT_FALSE(owned(R"([{"apiVersion":"apps/v1","kind":"DaemonSet"}])"));
  EXPECT_FALSE(owned(R"([{"controller":false,"apiVersion":"apps/v1","kind":"DaemonSet"}])"));
  EXPECT_FALSE(owned(R"([{"controller":true,"apiVersion":"apps.kruise.io/v1","kind":"DaemonSet"}])"));
  EXPECT_FALSE(owned(R"([{"controller":true,"kind":"DaemonSet"}])"));
  EXPECT_FALSE(owned(R"([{"controller":true,"apiVersion":"apps/v1","kind":"ReplicaSet"},)"
                     R"({"controller":true,"apiVersion":"apps/v1","kind":"DaemonSet"}])"));
  EXPECT_FALSE(owned(R"([{"controller":true,"kind":"ReplicaSet"},null])"));
}

TEST_F(PodTest, TheOwnerIsTheOneMarkedAsController) {
  auto owner = [&](std::string_view owners) {
    const Pod pod = Decode(Concat(R"({"metadata":{"ownerReferences":)", owners, "}}"));
    return Concat(pod.owner_kind, "/", pod.owner_name);
  };
  EXPECT_EQ(owner(R"([{"kind":"Node","name":"n"},{"controller":true,"kind":"ReplicaSet","name":"web-7d4b9"}])"),
            "ReplicaSet/web-7d4b9");
  EXPECT_EQ(owner(R"([{"name":"a","kind":"Job","controller":true},{"name":"b","kind":"Job","controller":true}])"),
            "Job/a");
  EXPECT_EQ(owner(R"([{"kind":"DaemonSet","name":"d"},{"kind":"Job","name":"j","controller":false},null])"), "/");
}

TEST_F(PodTest, LabelsNameTheGroupAndItsModels) {
  const auto quota = [&](std::string_view labels) {
    return Decode(Concat(R"({"metadata":{"labels":)", labels, "}}")).quota;
  };
  const auto all =
      quota(R"({"app":"web","biz.group.resource.quota/gpu-type":"A100.80GB","biz.group.resource.quota":"team-a",)"
            R"("biz.group.resource.quota/cpu-type":"A4","biz.group.resource.quota/memory-type":"DDR5"})");
  ASSERT_NE(all, nullptr);
  EXPECT_EQ(*all, (cluster::QuotaLabels{"team-a", "A4", "A100.80GB", "DDR5"}));
  const auto model_only = quota(R"({"biz.group.resource.quota/gpu-type":"A30"})");
  ASSERT_NE(model_only, nullptr);
  EXPECT_EQ(*model_only, (cluster::QuotaLabels{"", "", "A30", ""}));
  for (const char* none :
       {"null", "{}", R"({"app":"web"})", R"({"biz.group.resource.quota":""})", R"({"BIZ.group.resource.quota":"a"})",
        R"({"biz.group.resource.quotas":"a","biz.group.resource.quota.x":"a","biz.group.resource.quota/other":"a"})"}) {
    EXPECT_EQ(quota(none), nullptr) << none;
  }
  EXPECT_EQ(Decode(R"({"metadata":{"labels":{"biz.group.resource.quota":"a"},"labels":null}})").quota, nullptr);
  // A pod that cannot say its group must not pass as one without.
  EXPECT_EQ(Error(R"({"metadata":{"labels":{"biz.group.resource.quota":7}}})"),
            "metadata.labels.biz.group.resource.quota: expected a string, found a number");
  EXPECT_EQ(Error(R"({"metadata":{"labels":7}})"), "metadata.labels: expected an object, found a number");
}

TEST_F(PodTest, PhasesAndDeletion) {
  auto phase = [&](std::string_view text) { return Decode(Concat(R"({"status":{"phase":")", text, "\"}}")).phase; };
  EXPECT_EQ(phase("Succeeded"), PodPhase::kSucceeded);
  EXPECT_EQ(phase("Failed"), PodPhase::kFailed);
  EXPECT_EQ(phase("Pending"), PodPhase::kPending);
  EXPECT_EQ(phase(""), PodPhase::kPending);
  EXPECT_EQ(phase("Sleeping"), PodPhase::kUnknown);
  EXPECT_TRUE(Decode(R"({"metadata":{"deletionTimestamp":"2026-11-21T11:36:17Z"}})").deleting);
}

TEST_F(PodTest, TenThousandContainers) {
  std::string json = R"({"spec":{"containers":[)";
  for (int i = 0; i < 10000; ++i)
    json +=
        Concat(i == 0 ? "" : ",", R"({"name":"c)", std::to_string(i), R"(","resources":{"requests":{"cpu":"10m"}}})");
  json += "]}}";
  Pod pod = Decode(json);
  ASSERT_EQ(pod.containers.size(), 10000u);
  EXPECT_EQ(pod.containers[9999].name, "c9999");
  EXPECT_EQ(pod.containers[9999].requests.Get(kCpu), 10);
}

TEST_F(PodTest, APodOfOneAndAHalfMegabytes) {
  std::string note;
  while (note.size() < 1500000) note += R"(\"\\\u003c中\n)";
  Pod pod = Decode(Concat(R"({"metadata":{"annotations":{"note":")", note, R"("},"name":"big"}})"));
  EXPECT_EQ(pod.name, "big");
}

TEST(Pod, AnAnnotationCannotFillTheTableOfResourceNames) {
  ResourceNames names;
  auto pod = DecodePod(
      R"({"metadata":{"name":"a","annotations":{"topology.crane.io/topology-result":)"
      R"("[{\"name\":\"node0\",\"type\":\"Node\",\"resources\":{\"capacity\":{\"cpu\":\"2\",\"made/up\":\"1\"}}}]"}}})",
      names);
  ASSERT_TRUE(pod.ok());
  ASSERT_EQ(pod->topology_result.size(), 1u);
  EXPECT_EQ(pod->topology_result[0].amount, (ResourceVector{{kCpu, 2000}}));
  EXPECT_FALSE(names.Find("made/up"));
}

TEST(Pod, MadeUpResourcesTakeNoRoomThatNodesNeed) {
  ResourceNames names;
  const size_t before = names.size();
  std::string requests = R"("cpu":"1")";
  for (int i = 0; i < 4100; ++i) requests += Concat(R"(,"made.up/r)", std::to_string(i), R"(":"1")");
  Status left_out;
  auto pod = DecodePod(Concat(R"({"metadata":{"name":"a"},"spec":{"overhead":{"made.up/r0":"3","zero/zero":"0"},)",
                              R"("containers":[{"resources":{"requests":{)", requests, "}}}]}}"),
                       names, &left_out);
  ASSERT_TRUE(pod.ok());
  EXPECT_EQ(names.size(), before);
  EXPECT_TRUE(names.Intern("vendor.com/new-device").ok());
  EXPECT_THAT(std::string(Message(left_out)), HasSubstr("more than 64 resources that no node has"));
  ASSERT_TRUE(pod->unknown_resources.has_value());
  EXPECT_EQ(pod->unknown_resources->size(), 64u);
  EXPECT_EQ(pod->containers[0].requests.Get(kCpu), 1000);
  EXPECT_EQ(pod->overhead, (ResourceVector{{kFirstUnknownResource, 3}}));
}

TEST(Pod, AResourceThatANodeNamesLaterCounts) {
  ResourceNames names;
  const std::string mark = R"({\"uid\":\"u\",\"node\":\"n\",\"zones\":[{\"name\":\"node-1\",\"b/nic\":\"1\"}]})";
  Status left_out;
  auto decoded =
      DecodePod(Concat(R"({"metadata":{"name":"a","uid":"u","annotations":{"huygens.dev/placement":")", mark,
                       R"("}},"spec":{"containers":[{"resources":{"requests":{"cpu":"1","a/gpu":"2","b/nic":"1"},)",
                       R"("limits":{"a/gpu":"2","b/nic":"1"}}}]}})"),
                names, &left_out);
  ASSERT_TRUE(decoded.ok());
  EXPECT_TRUE(left_out.ok());
  const auto pod = std::make_shared<const Pod>(*std::move(decoded));
  EXPECT_EQ(cluster::WithKnownResources(pod, names), pod);  // nothing to copy it for
  EXPECT_EQ(cluster::ResourceName(*pod, names, kFirstUnknownResource), "a/gpu");
  EXPECT_EQ(cluster::ResourceName(*pod, names, kCpu), "cpu");

  const ResourceId nic = *names.Intern("b/nic");
  const auto partly = cluster::WithKnownResources(pod, names);
  EXPECT_EQ(partly->containers[0].requests, (ResourceVector{{kCpu, 1000}, {nic, 1}, {kFirstUnknownResource, 2}}));
  EXPECT_EQ(partly->placement_mark->zones, (std::vector<cluster::ZoneAmount>{{1, {{nic, 1}}}}));
  EXPECT_EQ(cluster::ResourceName(*partly, names, kFirstUnknownResource), "a/gpu");

  const ResourceId gpu = *names.Intern("a/gpu");
  const auto known = cluster::WithKnownResources(partly, names);
  EXPECT_EQ(known->containers[0].limits, (ResourceVector{{nic, 1}, {gpu, 2}}));
  EXPECT_FALSE(known->unknown_resources.has_value());
}

// "gpus:train-gpus nic:? none:-" of each claim: the name, not known yet, none needed.
std::string Claims(std::string_view json) {
  ResourceNames names;
  const auto pod = DecodePod(json, names);
  if (!pod.ok()) return std::string(Message(pod.status()));
  if (!pod->claims) return "absent";
  std::string text;
  for (const cluster::PodClaim& claim : *pod->claims) {
    const std::string name = !claim.needed ? "-" : claim.name.empty() ? Concat("? of ", claim.made_from) : claim.name;
    text += Concat(text.empty() ? "" : " ", claim.entry, ":", name);
  }
  return text;
}

TEST(PodClaims, AreNamedBySpecOrStatus) {
  EXPECT_EQ(Claims(R"({"metadata":{"name":"p"},"spec":{}})"), "absent");
  EXPECT_EQ(Claims(R"({"metadata":{"name":"p"},"spec":{"resourceClaims":[]}})"), "absent");
  const std::string spec =
      R"("spec":{"resourceClaims":[{"name":"own","resourceClaimName":"c1"},{"name":"made","resourceClaimTemplateName":"t"}]})";
  EXPECT_EQ(Claims("{" + spec + "}"), "own:c1 made:? of t");
  const std::string named =
      R"("status":{"resourceClaimStatuses":[{"name":"other","resourceClaimName":"x"},{"name":"made","resourceClaimName":"p-made-7kx2p"},{"name":"own","resourceClaimName":"y"}]})";
  EXPECT_EQ(Claims("{" + spec + "," + named + "}"), "own:c1 made:p-made-7kx2p");
  EXPECT_EQ(Claims("{" + named + "," + spec + "}"), "own:c1 made:p-made-7kx2p") << "in any order";
  EXPECT_EQ(Claims("{" + spec + R"(,"status":{"resourceClaimStatuses":[{"name":"made"}]}})"), "own:c1 made:-");
  EXPECT_EQ(Claims(R"({"spec":{"resourceClaims":[{"name":"own","source":{"resourceClaimName":"c1"}}]}})"), "own:? of ")
      << "as Kubernetes 1.30 had it";
}

}  // namespace
}  // namespace huygens::wire
