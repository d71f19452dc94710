// A directory of manifests in the place of an API server, with everything around it.
#include "extender/manifest_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/extender/running.h"
#include "tests/fake/temporary_directory.h"

namespace huygens::extender {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ManifestBackendTest : public testing::Test {
 protected:
  ManifestBackendTest() {
    configuration_.cluster = {.kubernetes = std::nullopt,
                              .manifests = settings::ManifestsConfiguration{directory_.path()}};
    configuration_.server.address = configuration_.server.admin_address = "127.0.0.1:0";
  }

  // Node n1, and the group "team" with that many CPUs.
  void WriteNodeAndGroup(std::string_view cpus) {
    directory_.Write("a.yaml", Concat(R"(
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "8", memory: 32Gi, pods: "110"}}
---
apiVersion: quota.huygens.dev/v1alpha1
kind: BizGroupResourceQuota
metadata: {name: team}
spec: {hard: {requests.cpu: ")",
                                      cpus, R"("}}
)"));
  }

  fake::TemporaryDirectory directory_;
  settings::Configuration configuration_;
};

TEST_F(ManifestBackendTest, PodsAreChargedTheRequestsThatAnApiServerWouldHaveGivenThem) {
  WriteNodeAndGroup("6");
  directory_.Write("b.yaml", R"(
apiVersion: v1
kind: Pod
metadata: {name: a, labels: {biz.group.resource.quota: team}}
spec: {nodeName: n1, containers: [{name: app, resources: {limits: {cpu: "3"}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: stated, labels: {biz.group.resource.quota: team}}
spec: {nodeName: n1, containers: [{name: app, resources: {requests: {cpu: 500m}, limits: {cpu: "3"}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: b, labels: {biz.group.resource.quota: team}}
spec: {containers: [{name: app, resources: {limits: {cpu: "1"}}}]}
)");
  Running huygens(configuration_);
  ASSERT_TRUE(huygens.AwaitReady());
  EXPECT_THAT(huygens.Admin("/debug/quotas"), HasSubstr(R"("key":"requests.cpu","hard":"6","used":"3500m")"));
  EXPECT_EQ(huygens.Call("bind", R"({"PodName":"b","PodNamespace":"default","PodUID":"manifest/Pod/default/b",)"
                                 R"("Node":"n1"})"),
            R"({"Error":""})");
  EXPECT_TRUE(huygens.AwaitAdmin("/debug/quotas", R"("key":"requests.cpu","hard":"6","used":"4500m")"));
}

TEST_F(ManifestBackendTest, FilterAndBindChargeAPodAlike) {
  constexpr std::string_view kPod = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"b","namespace":"default",)"
                                    R"("uid":"u","labels":{"biz.group.resource.quota":"team"}},"spec":{"containers":)"
                                    R"([{"name":"app","resources":{"limits":{"cpu":"1"}}}]}})";
  WriteNodeAndGroup("2");
  directory_.Write("b.json", std::string(kPod));
  Running huygens(configuration_);
  ASSERT_TRUE(huygens.AwaitReady());
  EXPECT_THAT(huygens.Call("filter", Concat(R"({"Pod":)", kPod, R"(,"NodeNames":["n1"]})")),
              HasSubstr(R"("NodeNames":["n1"])"));
  EXPECT_EQ(huygens.Call("bind", R"({"PodName":"b","PodNamespace":"default","PodUID":"u","Node":"n1"})"),
            R"({"Error":""})");
}

TEST_F(ManifestBackendTest, EachFaultOfTheDirectoryIsALineOfTheLog) {
  directory_.Write("a.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: much}}\n");
  {
    Running huygens(configuration_);
    EXPECT_THAT(std::string(Message(huygens.status)), HasSubstr("a.yaml:1: Node n1: "));
  }
  directory_.Write("b.yaml", "apiVersion: v1\nkind: Node\n");
  Running huygens(configuration_);
  EXPECT_EQ(std::string(Message(huygens.status)),
            "cluster.manifests.directory: 2 faults, in the lines of the log above");
  EXPECT_THAT(huygens.Logged("manifests"), ElementsAre(HasSubstr("a.yaml:1: Node n1: "), HasSubstr("b.yaml:1: Node ")));
}

TEST_F(ManifestBackendTest, WhatIsIgnoredOfANodeIsOnItsPage) {
  directory_.Write("a.yaml",
                   "apiVersion: v1\nkind: Node\nmetadata: {name: n1, annotations: {huygens.dev/usage-ceilings: "
                   "\"0.7\"}}\nstatus: {allocatable: {cpu: \"8\"}}\n");
  Running huygens(configuration_);
  ASSERT_TRUE(huygens.AwaitReady());
  EXPECT_TRUE(
      huygens.AwaitAdmin("/debug/nodes/n1", R"("notices":["annotation huygens.dev/usage-ceilings is ignored: )"));
}

}  // namespace
}  // namespace huygens::extender
