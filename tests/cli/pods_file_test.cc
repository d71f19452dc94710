#include "cli/pods_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "wire/pod.h"

namespace huygens::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class PodsFile : public testing::Test {
 protected:
  PodsFile() {
    std::string name = testing::TempDir() + "huygens-pods-XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~PodsFile() override { std::filesystem::remove_all(folder_); }

  StatusOr<std::vector<PodManifest>> Read(const std::string& text) {
    std::ofstream(folder_ / "pods.yaml") << text;
    return ReadPods((folder_ / "pods.yaml").string(), names_);
  }

  std::filesystem::path folder_;
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
  EXPECT_THAT(std::string(Message(Read("kind: List\nitems: []\n").status())), HasSubstr("there is no Pod in it"));
  EXPECT_FALSE(ReadPods((folder_ / "none.yaml").string(), names_).ok());
}

TEST_F(PodsFile, ReadsTheSamplePods) {
  auto pods = ReadPods(HUYGENS_SOURCE_DIR "/config/samples/pods.yaml", names_);
  ASSERT_TRUE(pods.ok()) << pods.status();
  EXPECT_GE(pods->size(), 8u);
}

}  // namespace
}  // namespace huygens::cli
