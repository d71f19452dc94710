#include "cli/pods_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fake/temporary_directory.h"
#include "wire/pod.h"

namespace huygens::cli {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class PodsFile : public testing::Test {
 protected:
  StatusOr<std::vector<PodManifest>> Read(const std::string& text) {
    return ReadPods(folder_.Write("pods.yaml", text), names_);
  }

  fake::TemporaryDirectory folder_;
  ResourceNames names_;
};

TEST_F(PodsFile, GivesPodsTheNamespaceAndUidThatTheyLack) {
  auto pods = Read(
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c}]}\n---\n"
      "apiVersion: v1\nkind: Pod\nmetadata: {name: b, namespace: prod, uid: u-1}\n---\n"
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n---\n"
      "apiVersion: v1\nkind: Pod\nmetadata: {name: d, uid: \"\"}\n");
  ASSERT_TRUE(pods.ok()) << pods.status();
  ASSERT_EQ(pods->size(), 3u);
  std::vector<std::string> keys, uids;
  for (const PodManifest& pod : *pods) {
    keys.push_back(pod.pod.Key());
    uids.push_back(pod.pod.uid);
    // What the verbs are sent says the same.
    auto sent = wire::DecodePod(pod.json, names_);
    ASSERT_TRUE(sent.ok()) << sent.status() << pod.json;
    EXPECT_EQ(sent->Key(), pod.pod.Key());
    EXPECT_EQ(sent->uid, pod.pod.uid);
  }
  EXPECT_THAT(keys, ElementsAre("default/a", "prod/b", "default/d"));
  EXPECT_THAT(uids, ElementsAre("manifest/Pod/default/a", "u-1", "manifest/Pod/default/d"));
}

TEST_F(PodsFile, GivesPodsTheRequestsThatFollowFromLimits) {
  const auto pods = Read(R"(
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  initContainers: [{name: i, resources: {limits: {cpu: 250m}}}]
  containers:
  - {name: stated, resources: {requests: {cpu: 1}, limits: {cpu: 2, memory: 1Gi, nvidia.com/gpu: 1}, claims: [{name: c}]}}
  - {name: nothing, resources: {}}
  - {name: silent}
---
apiVersion: v1
kind: Pod
metadata: {name: b}
spec: {resources: {limits: {cpu: 3}}, containers: [{name: c, resources: {limits: {hugepages-2Mi: 4Mi}}}]}
)");
  ASSERT_TRUE(pods.ok()) << pods.status();
  ASSERT_EQ(pods->size(), 2u);
  for (const auto& [first, second] :
       {std::pair((*pods)[0].pod, (*pods)[1].pod),
        std::pair(*wire::DecodePod((*pods)[0].json, names_), *wire::DecodePod((*pods)[1].json, names_))}) {
    EXPECT_EQ(first.init_containers.at(0).requests.Get(kCpu), 250);
    const cluster::Container& stated = first.containers.at(0);
    EXPECT_EQ(stated.requests.Get(kCpu), 1000) << "what is stated stays";
    EXPECT_EQ(stated.requests.Get(kMemory), int64_t{1} << 30);
    EXPECT_EQ(stated.requests.Get(*names_.Find("nvidia.com/gpu")), 1);
    EXPECT_EQ(stated.limits.Get(kCpu), 2000);
    EXPECT_TRUE(first.containers.at(1).requests.empty() && first.containers.at(2).requests.empty());
    EXPECT_EQ(second.pod_level->requests.Get(kCpu), 3000);
    EXPECT_EQ(second.pod_level->limits.Get(*names_.Find("hugepages-2Mi")), int64_t{4} << 20);
  }
  EXPECT_THAT((*pods)[0].json, HasSubstr(R"("claims":[{"name":"c"}])")) << "nothing is lost";
}

TEST_F(PodsFile, ResourcesThatSayNothingTakeWhatTheApiServerFillsIn) {
  const auto pods = Read(R"(
apiVersion: v1
kind: Pod
metadata: {name: a}
spec: {resources: {}, containers: [{name: c, resources: {limits: {hugepages-2Mi: 4Mi, cpu: 1}}}, {name: d, resources: null}]}
---
apiVersion: v1
kind: Pod
metadata: {name: b}
spec: {resources: null, containers: [{name: c, resources: {limits: {hugepages-2Mi: 4Mi}}}]}
)");
  ASSERT_TRUE(pods.ok()) << pods.status();
  ASSERT_EQ(pods->size(), 2u);
  const ResourceId hugepages = *names_.Find("hugepages-2Mi");
  const auto sent = wire::DecodePod((*pods)[0].json, names_);
  ASSERT_TRUE(sent.ok()) << sent.status() << (*pods)[0].json;
  for (const cluster::Pod* pod : {&(*pods)[0].pod, &*sent}) {
    ASSERT_TRUE(pod->pod_level);
    EXPECT_EQ(pod->pod_level->limits.Get(hugepages), int64_t{4} << 20);
    EXPECT_EQ(pod->pod_level->requests.Get(hugepages), int64_t{4} << 20);
    EXPECT_EQ(pod->pod_level->requests.Get(kCpu), 1000);
    EXPECT_EQ(pod->containers.at(0).requests.Get(hugepages), int64_t{4} << 20);
    EXPECT_TRUE(pod->containers.at(1).requests.empty() && pod->containers.at(1).limits.empty());
  }
  EXPECT_THAT((*pods)[0].json, HasSubstr(R"("resources":null)"));
  EXPECT_FALSE((*pods)[1].pod.pod_level);
  EXPECT_FALSE(wire::DecodePod((*pods)[1].json, names_)->pod_level);
}

TEST_F(PodsFile, FindsTheNodeOfADaemonSetsPodAndNamesWhatItDoesNotHeed) {
  auto pods = Read(R"(
apiVersion: v1
kind: Pod
metadata: {name: daemon}
spec:
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchFields: [{key: metadata.name, operator: In, values: [n1]}]
---
apiVersion: v1
kind: Pod
metadata: {name: choosy}
spec:
  nodeSelector: {disk: ssd}
  topologySpreadConstraints: null
  affinity:
    podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: []}
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions: [{key: zone, operator: In, values: [a]}]
)");
  ASSERT_TRUE(pods.ok()) << pods.status();
  EXPECT_THAT((*pods)[0].only_on, ElementsAre("n1"));
  EXPECT_THAT((*pods)[0].not_looked_at, IsEmpty());
  EXPECT_THAT((*pods)[1].only_on, IsEmpty());
  EXPECT_THAT((*pods)[1].not_looked_at,
              ElementsAre("spec.nodeSelector", "spec.affinity.podAntiAffinity", "spec.affinity.nodeAffinity"));
}

TEST_F(PodsFile, NamesFileAndLineOfAFault) {
  auto bad = Read(
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\nkind: Pod\nmetadata: {name: b}\nspec: {containers: 3}\n");
  ASSERT_FALSE(bad.ok());
  EXPECT_THAT(std::string(Message(bad.status())), HasSubstr("pods.yaml:5: Pod b: spec.containers"));
  const std::string file = folder_.File("pods.yaml");
  const std::string two(Message(Read("kind: Pod\nmetadata: {name: a}\nspec: 3\n---\n"
                                     "kind: Pod\nmetadata: {name: b}\nspec: {containers: 3}\n")
                                    .status()));
  EXPECT_THAT(two, AllOf(StartsWith(Concat("faults in ", file, ":\n", file, ":1: Pod a: spec")),
                         HasSubstr(Concat("\n", file, ":5: Pod b: spec.containers"))));
  EXPECT_THAT(std::string(Message(Read("kind: List\nitems: []\n").status())), HasSubstr("there is no Pod in it"));
  EXPECT_FALSE(ReadPods(folder_.File("none.yaml"), names_).ok());
}

TEST_F(PodsFile, NamesTheKindsThatItFoundInsteadOfAPod) {
  const std::string said(Message(Read("kind: Deployment\nmetadata: {name: a}\n---\nkind: Service\nmetadata: {name: b}\n"
                                      "---\nkind: Service\nmetadata: {name: c}\n")
                                     .status()));
  EXPECT_THAT(said,
              HasSubstr("there is no Pod in it, but 1 object of kind Deployment and 2 objects of kind Service; "));
}

TEST_F(PodsFile, RefusesMisspeltFieldsAndTakesThoseOfAnotherKubernetes) {
  const auto said = [&](const std::string& body) {
    return std::string(Message(Read(Concat("apiVersion: v1\nkind: Pod\n", body)).status()));
  };
  EXPECT_THAT(said("metadata: {name: a}\nspec: {contaners: [{name: c}]}\n"),
              HasSubstr("Pod a: spec.contaners: there is no such field; did you mean containers?"));
  EXPECT_THAT(said("metadata: {name: a, annotation: {x: y}}\n"), HasSubstr("did you mean annotations?"));
  EXPECT_THAT(said("metadata: {name: a}\nspec: {containers: [{name: c, resources: {limit: {cpu: 1}}}]}\n"),
              HasSubstr("spec.containers[0].resources.limit: there is no such field; did you mean limits?"));
  EXPECT_TRUE(
      Read("kind: Pod\nmetadata: {name: a}\nspec: {fieldOfTomorrow: {}, containers: [{name: c, image: x}]}\n").ok());
}

TEST_F(PodsFile, RefusesALimitBelowItsRequest) {
  const auto said = [&](const std::string& resources) {
    return std::string(Message(
        Read(Concat("kind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c, resources: ", resources, "}]}\n"))
            .status()));
  };
  EXPECT_THAT(said("{requests: {cpu: 4}, limits: {cpu: 2}}"),
              HasSubstr("Pod a: spec.containers[0].resources: requests 4 cpu, above the limit of 2"));
  EXPECT_EQ(said("{requests: {cpu: 2, memory: 1Gi}, limits: {cpu: 2}}"), "");
  EXPECT_THAT(std::string(Message(Read("kind: Pod\nmetadata: {name: a}\nspec: {resources: {requests: {memory: 2Gi}, "
                                       "limits: {memory: 1Gi}}}\n")
                                      .status())),
              HasSubstr("spec.resources: requests 2Gi memory, above the limit of 1Gi"));
}

TEST_F(PodsFile, ReadsTheSamplePods) {
  auto pods = ReadPods(HUYGENS_SOURCE_DIR "/config/samples/pods.yaml", names_);
  ASSERT_TRUE(pods.ok()) << pods.status();
  EXPECT_GE(pods->size(), 8u);
}

}  // namespace
}  // namespace huygens::cli
