// A running `huygens controller`, sockets and threads included, against the fake API server.
#include "controller/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <thread>

#include "certificates/secret.h"
#include "kube/group_status.h"
#include "net/client.h"
#include "reconcile/leader_calls.h"
#include "tests/fake/api_server.h"
#include "tests/fake/kubeconfig.h"
#include "tests/fake/objects.h"
#include "tests/fake/temporary_directory.h"
#include "tests/observe/captured_log.h"
#include "wire/biz_group_quota.h"

namespace huygens::controller {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

constexpr auto kPatience = seconds(20);

// As an instance leaves it that was stopped.
constexpr char kFreeLease[] =
    R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"huygens-controller",)"
    R"("namespace":"kube-system"},"spec":{"holderIdentity":"","leaseDurationSeconds":1,)"
    R"("renewTime":"2026-11-21T11:36:20.500000Z"}})";

std::string Deployment(std::string_view name, int replicas) {
  return Concat(R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"namespace":"shop","name":")", name,
                R"(","labels":{"biz.group.resource.quota":"team"}},"spec":{"replicas":)", std::to_string(replicas),
                R"(,"template":{"spec":{"containers":[{"name":"app","resources":{"limits":{"cpu":"1"}}}]}}}})");
}

class Running {
 public:
  explicit Running(const settings::Configuration& configuration) {
    std::promise<Status> started;
    thread_ = std::thread([this, configuration, &started] {
      auto controller = StartController(configuration, loop_, captured_.log, clock_);
      if (!controller.ok()) return started.set_value(controller.status());
      admin_port_ = (*controller)->admin_port();
      drain_ = [&controller = **controller, this] { controller.Drain([this] { loop_.Stop(); }); };
      started.set_value(absl::OkStatus());
      loop_.Run();
    });
    status = started.get_future().get();
  }
  ~Running() { Stop(); }
  // As after SIGTERM.
  void Stop() {
    if (!thread_.joinable()) return;
    if (status.ok()) loop_.Post([this] { drain_(); });
    thread_.join();
  }

  std::string Admin(std::string_view path) const {
    auto client = net::Client::Create({.base_url = Concat("http://127.0.0.1:", std::to_string(admin_port_))});
    return (*client)->Call("GET", path, "", {}, kPatience).value().body;
  }
  std::vector<std::string> Lines() const { return captured_.Lines(); }

  Status status;

 private:
  net::EventLoop loop_;
  observe::CapturedLog captured_;
  SystemClock clock_;
  std::function<void()> drain_;
  uint16_t admin_port_ = 0;
  std::thread thread_;
};

class ControllerTest : public testing::Test {
 protected:
  ControllerTest() {
    directory_.Write("kubeconfig", fake::Kubeconfig(api_.Options().base_url, "token"));
    configuration_.cluster.kubernetes->kubeconfig = directory_.path() + "/kubeconfig";
    configuration_.server.address = configuration_.server.admin_address = "127.0.0.1:0";
    api_.Put(kFreeLease);
  }
  cluster::BizGroupQuota Group(const std::string& name) const {
    return wire::DecodeBizGroupQuota(api_.Get(fake::kBizGroupQuotas, "", name)).value_or(cluster::BizGroupQuota());
  }
  // Asks until it is so; each look takes a lock that the server takes, too, and nothing sleeps.
  static bool Await(const std::function<bool()>& is_so) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!is_so()) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::yield();
    }
    return true;
  }
  bool AwaitUsed(const std::string& group, std::string_view cpus) const {
    return Await([&] {
      const cluster::BizGroupQuota seen = Group(group);
      const auto* used = quota::Find(seen.used, "limits.cpu");
      return used != nullptr && used->Canonical() == cpus;
    });
  }

  fake::ApiServer api_;
  fake::TemporaryDirectory directory_;
  settings::Configuration configuration_;
};

TEST_F(ControllerTest, CountsGroupsAndWorkloadsOfAnApiServer) {
  api_.Put(fake::BizGroupQuota("org").Hard("limits.cpu", "100"));
  api_.Put(fake::BizGroupQuota("team").Parent("org").Hard("limits.cpu", "10"));
  api_.Put(Deployment("web", 3));
  const Running controller(configuration_);
  ASSERT_TRUE(controller.status.ok()) << controller.status;
  EXPECT_TRUE(AwaitUsed("team", "3"));
  EXPECT_TRUE(AwaitUsed("org", "10"));
  api_.Delete(fake::kDeployments, "shop", "web");
  EXPECT_TRUE(AwaitUsed("team", "0"));
  EXPECT_THAT(controller.Admin("/readyz?verbose"), HasSubstr("leading"));
  const std::string metrics = controller.Admin("/metrics");
  EXPECT_THAT(metrics, HasSubstr("\nhuygens_controller_leader 1\n"));
  EXPECT_THAT(metrics, HasSubstr("\nhuygens_quota_status_writes_total{reason=\"finalizer\"} 2\n"));
  EXPECT_THAT(metrics, HasSubstr("\nhuygens_quota_drift_total{direction=\"over\"} 0\n"));
}

TEST_F(ControllerTest, TakesItsFinalizerOffAGroupThatIsDeleted) {
  api_.Put(fake::BizGroupQuota("team").Hard("limits.cpu", "10"));
  const Running controller(configuration_);
  ASSERT_TRUE(Await([&] { return !Group("team").finalizers.empty(); }));
  api_.Put(R"({"apiVersion":"quota.huygens.dev/v1alpha1","kind":"BizGroupResourceQuota","metadata":{"name":"team",)"
           R"("deletionTimestamp":"2026-11-24T00:00:00Z","finalizers":["quota.huygens.dev/in-use"]},"spec":{}})");
  EXPECT_TRUE(Await([&] { return api_.Get(fake::kBizGroupQuotas, "", "team").empty(); }));
}

TEST_F(ControllerTest, CarriesOutTransfersOfBudget) {
  api_.Put(fake::BizGroupQuota("org").Hard("limits.cpu", "100"));
  api_.Put(fake::BizGroupQuota("team").Parent("org").Hard("limits.cpu", "10"));
  api_.Put(fake::BizGroupQuota("other").Parent("org").Hard("limits.cpu", "5"));
  api_.Put(Deployment("web", 3));
  const Running controller(configuration_);
  ASSERT_TRUE(AwaitUsed("team", "3"));
  api_.Put(R"({"apiVersion":"quota.huygens.dev/v1alpha1","kind":"QuotaTransfer","metadata":{"name":"t"},)"
           R"("spec":{"from":"team","to":"other","amounts":{"limits.cpu":"4"}}})");
  const auto transfer = [&] { return api_.Get(fake::kQuotaTransfers, "", "t"); };
  EXPECT_TRUE(Await([&] { return transfer().find(R"("phase":"Moved")") != std::string::npos; })) << transfer();
  EXPECT_EQ(quota::Get(Group("team").hard, "limits.cpu").Canonical(), "6");
  EXPECT_EQ(quota::Get(Group("other").hard, "limits.cpu").Canonical(), "9");
  EXPECT_TRUE(Await([&] { return Group("team").transfers.empty() && Group("other").transfers.empty(); }));
  EXPECT_TRUE(AwaitUsed("org", "15"));
  EXPECT_THAT(transfer(), HasSubstr("quota.huygens.dev/transfer"));
  EXPECT_THAT(controller.Admin("/readyz?verbose"), HasSubstr("[+]quotatransfers.quota.huygens.dev"));
  EXPECT_THAT(controller.Admin("/metrics"),
              HasSubstr("huygens_controller_reconciles_total{reconciler=\"transfers\",result=\"ok\"}"));
}

TEST_F(ControllerTest, CountsGroupsWhereTransfersAreNotDefinedOrNobodyMayListThem) {
  api_.Put(fake::BizGroupQuota("team").Hard("limits.cpu", "10"));
  api_.Install(fake::kQuotaTransfers, false);
  {
    const Running controller(configuration_);
    EXPECT_TRUE(AwaitUsed("team", "0"));
    EXPECT_TRUE(Await([&] {
      return controller.Admin("/readyz?verbose").find("quotatransfers.quota.huygens.dev absent") != std::string::npos;
    })) << controller.Admin("/readyz?verbose");
  }
  api_.Install(fake::kQuotaTransfers, true);
  api_.Inject({.method = "GET", .path = fake::kQuotaTransfers, .times = -1, .code = 403});
  api_.Put(Deployment("web", 3));
  const Running controller(configuration_);
  EXPECT_TRUE(AwaitUsed("team", "3"));
  EXPECT_THAT(controller.Admin("/readyz?verbose"), HasSubstr("no transfer is carried out"));
}

TEST_F(ControllerTest, AGroupWithoutAParentGoesOnWithItsHoursWhenItIsMadeAnew) {
  const auto put = [&](std::string_view more_metadata, std::string_view status) {
    api_.Put(
        Concat(R"({"apiVersion":"quota.huygens.dev/v1alpha1","kind":"BizGroupResourceQuota","metadata":{"name":"org")",
               more_metadata, R"(},"spec":{"hard":{"cash/limits.cpu":"10"}})", status, "}"));
  };
  constexpr char kConsumed[] =
      R"(,"status":{"exactHours":{"limits.cpu":"7200000"},"lastReconcileTime":"2026-11-24T00:00:00Z"})";
  put("", kConsumed);
  const Running controller(configuration_);
  ASSERT_TRUE(Await([&] { return !Group("org").finalizers.empty(); }));
  put(R"(,"deletionTimestamp":"2026-11-24T00:00:00Z","finalizers":["quota.huygens.dev/in-use"])", kConsumed);
  ASSERT_TRUE(Await([&] { return api_.Get(fake::kBizGroupQuotas, "", "org").empty(); }));
  EXPECT_THAT(api_.Get(fake::kConfigMaps, "kube-system", "huygens-controller-hours"), HasSubstr("7200000"));
  put("", "");
  EXPECT_TRUE(Await([&] { return Group("org").last_reconcile.has_value(); }));
  EXPECT_EQ(quota::Get(Group("org").self_used, "cash/limits.cpu").Canonical(), "2");
}

TEST_F(ControllerTest, KeepsTheCertificatesOfTheWebhookWhereItIsTold) {
  api_.Put(R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration","metadata":)"
           R"({"name":"huygens-webhook"},"webhooks":[{"name":"a.huygens.dev","clientConfig":{}}]})");
  const auto told = [&] { return api_.Get(fake::kValidatingWebhooks, "", "huygens-webhook"); };
  const auto secret = [&] { return api_.Get(fake::kSecrets, "kube-system", "huygens-webhook-tls"); };
  {
    const Running controller(configuration_);
    ASSERT_TRUE(Await([&] { return controller.Admin("/readyz?verbose").find("leading") != std::string::npos; }));
    EXPECT_EQ(secret(), "") << "it was not told to";
  }
  configuration_.controller.certificates.enabled = true;
  const Running controller(configuration_);
  ASSERT_TRUE(Await([&] { return told().find("caBundle") != std::string::npos; }));
  EXPECT_THAT(certificates::DecodeSecret(secret())->data, testing::Contains(testing::Key("tls.key")));
}

TEST_F(ControllerTest, NothingIsWrittenBeforeAllIsListed) {
  api_.Inject({.method = "GET", .path = fake::kReplicaSets, .times = -1, .code = 403});
  api_.Put(fake::BizGroupQuota("team").Hard("limits.cpu", "10"));
  Running controller(configuration_);
  ASSERT_TRUE(Await([&] { return controller.Admin("/readyz?verbose").find("leading") != std::string::npos; }));
  ASSERT_TRUE(api_.AwaitSeen("GET", fake::kReplicaSets, 3));
  EXPECT_EQ(api_.Seen("PUT", "/status"), 0);
  EXPECT_THAT(controller.Admin("/readyz"), HasSubstr("[-]replicasets.apps"));
  api_.ClearFaults();
  EXPECT_TRUE(AwaitUsed("team", "0"));
}

TEST_F(ControllerTest, WhoDoesNotLeadWritesNothingAndTakesOverWhereTheLeaderStops) {
  api_.Put(fake::BizGroupQuota("team").Hard("limits.cpu", "10"));
  auto first = std::make_unique<Running>(configuration_);
  ASSERT_TRUE(AwaitUsed("team", "0"));
  const Running second(configuration_);
  ASSERT_TRUE(Await([&] { return second.Admin("/readyz?verbose").find("held by") != std::string::npos; }));
  EXPECT_THAT(second.Admin("/metrics"), HasSubstr("\nhuygens_controller_leader 0\n"));
  first->Stop();
  api_.Put(Deployment("web", 2));
  EXPECT_TRUE(AwaitUsed("team", "2"));
  EXPECT_THAT(second.Admin("/metrics"), HasSubstr("\nhuygens_controller_leader 1\n"));
}

TEST_F(ControllerTest, TellsByAnEventThatABudgetIsNearlyFull) {
  api_.Put(fake::BizGroupQuota("team").Hard("limits.cpu", "10"));
  const Running controller(configuration_);
  ASSERT_TRUE(AwaitUsed("team", "0"));
  EXPECT_EQ(api_.Count(fake::kEvents), 0u);
  api_.Put(Deployment("web", 9));
  ASSERT_TRUE(Await([&] { return api_.Count(fake::kEvents) == 1; }));
  EXPECT_EQ(api_.Seen("POST", "/api/v1/namespaces/default/events"), 1);
}

// The last leader had seen the Deployment and given its reservation up; the watch of the next one is late.
TEST_F(ControllerTest, ANewLeaderCountsNothingBeforeItsWatchesHaveCaughtUp) {
  api_.Put(
      R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"huygens-controller","namespace":)"
      R"("kube-system"},"spec":{"holderIdentity":"other","leaseDurationSeconds":3600,)"
      R"("renewTime":"2026-11-21T11:36:20.500000Z"}})");
  api_.Put(R"({"apiVersion":"quota.huygens.dev/v1alpha1","kind":"BizGroupResourceQuota","metadata":{"name":"team"},)"
           R"("spec":{"hard":{"limits.cpu":"10"}},"status":{"hard":{"limits.cpu":"10"},"used":{"limits.cpu":"3"},)"
           R"("selfUsed":{"limits.cpu":"3"},"lastReconcileTime":"2026-11-21T11:36:20Z"}})");
  const Running controller(configuration_);
  ASSERT_TRUE(Await([&] { return controller.Admin("/readyz?verbose").find("held by") != std::string::npos; }));
  ASSERT_TRUE(api_.AwaitWatch(fake::kDeployments));
  api_.Silence(fake::kDeployments, true);
  api_.Put(Deployment("web", 3));
  api_.Put(kFreeLease);
  ASSERT_TRUE(Await([&] { return !Group("team").finalizers.empty(); })) << controller.Admin("/readyz?verbose");
  EXPECT_EQ(quota::Get(Group("team").used, "limits.cpu").Canonical(), "3");
}

TEST_F(ControllerTest, ANewLeaderSaysWhichWatchItWaitsFor) {
  api_.Put(fake::BizGroupQuota("team").Hard("limits.cpu", "10"));
  api_.Inject({.method = "GET", .path = "/jobs?limit=1$", .times = -1, .code = 503});
  const Running controller(configuration_);
  EXPECT_TRUE(Await([&] {
    const std::string ready = controller.Admin("/readyz?verbose");
    return ready.find("leading; waiting for the watches") != std::string::npos &&
           ready.find("jobs.batch (") != std::string::npos;
  })) << controller.Admin("/readyz?verbose");
  EXPECT_EQ(api_.Seen("PUT", "/status"), 0);
  api_.ClearFaults();
  EXPECT_TRUE(AwaitUsed("team", "0"));
}

TEST_F(ControllerTest, ManifestsHaveNoStatusToBeWritten) {
  configuration_.cluster.kubernetes.reset();
  configuration_.cluster.manifests = {.directory = directory_.path()};
  const Running controller(configuration_);
  EXPECT_THAT(std::string(Message(controller.status)), HasSubstr("cluster.kubernetes"));
}

class LeaderCallsTest : public testing::Test {
 protected:
  LeaderCallsTest() { api_.Put(fake::BizGroupQuota("team").Hard("limits.cpu", "10")); }
  void Read() {
    calls_.Post([this](net::Client& client, Duration longest) -> kube::CallPool::Then {
      ++begun_;
      const auto read = kube::ReadGroup(client, "team", longest);
      returned_ = true;
      return [this, read] { answers_.push_back(read.status()); };
    });
  }

  fake::ApiServer api_;
  net::EventLoop loop_;
  reconcile::LeaderCalls calls_{loop_, api_.Options(), 1};
  std::atomic<int> begun_ = 0;
  std::atomic<bool> returned_ = false;
  std::vector<Status> answers_;
};

TEST_F(LeaderCallsTest, OnlyTheLeaderCalls) {
  Read();
  ASSERT_TRUE(calls_.Begin([] { return kPatience; }).ok());
  Read();
  while (answers_.empty()) loop_.Poll();
  EXPECT_TRUE(answers_.front().ok()) << answers_.front();
  EXPECT_EQ(api_.Seen("GET", "/team"), 1);
  calls_.End();
  Read();
  loop_.Poll();
  EXPECT_EQ(api_.Seen("GET", "/team"), 1);
}

TEST_F(LeaderCallsTest, NoneBeginsWhenTheTimeIsOverAndNoneIsUnderWayAfterTheEnd) {
  std::atomic<int> asked = 0;
  ASSERT_TRUE(calls_.Begin([&] { return asked++ == 0 ? Duration::zero() : Duration(kPatience); }).ok());
  Read();
  Read();
  while (asked < 2) std::this_thread::yield();
  calls_.End();
  EXPECT_EQ(begun_, 1);

  const auto gate = std::make_shared<fake::Gate>();
  api_.Inject({.what = fake::Fault::What::kHold, .path = "/team", .gate = gate});
  ASSERT_TRUE(calls_.Begin([] { return kPatience; }).ok());
  Read();
  ASSERT_TRUE(gate->AwaitArrival());
  calls_.End();
  EXPECT_TRUE(returned_) << "though the API server has not answered";
  gate->Open();
  loop_.Poll();
  EXPECT_TRUE(answers_.empty()) << "nobody is told how it ended";
}

}  // namespace
}  // namespace huygens::controller
