#include "extender/kubernetes_backend.h"

#include <gmock/gmock.h>

#include "base/steady_now.h"
#include "extender/cluster_updates.h"
#include "tests/extender/fixture.h"
#include "tests/fake/api_server.h"
#include "tests/fake/objects.h"

namespace huygens::extender {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

class KubernetesBackendTest : public ServiceTest {
 protected:
  KubernetesBackendTest() : ServiceTest({.waiting_pods = 10}) {
    context_.monotonic = SteadyNow;
    options_.api_server = api_.Options();
    options_.identity = "me";
  }
  void Start() {
    kubernetes_ = std::make_unique<KubernetesBackend>(context_, loop_, queue_, options_);
    ASSERT_TRUE(kubernetes_->Start().ok());
  }
  std::string Lease() const {
    return Concat(kubernetes_->Details()[0].warning ? "[!]" : "[+]", kubernetes_->Details()[0].detail);
  }
  void AwaitLease(const std::string& text) {
    while (Lease().find(text) == std::string::npos) loop_.Poll();
  }
  void PutLease(const std::string& holder, int seconds) {
    api_.Put(Concat(R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"huygens-bind",)",
                    R"("namespace":"kube-system"},"spec":{"holderIdentity":")", holder, R"(","leaseDurationSeconds":)",
                    std::to_string(seconds), R"(,"renewTime":"2026-11-21T11:36:20.500000Z"}})"));
  }

  fake::ApiServer api_;
  ClusterUpdates updates_{context_};
  informer::WatchEventQueue queue_{updates_, loop_, log_, metrics_};
  KubernetesOptions options_;
  std::unique_ptr<KubernetesBackend> kubernetes_;
};

TEST_F(KubernetesBackendTest, EachBindThatWaitsForTheLeaseHasItsOwnPatience) {
  PutLease("other", 10);
  options_.lease_patience = milliseconds(300);
  Start();
  struct Wait {
    Duration from{}, to{};
    std::string answer;
  };
  std::vector<Wait> waits(2);
  const auto admit = [&](Wait& wait) {
    wait.from = context_.monotonic();
    kubernetes_->Admit([&](const StatusOr<uint64_t>& term) {
      wait.to = context_.monotonic();
      wait.answer = std::string(Message(term.status()));
    });
  };
  admit(waits[0]);
  const net::Timer later = loop_.After(milliseconds(200), [&] { admit(waits[1]); });
  while (waits[1].answer.empty()) loop_.Poll();
  for (const Wait& wait : waits) {
    EXPECT_EQ(wait.answer, "held by other");
    EXPECT_GE(wait.to - wait.from, milliseconds(300));
  }
}

TEST_F(KubernetesBackendTest, AsksForTheVersionUntilItIsSaid) {
  api_.Inject({.path = "/version", .times = 1, .code = 503});
  api_.Inject({.path = "/version", .code = 200, .body = R"({"major":"1","minor":"30"})"});
  Start();
  EXPECT_EQ(kubernetes_->NodeWriteWakesAll(), std::nullopt);
  while (!kubernetes_->NodeWriteWakesAll()) loop_.Poll();
  EXPECT_EQ(kubernetes_->NodeWriteWakesAll(), false);
  EXPECT_EQ(api_.Seen("GET", "/version"), 2);
}

TEST_F(KubernetesBackendTest, SaysThatAHolderClaimsTheLeaseForLongerThanItIsBelieved) {
  PutLease("dead", 86400);
  Start();
  AwaitLease("[!]held by dead, which claims it for 86400 s; 10 s (bind.lease.duration) after its last renewal");
}

TEST_F(KubernetesBackendTest, ALeaseThatNeverWasSettlesSoonerWhereHuygensNeverBound) {
  options_.lease_options.duration = hours(1);
  api_.Put(fake::Pod("default", "a").Cpu("1").On("n1"));
  Start();
  AwaitLease(" more");
  // A third of the duration and the longest call, of which a moment may be over.
  while (Lease().find("; 120") == std::string::npos && Lease().find("; 119") == std::string::npos) loop_.Poll();
  EXPECT_THAT(Lease(), HasSubstr("[!]not held: it was created just now"));
}

TEST_F(KubernetesBackendTest, ABindThatComesWhileTheLeaseSettlesIsToldWhatIsGoingOn) {
  options_.lease_options.duration = hours(1);
  options_.lease_patience = milliseconds(300);
  Start();
  std::string answer;
  AwaitLease(" more");
  kubernetes_->Admit([&](const StatusOr<uint64_t>& term) { answer = std::string(Message(term.status())); });
  while (answer.empty()) loop_.Poll();
  EXPECT_EQ(answer,
            "the bind Lease was created just now (first start in this cluster, or it was deleted): for up to 3600 s "
            "nobody binds, as another huygens might still do so; try again");
}

TEST_F(KubernetesBackendTest, ALeaseThatIsMissingWhereHuygensBoundPodsSettlesForAllItsDuration) {
  options_.lease_options.duration = hours(1);
  api_.Put(fake::Pod("default", "a")
               .Cpu("1")
               .On("n1")
               .Annotation("huygens.dev/placement", R"({"uid":"u","node":"n1","zones":[{"name":"node0","cpu":"1"}]})"));
  // The fixture's lists are complete from the beginning.
  auto known = std::make_shared<cluster::Pod>(*AddPod("known", 1));
  known->node_name = "n1";
  known->placement_mark = {known->uid, known->node_name, {}};
  placement_->Apply(cluster::PodSet{known});
  Start();
  AwaitLease(" more");
  while (queue_.Seen(cluster::Kind::kPod) == 0) loop_.Poll();
  EXPECT_THAT(Lease(), testing::AnyOf(HasSubstr("; 35"), HasSubstr("; 3600")));
}

TEST_F(KubernetesBackendTest, ALeaseThatSomebodyDeletedIsToldAndCounted) {
  api_.Put(fake::FreeLease());
  options_.lease_options.duration = seconds(3);
  Start();
  bool admitted = false;
  kubernetes_->Admit([&](const StatusOr<uint64_t>& term) { admitted = term.ok(); });
  while (!admitted) loop_.Poll();
  api_.Delete(fake::kLeases, "kube-system", "huygens-bind");
  while (metrics_.Render().find("huygens_bind_lease_incidents_total 1") == std::string::npos) {
    kubernetes_->Admit([](const StatusOr<uint64_t>&) {});
    loop_.Poll();
  }
  EXPECT_THAT(captured_.Lines(),
              testing::Contains(testing::AllOf(HasSubstr("somebody meddled with the bind Lease"),
                                               HasSubstr("it was deleted while this instance held it"))));
}

}  // namespace
}  // namespace huygens::extender
