// The whole extender, sockets and threads included, against a fake API server that does what real ones do on bad days.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/extender/running.h"
#include "tests/fake/api_server.h"
#include "tests/fake/kubeconfig.h"
#include "tests/fake/objects.h"
#include "tests/fake/temporary_directory.h"
#include "tests/net/fixture.h"
#include "tests/net/other_address.h"

namespace huygens::extender {
namespace {

using fake::Fault;
using testing::HasSubstr;

class IntegrationTest : public testing::Test {
 protected:
  IntegrationTest() {
    api_.Put(fake::FreeLease());
    configuration_.cluster.kubernetes->kubeconfig =
        folder_.Write("kubeconfig", fake::Kubeconfig(Concat("http://127.0.0.1:", std::to_string(api_.port())), "t"));
    configuration_.server.address = configuration_.server.admin_address = "127.0.0.1:0";
    configuration_.filter.checks = {"topology"};
    configuration_.prioritize.terms = {{"FewestZones", 1}};
  }

  void AddNode(const std::string& name, const std::vector<std::string>& zones) {
    api_.Put(fake::Node(name).Cpu("64"));
    fake::CraneTopology topology(name);
    for (size_t i = 0; i < zones.size(); ++i) topology.Zone(Concat("node", std::to_string(i)), zones[i]);
    api_.Put(topology);
  }
  std::string AddPod(const std::string& name, const std::string& cpu) {
    return api_.Put(fake::Pod("default", name).Cpu(cpu).Annotation("topology.crane.io/topology-awareness", "true"));
  }
  static std::string BindBody(const std::string& pod, const std::string& uid, const std::string& node) {
    return Concat(R"({"PodName":")", pod, R"(","PodNamespace":"default","PodUID":")", uid, R"(","Node":")", node,
                  R"("})");
  }
  std::string Filter(const Running& huygens, const std::string& pod, const std::string& node) const {
    return huygens.Call(
        "filter", Concat(R"({"Pod":)", api_.Get(fake::kPods, "default", pod), R"(,"NodeNames":[")", node, R"("]})"));
  }
  static bool EndsSettled(const Running& huygens) {
    auto end = std::chrono::steady_clock::now() + kPatience;
    while (huygens.Metric("huygens_reservations{state=\"assumed\"}") != 0 ||
           huygens.Metric("huygens_reservations{state=\"reserved\"}") != 0) {
      if (std::chrono::steady_clock::now() > end) return false;
    }
    return huygens.Metric("huygens_reservation_drift") == 0;
  }

  fake::ApiServer api_;
  fake::TemporaryDirectory folder_;
  settings::Configuration configuration_;
};

TEST_F(IntegrationTest, AZoneWithRoomForOneTakesExactlyOneOfFiftyConcurrentBinds) {
  AddNode("n1", {"4", "1"});
  std::vector<std::string> uids;
  for (int i = 0; i < 50; ++i) uids.push_back(AddPod(Concat("p", std::to_string(i)), "4"));
  Running huygens(configuration_);
  ASSERT_TRUE(huygens.AwaitReady());
  std::vector<std::string> answers(50);
  std::vector<std::thread> callers;
  for (int i = 0; i < 50; ++i) {
    callers.emplace_back(
        [&, i] { answers[i] = huygens.Call("bind", BindBody(Concat("p", std::to_string(i)), uids[i], "n1")); });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(std::count(answers.begin(), answers.end(), R"({"Error":""})"), 1);
  EXPECT_EQ(std::count(answers.begin(), answers.end(), R"({"Error":"node(s) had insufficient resource of NUMA node"})"),
            49);
  EXPECT_EQ(api_.Seen("POST", "/binding"), 1);
  EXPECT_TRUE(EndsSettled(huygens));
}

TEST_F(IntegrationTest, ABindThatIsNotJsonIsRefusedAndTheNextOneServed) {
  AddNode("n1", {"2"});
  std::string uid = AddPod("a", "2");
  Running huygens(configuration_);
  ASSERT_TRUE(huygens.AwaitReady());
  EXPECT_THAT(huygens.Call("bind", "not json"), HasSubstr("not an extender request"));
  EXPECT_THAT(huygens.Call("bind", R"({"PodName":1})"), HasSubstr(R"({"Error":")"));
  EXPECT_EQ(huygens.Call("bind", BindBody("a", uid, "n1")), R"({"Error":""})");
}

TEST_F(IntegrationTest, ABindOfAnUnspeakableNameAsksTheApiServerNothing) {
  AddNode("n1", {"2"});
  Running huygens(configuration_);
  ASSERT_TRUE(huygens.AwaitReady());
  EXPECT_THAT(huygens.Call("bind", BindBody("../secrets/s", "u", "n1")), HasSubstr("not a Kubernetes name"));
  EXPECT_EQ(api_.Seen("GET", "secrets"), 0);
}

TEST_F(IntegrationTest, TheBindingCarriesBothAnnotationsInOneWrite) {
  AddNode("n1", {"2", "4"});
  std::string uid = AddPod("a", "2");
  Running huygens(configuration_);
  ASSERT_TRUE(huygens.AwaitReady());
  EXPECT_EQ(huygens.Call("bind", BindBody("a", uid, "n1")), R"({"Error":""})");
  std::string pod = api_.Get(fake::kPods, "default", "a");
  EXPECT_THAT(pod, HasSubstr("topology.crane.io/topology-result"));
  EXPECT_THAT(pod, HasSubstr("node1"));
  EXPECT_THAT(pod, HasSubstr("huygens.dev/placement"));
  EXPECT_EQ(api_.Seen("PATCH", "/pods/"), 0);
  EXPECT_TRUE(EndsSettled(huygens));
}

// What the API server, or the network, does to the first Binding; the pod is bound in the end and nothing leaks.
struct BadDay {
  const char* name;
  Fault::What what;
  int code;
};
class BadDayTest : public IntegrationTest, public testing::WithParamInterface<BadDay> {};

TEST_P(BadDayTest, ThePodIsBoundOnceAndTheLedgerIsEmptyAfterwards) {
  AddNode("n1", {"2"});
  std::string uid = AddPod("a", "2");
  Running huygens(configuration_);
  ASSERT_TRUE(huygens.AwaitReady());
  Fault fault{.what = GetParam().what, .method = "POST", .path = "/binding", .times = 1, .code = GetParam().code};
  if (fault.code == 429) fault.headers = "Retry-After: 0\r\n";
  api_.Inject(fault);
  // kube-scheduler asks again when it is told an error.
  auto end = std::chrono::steady_clock::now() + kPatience;
  std::string answer;
  while ((answer = huygens.Call("bind", BindBody("a", uid, "n1"))) != R"({"Error":""})" &&
         std::chrono::steady_clock::now() < end) {
  }
  EXPECT_EQ(answer, R"({"Error":""})");
  EXPECT_EQ(api_.NodeOf("default", "a"), "n1");
  EXPECT_TRUE(EndsSettled(huygens));
}
INSTANTIATE_TEST_SUITE_P(Binding, BadDayTest,
                         testing::Values(BadDay{"TooManyRequests", Fault::What::kReply, 429},
                                         BadDay{"InternalError", Fault::What::kReply, 500},
                                         BadDay{"Conflict", Fault::What::kReply, 409},
                                         BadDay{"CutBefore", Fault::What::kCutBefore, 0},
                                         BadDay{"CutAfter", Fault::What::kCutAfter, 0},
                                         BadDay{"CutInBody", Fault::What::kCutInBody, 0}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_F(IntegrationTest, AHangingApiServerIsAnsweredWithinTheDeadlineAndSettledLater) {
  configuration_.server.request_deadline = std::chrono::milliseconds(300);
  AddNode("n1", {"2"});
  std::string uid = AddPod("a", "2");
  Running huygens(configuration_);
  ASSERT_TRUE(huygens.AwaitReady());
  auto gate = std::make_shared<fake::Gate>();
  api_.Inject({.what = Fault::What::kHoldAnswer, .method = "POST", .path = "/binding", .gate = gate});
  EXPECT_THAT(huygens.Call("bind", BindBody("a", uid, "n1")), testing::Not(R"({"Error":""})"));
  gate->Open();
  auto end = std::chrono::steady_clock::now() + kPatience;
  while (huygens.Call("bind", BindBody("a", uid, "n1")) != R"({"Error":""})" &&
         std::chrono::steady_clock::now() < end) {
  }
  EXPECT_EQ(api_.NodeOf("default", "a"), "n1");
  EXPECT_TRUE(EndsSettled(huygens));
}

TEST_F(IntegrationTest, WatchesThatAreCutCompactedAndRepeatedLoseAndDoubleNothing) {
  AddNode("n1", {"4"});
  std::string first = AddPod("a", "2");
  Running huygens(configuration_);
  ASSERT_TRUE(huygens.AwaitReady());
  EXPECT_EQ(huygens.Call("bind", BindBody("a", first, "n1")), R"({"Error":""})");
  api_.CutWatches(fake::kPods);
  std::string second = AddPod("b", "2");
  api_.Compact();
  EXPECT_EQ(huygens.Call("bind", BindBody("b", second, "n1")), R"({"Error":""})");
  std::string third = AddPod("c", "2");
  EXPECT_THAT(huygens.Call("bind", BindBody("c", third, "n1")), HasSubstr("insufficient"));
  api_.Delete(fake::kPods, "default", "a");
  std::string again = AddPod("a", "2");
  auto end = std::chrono::steady_clock::now() + kPatience;
  while (huygens.Call("bind", BindBody("a", again, "n1")) != R"({"Error":""})" &&
         std::chrono::steady_clock::now() < end) {
  }
  EXPECT_EQ(api_.NodeOf("default", "a"), "n1");
  EXPECT_TRUE(EndsSettled(huygens));
}

TEST_F(IntegrationTest, IsNotReadyAndDecidesNothingUntilEveryKindIsSynced) {
  auto gate = std::make_shared<fake::Gate>();
  api_.Inject({.what = Fault::What::kHold, .method = "GET", .path = "/api/v1/pods?", .gate = gate});
  AddNode("n1", {"4"});
  Running huygens(configuration_);
  ASSERT_TRUE(huygens.AwaitAdmin("/readyz?verbose", "[-]pods"));
  EXPECT_THAT(huygens.Call("filter", R"({"Pod":{},"NodeNames":["n1"]})"), HasSubstr("waiting for the first list of"));
  EXPECT_THAT(huygens.Logged("answered with an error"),
              testing::ElementsAre(testing::AllOf(HasSubstr("verb=filter"), HasSubstr("huygens is not ready"))));
  gate->Open();
  EXPECT_TRUE(huygens.AwaitReady());
}

TEST_F(IntegrationTest, DebugFromElsewhereTakesATokenThatTheApiServerLetsRead) {
  const std::string other = net::OtherAddress();
  if (other.empty()) GTEST_SKIP() << "this machine has no address but loopback";
  configuration_.server.admin_address = "0.0.0.0:0";
  configuration_.server.allow_plain_http_admin = true;
  const auto answer = [&](const char* path, const char* body) {
    api_.Inject({.method = "POST", .path = path, .times = -1, .code = 201, .body = body});
  };
  answer("tokenreviews", R"({"kind":"TokenReview","status":{"authenticated":true,"user":{"username":"anna"}}})");
  answer("subjectaccessreviews", R"({"kind":"SubjectAccessReview","status":{"allowed":true}})");
  Running huygens(configuration_);
  ASSERT_TRUE(huygens.AwaitReady());
  net::ClientOptions options{.base_url = Concat("http://", other, ":", std::to_string(huygens.admin_port()))};
  EXPECT_EQ((*net::Client::Create(options))->Call("GET", "/debug/nodes", "", {}, kPatience)->code, 401);
  options.bearer_token = "anna's";
  EXPECT_EQ((*net::Client::Create(options))->Call("GET", "/debug/nodes", "", {}, kPatience)->code, 200);
  EXPECT_EQ(api_.Seen("POST", "tokenreviews"), 1);
  EXPECT_EQ(api_.last_authorization(), "Bearer t") << "huygens asks as itself";
  EXPECT_EQ(api_.Seen("POST", "subjectaccessreviews"), 1);
}

TEST_F(IntegrationTest, AskedToEndItIsNotReadyButServesOnAndEndsEachConnection) {
  configuration_.server.lame_duck = std::chrono::minutes(5);
  configuration_.server.shutdown_grace = std::chrono::minutes(10);
  Running huygens(configuration_);
  ASSERT_TRUE(huygens.AwaitReady());
  EXPECT_EQ(huygens.Metric("huygens_ready"), 1);
  huygens.Drain();
  ASSERT_TRUE(huygens.AwaitAdmin("/readyz", "[-]serving draining: answers are still given"));
  EXPECT_THAT(huygens.Admin("/readyz"), HasSubstr("bind-lease")) << "who is not ready says all";
  EXPECT_EQ(huygens.Metric("huygens_ready"), 0);
  net::testing::RawConnection connection(huygens.port());
  connection.Send(net::testing::Post("{}"));
  const auto reply = connection.Receive();
  EXPECT_EQ(reply.status, 200);
  EXPECT_NE(reply.head.find("Connection: close"), std::string::npos) << reply.head;
}

TEST_F(IntegrationTest, CallsThatAreNoneAreCountedAndLogged) {
  configuration_.server.max_body_bytes = 1000;
  Running huygens(configuration_);
  EXPECT_THAT(huygens.Call("nowhere", "{}"), HasSubstr("huygens serves POST"));
  EXPECT_THAT(huygens.Call("filter", std::string(2000, ' ')), HasSubstr("larger than 1000 bytes"));
  auto malformed = [&](std::string_view verb) {
    return huygens.Metric(Concat("huygens_request_duration_seconds_count{outcome=\"malformed\",verb=\"", verb, "\"}"));
  };
  EXPECT_EQ(malformed("other"), 1);
  EXPECT_EQ(malformed("filter"), 1);
  EXPECT_THAT(huygens.Logged("refused a request"), testing::ElementsAre(HasSubstr("verb=nowhere status=404")));
}

TEST_F(IntegrationTest, AKindWhoseDefinitionIsAbsentKeepsNothingFromBeingReady) {
  api_.Install(fake::kCommunity, false);
  AddNode("n1", {"4"});
  Running huygens(configuration_);
  ASSERT_TRUE(huygens.AwaitReady());
  EXPECT_THAT(huygens.Admin("/readyz?verbose"), HasSubstr("absent"));
}

TEST_F(IntegrationTest, TwoInstancesNeverBindBeyondAZone) {
  AddNode("n1", {"8"});
  std::vector<std::string> uids;
  for (int i = 0; i < 16; ++i) uids.push_back(AddPod(Concat("p", std::to_string(i)), "2"));
  Running one(configuration_);
  Running two(configuration_);
  ASSERT_TRUE(one.AwaitReady());
  ASSERT_TRUE(two.AwaitReady());
  auto work = [&](const Running& huygens, int begin) {
    auto end = std::chrono::steady_clock::now() + kPatience;
    for (int i = begin; i < 16; i += 2) {
      while (std::chrono::steady_clock::now() < end) {
        std::string answer = huygens.Call("bind", BindBody(Concat("p", std::to_string(i)), uids[i], "n1"));
        if (answer == R"({"Error":""})" || answer.find("insufficient") != std::string::npos) break;
      }
    }
  };
  std::thread other([&] { work(two, 1); });
  work(one, 0);
  other.join();
  int bound = 0;
  for (int i = 0; i < 16; ++i) bound += api_.NodeOf("default", Concat("p", std::to_string(i))) == "n1" ? 1 : 0;
  EXPECT_EQ(bound, 4);
  EXPECT_TRUE(EndsSettled(one));
  EXPECT_TRUE(EndsSettled(two));
}

TEST_F(IntegrationTest, AFailedBindIsToldOnThePod) {
  AddNode("n1", {"2"});
  std::string uid = api_.Put(fake::Pod("default", "a").Cpu("2").Gated());
  Running huygens(configuration_);
  ASSERT_TRUE(huygens.AwaitReady());
  EXPECT_THAT(huygens.Call("bind", BindBody("a", uid, "n1")), HasSubstr("schedulingGates"));
  EXPECT_TRUE(huygens.AwaitAdmin("/metrics", "huygens_pod_events_total{result=\"sent\"} 1"));
  EXPECT_EQ(api_.Seen("POST", "/events"), 1);
  EXPECT_TRUE(EndsSettled(huygens));
}

class QuotaIntegrationTest : public IntegrationTest {
 protected:
  QuotaIntegrationTest() {
    configuration_.filter.checks = {"topology", "quota"};
    configuration_.wake.min_interval = std::chrono::milliseconds(10);
    AddNode("n1", {"8"});
  }
  std::string AddGroupPod(const std::string& name) {
    return api_.Put(fake::Pod("default", name).Cpu("2").Label("biz.group.resource.quota", "team"));
  }
};

TEST_F(QuotaIntegrationTest, APodThatItsGroupRefusesIsToldOnceAndWokenWhenTheGroupGrows) {
  AddGroupPod("a");
  api_.Put(fake::BizGroupQuota("team").Hard("limits.cpu", "1"));
  Running huygens(configuration_);
  ASSERT_TRUE(huygens.AwaitReady());
  ASSERT_TRUE(api_.AwaitSeen("PATCH", "/nodes/n1", 1)) << "everything is tried again after a start";
  for (int i = 0; i < 3; ++i) EXPECT_THAT(Filter(huygens, "a", "n1"), HasSubstr("business group is exhausted"));
  EXPECT_TRUE(huygens.AwaitAdmin("/metrics", "huygens_pod_events_total{result=\"suppressed\"} 2"));
  EXPECT_TRUE(huygens.AwaitAdmin("/metrics", "huygens_pod_events_total{result=\"sent\"} 1"));
  EXPECT_EQ(api_.Seen("POST", "/events"), 1);
  EXPECT_THAT(api_.last_body(),
              HasSubstr(R"("reason":"QuotaExceeded","message":"quota bizrq/team: limits.cpu used 0)"));
  EXPECT_TRUE(huygens.AwaitAdmin("/debug/decisions?pod=default/a", "limits.cpu used 0 of 1, requested 2"));
  api_.Put(fake::BizGroupQuota("team").Hard("limits.cpu", "2"));
  ASSERT_TRUE(api_.AwaitSeen("PATCH", "/pods/a", 1));
  EXPECT_THAT(Filter(huygens, "a", "n1"), HasSubstr(R"("NodeNames":["n1"])"));
}

TEST_F(QuotaIntegrationTest, WithoutTheDefinitionNoGroupExists) {
  api_.Install(fake::kBizGroupQuotas, false);
  AddGroupPod("a");
  Running huygens(configuration_);
  ASSERT_TRUE(huygens.AwaitReady());
  EXPECT_THAT(Filter(huygens, "a", "n1"), HasSubstr("does not exist"));
}

constexpr char kGpus[] = "gpu.deviceclass.resource.k8s.io/devices";

std::string ClaimingPod(const std::string& name, const std::string& claim) {
  std::string pod = fake::Pod("default", name).Cpu("2").Label("biz.group.resource.quota", "team");
  const std::string claims = Concat(R"("resourceClaims":[{"name":"gpus","resourceClaimName":")", claim, R"("}],)");
  return pod.insert(pod.find("\"spec\":{") + 8, claims);
}

std::string GpuClaim(const std::string& name, int gpus, std::string_view version = "v1") {
  return Concat(R"({"apiVersion":"resource.k8s.io/)", version,
                R"(","kind":"ResourceClaim","metadata":{"namespace":"default","name":")", name,
                R"("},"spec":{"devices":{"requests":[{"name":"r",)", version == "v1" ? R"("exactly":{)" : "",
                R"("deviceClassName":"gpu","count":)", std::to_string(gpus), version == "v1" ? "}" : "", "}]}}}");
}

TEST_F(QuotaIntegrationTest, DevicesOfClaimsAreHeldAgainstTheGroup) {
  api_.Put(fake::BizGroupQuota("team").Hard(kGpus, "1"));
  api_.Put(GpuClaim("one", 1));
  api_.Put(GpuClaim("two", 2));
  api_.Put(ClaimingPod("a", "one"));
  api_.Put(ClaimingPod("b", "two"));
  Running huygens(configuration_);
  ASSERT_TRUE(huygens.AwaitReady());
  EXPECT_THAT(Filter(huygens, "a", "n1"), HasSubstr(R"("NodeNames":["n1"])"));
  EXPECT_THAT(Filter(huygens, "b", "n1"), HasSubstr("exhausted"));
  EXPECT_TRUE(huygens.AwaitAdmin("/debug/decisions?pod=default/b", "devices used 0 of 1, requested 2"));
  EXPECT_THAT(huygens.Admin("/readyz?verbose"), HasSubstr("[+]resourceclaims.resource.k8s.io synced"));
}

TEST_F(QuotaIntegrationTest, ClaimsOfAnOlderVersionCountAsWell) {
  api_.Install(fake::kResourceClaims, false);
  api_.Install(fake::kDeviceClasses, false);
  api_.Install(fake::kResourceClaimsBeta, true);
  api_.Put(fake::BizGroupQuota("team").Hard(kGpus, "1"));
  api_.Put(GpuClaim("two", 2, "v1beta1"));
  api_.Put(ClaimingPod("b", "two"));
  Running huygens(configuration_);
  ASSERT_TRUE(huygens.AwaitReady());
  EXPECT_THAT(Filter(huygens, "b", "n1"), HasSubstr("exhausted"));
  EXPECT_THAT(huygens.Admin("/readyz?verbose"), HasSubstr("[+]deviceclasses.resource.k8s.io absent"));
}

// As with the ClusterRole of an earlier huygens.
TEST_F(QuotaIntegrationTest, WithoutThePermissionToReadClaimsOnlyWhoAsksForDevicesWaits) {
  for (const char* kind : {fake::kResourceClaims, fake::kDeviceClasses}) {
    api_.Inject({.path = kind, .times = -1, .code = 403});
  }
  api_.Put(fake::BizGroupQuota("team").Hard(kGpus, "1"));
  api_.Put(GpuClaim("one", 1));
  api_.Put(ClaimingPod("a", "one"));
  AddGroupPod("plain");
  Running huygens(configuration_);
  ASSERT_TRUE(huygens.AwaitReady());
  const std::string ready = huygens.Admin("/readyz?verbose");
  EXPECT_THAT(ready, HasSubstr("[!]resourceclaims.resource.k8s.io forbidden"));
  EXPECT_THAT(ready, HasSubstr("[!]deviceclasses.resource.k8s.io forbidden"));
  EXPECT_THAT(ready, HasSubstr("verbs: [list, watch]"));
  EXPECT_THAT(Filter(huygens, "a", "n1"), HasSubstr("a ResourceClaim of the pod is unknown"));
  EXPECT_TRUE(huygens.AwaitAdmin("/debug/decisions?pod=default/a", "huygens may not read resourceclaims"));
  EXPECT_THAT(Filter(huygens, "plain", "n1"), HasSubstr(R"("NodeNames":["n1"])"));
}

TEST_F(QuotaIntegrationTest, NobodyWatchesGroupsThatNobodyAsksAbout) {
  configuration_.quota.enforcement = quota::Enforcement::kOff;
  Running huygens(configuration_);
  ASSERT_TRUE(huygens.AwaitReady());
  EXPECT_EQ(api_.Seen("GET", "/bizgroupresourcequotas"), 0);
  EXPECT_EQ(huygens.Metric("huygens_watch_synced{kind=\"bizgroupresourcequotas.quota.huygens.dev\"}"), 1);
  EXPECT_THAT(huygens.Admin("/readyz?verbose"), testing::Not(HasSubstr("bizgroupresourcequotas")));
}

TEST_F(IntegrationTest, ARejectedPodIsWokenWhenItsNodeGainsAndOnlyThen) {
  configuration_.wake.min_interval = std::chrono::milliseconds(10);
  AddNode("n1", {"2"});
  std::string uid = AddPod("a", "4");
  Running huygens(configuration_);
  ASSERT_TRUE(huygens.AwaitReady());
  ASSERT_TRUE(api_.AwaitSeen("PATCH", "/nodes/n1", 1)) << "everything is tried again after a start";
  EXPECT_THAT(Filter(huygens, "a", "n1"), HasSubstr("insufficient"));
  AddNode("n1", {"3"});
  AddNode("n1", {"1"});
  AddNode("n1", {"4"});
  ASSERT_TRUE(api_.AwaitSeen("PATCH", "/pods/a", 1));
  EXPECT_TRUE(huygens.AwaitAdmin("/metrics", "huygens_pods_woken_total 1"));
  EXPECT_THAT(api_.Get(fake::kPods, "default", "a"), HasSubstr("huygens.dev/wake"));
  EXPECT_EQ(huygens.Metric("huygens_pods_waiting"), 0);
  EXPECT_EQ(huygens.Call("bind", BindBody("a", uid, "n1")), R"({"Error":""})");
  EXPECT_EQ(api_.Seen("PATCH", "/pods/"), 1);
}

TEST_F(IntegrationTest, WakingThatIsRefusedIsTriedAgainWithoutAStorm) {
  configuration_.wake.min_interval = std::chrono::milliseconds(10);
  AddNode("n1", {"2"});
  AddPod("a", "4");
  Running huygens(configuration_);
  ASSERT_TRUE(huygens.AwaitReady());
  ASSERT_TRUE(api_.AwaitSeen("PATCH", "/nodes/n1", 1));
  EXPECT_THAT(Filter(huygens, "a", "n1"), HasSubstr("insufficient"));
  for (int code : {403, 429, 500}) api_.Inject({.what = Fault::What::kReply, .method = "PATCH", .code = code});
  api_.Inject({.what = Fault::What::kCutBefore, .method = "PATCH"});
  AddNode("n1", {"4"});
  EXPECT_TRUE(huygens.AwaitAdmin("/metrics", "huygens_pods_woken_total 1"));
  EXPECT_EQ(huygens.Metric("huygens_wake_writes_total{result=\"failed\"}"), 4);
  EXPECT_EQ(api_.Seen("PATCH", "/pods/a"), 5);
}

TEST_F(IntegrationTest, WithoutWakingNothingIsRememberedOrWritten) {
  configuration_.wake.enabled = false;
  AddNode("n1", {"2"});
  AddPod("a", "4");
  Running huygens(configuration_);
  ASSERT_TRUE(huygens.AwaitReady());
  EXPECT_THAT(Filter(huygens, "a", "n1"), HasSubstr("insufficient"));
  EXPECT_EQ(huygens.Metric("huygens_pods_waiting"), 0);
  EXPECT_EQ(api_.Seen("PATCH", ""), 0);
}

TEST_F(IntegrationTest, RefusesToStartWithoutUsableCredentials) {
  configuration_.cluster.kubernetes->kubeconfig = folder_.File("absent");
  Running huygens(configuration_);
  EXPECT_FALSE(huygens.status.ok());
  EXPECT_THAT(std::string(Message(huygens.status)), HasSubstr("absent"));
}

TEST_F(IntegrationTest, WhatIsIgnoredOfAnObjectIsLoggedOnceThoughItIsWrittenAgain) {
  const auto object = [](const std::string& cpu) {
    return fake::CommunityTopology("k").Zone("node-0", cpu).Attribute("topologyManagerPolicy", "restrictd");
  };
  api_.Put(fake::Node("k").Cpu("64").Annotation("huygens.dev/usage-ceilings", "0.7"));
  api_.Put(fake::Node("both").Cpu("64"));
  api_.Put(fake::CraneTopology("both").Zone("node0", "4"));
  const auto beside = [](const std::string& cpu) {
    return fake::CommunityTopology("both").Zone("node-0", cpu).Attribute("topologyManagerScope", "node");
  };
  api_.Put(beside("4"));
  api_.Put(object("4"));
  Running huygens(configuration_);
  ASSERT_TRUE(huygens.AwaitReady());
  ASSERT_TRUE(huygens.AwaitAdmin("/debug/nodes/k", R"("available":{"cpu":"4"})"));
  EXPECT_THAT(huygens.Admin("/debug/nodes/k"), HasSubstr("kubelet knows no restrictd"));
  api_.Put(fake::Node("k").Cpu("32").Annotation("huygens.dev/usage-ceilings", "0.7"));
  ASSERT_TRUE(huygens.AwaitAdmin("/debug/nodes/k", R"("cpu":"32")"));
  api_.Put(beside("6"));
  api_.Put(object("6"));
  ASSERT_TRUE(huygens.AwaitAdmin("/debug/nodes/k", R"("available":{"cpu":"6"})"));
  EXPECT_THAT(huygens.Logged("restrictd"), testing::ElementsAre(HasSubstr("part of an object is ignored")));
  EXPECT_THAT(huygens.Logged("kubelet knows no node"), testing::SizeIs(1)) << "beside the object in force";
  EXPECT_THAT(huygens.Logged("usage-ceilings"), testing::ElementsAre(HasSubstr("part of an object is ignored")));
}

TEST_F(IntegrationTest, PodsOfAnApiServerAreChargedAsTheyAreStored) {
  configuration_.filter.checks = {"quota"};
  api_.Put(fake::BizGroupQuota("team").Hard("requests.cpu", "4"));
  api_.Put(fake::Node("n1").Cpu("8"));
  api_.Put(fake::Pod("default", "a").Label("biz.group.resource.quota", "team").Limit("cpu", "3").On("n1"));
  api_.Put(fake::Pod("default", "b").Label("biz.group.resource.quota", "team").Request("cpu", "1").On("n1"));
  Running huygens(configuration_);
  ASSERT_TRUE(huygens.AwaitReady());
  EXPECT_THAT(huygens.Admin("/debug/quotas"), HasSubstr(R"("key":"requests.cpu","hard":"4","used":"1")"));
}

TEST_F(IntegrationTest, ANodesLabelsAndCeilingsThatMeanNothingAreLoggedOnce) {
  configuration_.filter.checks = {"topology", "usage"};
  configuration_.usage.resources = {{.name = "cpu"}, {.name = "disk"}};
  const auto node = [](const std::string& cpu, const std::string& policy, const std::string& ceilings) {
    return fake::Node("n")
        .Cpu(cpu)
        .Label("huygens.dev/cpu-manager-policy", policy)
        .Annotation("huygens.dev/usage-ceilings", ceilings);
  };
  api_.Put(node("64", "Static", R"({"cpu":0.5,"cpuu":0.6,"disk":0.7})"));
  api_.Put(fake::Node("good").Cpu("64").Annotation("huygens.dev/usage-ceilings", R"({"cpu":0.5})"));
  Running huygens(configuration_);
  ASSERT_TRUE(huygens.AwaitReady());
  ASSERT_TRUE(huygens.AwaitAdmin("/debug/nodes/n", R"("cpu":"64")"));
  api_.Put(node("32", "Static", R"({"cpu":0.5,"cpuu":0.6,"disk":0.7})"));
  ASSERT_TRUE(huygens.AwaitAdmin("/debug/nodes/n", R"("cpu":"32")"));
  EXPECT_THAT(
      huygens.Logged("part of an object is ignored"),
      testing::ElementsAre(testing::AllOf(
          HasSubstr("kind=nodes object=n "), HasSubstr("label huygens.dev/cpu-manager-policy: kubelet knows no Static"),
          HasSubstr("annotation huygens.dev/usage-ceilings: no resource of usage.resources is called cpuu, so "
                    "its ceiling is held by nobody; there are cpu, disk"))));
  api_.Put(node("16", "static", R"({"cpu":0.5})"));
  ASSERT_TRUE(huygens.AwaitAdmin("/debug/nodes/n", R"("cpu":"16")"));
  api_.Put(node("8", "Static", R"({"cpu":0.5})"));
  ASSERT_TRUE(huygens.AwaitAdmin("/debug/nodes/n", R"("cpu":"8")"));
  EXPECT_THAT(huygens.Logged("part of an object is ignored"), testing::SizeIs(2)) << "it was mended in between";
}

TEST_F(IntegrationTest, ANodeThatComesAgainIsToldOfAnew) {
  const auto node = fake::Node("n").Cpu("64").Label("huygens.dev/cpu-manager-policy", "Static");
  api_.Put(node);
  Running huygens(configuration_);
  ASSERT_TRUE(huygens.AwaitReady());
  ASSERT_TRUE(huygens.AwaitAdmin("/debug/nodes/n", R"("cpu":"64")"));
  api_.Delete(fake::kNodes, "", "n");
  api_.Put(node);
  api_.Put(fake::Node("after-watch").Cpu("1"));
  ASSERT_TRUE(huygens.AwaitAdmin("/debug/nodes", "after-watch"));
  EXPECT_THAT(huygens.Logged("part of an object is ignored"), testing::SizeIs(2));

  api_.Silence(fake::kNodes, true);
  api_.Delete(fake::kNodes, "", "n");
  api_.Put(fake::Node("after-list").Cpu("1"));
  api_.Compact();
  api_.EndWatches(fake::kNodes);
  ASSERT_TRUE(huygens.AwaitAdmin("/debug/nodes", "after-list"));
  ASSERT_TRUE(huygens.AwaitAdmin("/debug/nodes/n", "error"));
  api_.Silence(fake::kNodes, false);
  api_.Put(node);
  ASSERT_TRUE(huygens.AwaitAdmin("/debug/nodes/n", R"("cpu":"64")"));
  EXPECT_THAT(huygens.Logged("part of an object is ignored"), testing::SizeIs(3));
}

TEST_F(IntegrationTest, CeilingsAreNotJudgedWhereNoUseIsWatched) {
  api_.Put(fake::Node("n").Cpu("64").Annotation("huygens.dev/usage-ceilings", R"({"cpuu":0.6})"));
  Running huygens(configuration_);
  ASSERT_TRUE(huygens.AwaitReady());
  EXPECT_THAT(huygens.Logged("part of an object is ignored"), testing::IsEmpty());
}

}  // namespace
}  // namespace huygens::extender
