#include "kube/leader_election.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/base/clock.h"
#include "tests/fake/api_server.h"
#include "tests/fake/objects.h"
#include "tests/fake/waiters.h"

namespace huygens::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// One instance with a clock and a loop of its own; the timers of the loop run by real time.
struct Instance {
  Instance(fake::ApiServer& server, const std::string& identity, Duration end_before = seconds(2)) {
    auto manual = std::make_unique<fake::ManualWaiter>();
    waiter = manual.get();
    election = std::make_unique<LeaderElection>(
        *net::Client::Create(server.Options()), std::move(manual), clock, loop,
        LeaderElection::Options{.lease = {.name = "huygens-controller", .identity = identity},
                                .end_before = end_before},
        LeaderElection::Duties{
            .begin = [this](uint64_t term) { duties.push_back(Concat("begin ", std::to_string(term))); },
            .end = [this](std::string_view why) { duties.push_back(Concat("end: ", why)); }});
    election->Start();
    waiter->AwaitWaiting();
    Work();
  }
  void Work() {
    while (loop.Poll() > 0) {
    }
  }
  void Advance(Duration duration) {
    for (; duration > Duration::zero(); duration -= milliseconds(100)) {
      clock.Advance(milliseconds(100));
      waiter->Advance(milliseconds(100));
      Work();
    }
  }

  test::ManualClock clock;
  fake::ManualWaiter* waiter = nullptr;
  net::EventLoop loop;
  std::vector<std::string> duties;
  std::unique_ptr<LeaderElection> election;
};

// A Lease that an earlier instance gave up, or that this one holds.
std::string LeaseOf(const std::string& holder, int duration_seconds) {
  return Concat(R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"huygens-controller",)",
                R"("namespace":"kube-system"},"spec":{"holderIdentity":")", holder, R"(","leaseDurationSeconds":)",
                std::to_string(duration_seconds), R"(,"renewTime":"2026-11-21T11:36:20.500000Z"}})");
}

class LeaderElectionTest : public testing::Test {
 protected:
  LeaderElectionTest() { server_.Put(LeaseOf("", 1)); }

  fake::ApiServer server_;
};

TEST_F(LeaderElectionTest, OneLeadsAndTheOtherSaysWho) {
  Instance a(server_, "a"), b(server_, "b");
  EXPECT_THAT(a.duties, ElementsAre("begin 1"));
  EXPECT_TRUE(a.election->leading());
  EXPECT_EQ(a.election->Left(), seconds(10));
  EXPECT_EQ(a.election->trouble(), "");
  EXPECT_THAT(b.duties, IsEmpty());
  EXPECT_FALSE(b.election->leading());
  EXPECT_EQ(b.election->Left(), Duration::zero());
  EXPECT_EQ(b.election->trouble(), "held by a");
}

TEST_F(LeaderElectionTest, WhoRenewsLeadsOnInOneTerm) {
  Instance a(server_, "a"), b(server_, "b");
  for (int i = 0; i < 6; ++i) {
    a.Advance(seconds(5));
    b.Advance(seconds(5));
  }
  EXPECT_THAT(a.duties, ElementsAre("begin 1"));
  EXPECT_THAT(b.duties, IsEmpty());
}

TEST_F(LeaderElectionTest, DutiesEndBeforeTheLeaseThoughItsThreadHangs) {
  Instance a(server_, "a", seconds(10) - milliseconds(200));
  const auto patience = std::chrono::steady_clock::now() + seconds(20);
  // The thread waits for a clock that stands still.
  while (a.election->leading() && std::chrono::steady_clock::now() < patience) a.loop.Poll();
  EXPECT_THAT(a.duties, ElementsAre("begin 1", "end: the Lease could not be renewed in time"));
  EXPECT_GT(a.election->Left(), Duration::zero());
  a.Advance(seconds(4));
  ASSERT_GE(a.duties.size(), 3u);
  EXPECT_EQ(a.duties[2], "begin 1") << "it could be renewed after all, and nobody had it in between";
}

TEST_F(LeaderElectionTest, AnInstanceThatDiedIsFollowedByAnotherAfterTheDuration) {
  server_.Put(LeaseOf("dead", 10));
  Instance b(server_, "b");
  b.Advance(seconds(9));
  EXPECT_THAT(b.duties, IsEmpty());
  b.Advance(seconds(3));
  EXPECT_THAT(b.duties, ElementsAre("begin 1"));
}

TEST_F(LeaderElectionTest, WhoStopsEndsItsDutiesAndLetsAnotherLeadAtOnce) {
  Instance a(server_, "a"), b(server_, "b");
  a.election->Stop();
  EXPECT_THAT(a.duties, ElementsAre("begin 1", "end: stopping"));
  EXPECT_EQ(a.election->Left(), Duration::zero());
  a.Work();
  EXPECT_EQ(a.duties.size(), 2u);
  b.Advance(seconds(2));
  EXPECT_THAT(b.duties, ElementsAre("begin 1"));
}

TEST_F(LeaderElectionTest, DutiesEndWhenTheLeaseIsSomebodyElses) {
  Instance a(server_, "a");
  server_.Put(LeaseOf("thief", 10));
  a.Advance(seconds(4));
  EXPECT_THAT(a.duties, ElementsAre("begin 1", "end: held by thief"));
  EXPECT_EQ(a.election->Left(), Duration::zero());
}

TEST_F(LeaderElectionTest, WhereTheApiServerFailsDutiesGoOnWhileTheLeaseLasts) {
  Instance a(server_, "a");
  server_.Inject({.what = fake::Fault::What::kReply, .path = "/leases", .times = -1, .code = 503});
  a.Advance(seconds(5));
  EXPECT_THAT(a.duties, ElementsAre("begin 1"));
  EXPECT_THAT(a.election->trouble(), HasSubstr("503"));
  a.Advance(milliseconds(4500));
  ASSERT_EQ(a.duties.size(), 2u);
  EXPECT_THAT(a.duties[1], HasSubstr("end: "));
  EXPECT_FALSE(a.election->leading());
}

TEST_F(LeaderElectionTest, ALeaseThatSomebodyDeletedIsLeftAloneForItsDuration) {
  server_.Delete(fake::kLeases, "kube-system", "huygens-controller");
  Instance a(server_, "a");
  EXPECT_THAT(a.election->trouble(), HasSubstr("nobody may lead yet"));
  a.Advance(seconds(9));
  EXPECT_THAT(a.duties, IsEmpty());
  a.Advance(seconds(2));
  EXPECT_THAT(a.duties, ElementsAre("begin 1"));
}

}  // namespace
}  // namespace huygens::kube
