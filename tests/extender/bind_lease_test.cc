#include "extender/bind_lease.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/base/clock.h"
#include "tests/fake/api_server.h"
#include "tests/fake/objects.h"
#include "tests/fake/waiters.h"

namespace huygens::extender {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using What = fake::Fault::What;

constexpr Duration kStep = milliseconds(100);

// With a Lease that an earlier instance gave up.
class Server : public fake::ApiServer {
 public:
  Server() { Put(fake::FreeLease()); }
  std::string Lease() const { return Get(fake::kLeases, "kube-system", "huygens-bind"); }
  void DeleteLease() { Delete(fake::kLeases, "kube-system", "huygens-bind"); }
};

// One huygens with a clock of its own.
struct Instance {
  Instance(fake::ApiServer& server, std::string identity, BindLeaseOptions options = {}) {
    auto manual = std::make_unique<fake::ManualWaiter>();
    waiter = manual.get();
    options.lease.identity = std::move(identity);
    lease = std::make_unique<BindLease>(
        *net::Client::Create(server.Options()), std::move(manual), clock, options, [this](const BindLeaseView& view) {
          const std::lock_guard lock(mutex);
          changes.push_back(view.held ? "held" : view.trouble.empty() ? "not held" : view.trouble);
        });
    lease->Start();
    waiter->AwaitWaiting();
  }
  // The thread has done all that is due.
  void Want() {
    lease->Want();
    waiter->AwaitWaiting();
  }
  // In small steps, so that nothing that becomes due on the way is left out.
  void Advance(Duration duration) {
    for (; duration > Duration::zero(); duration -= kStep) {
      clock.Advance(kStep);
      waiter->Advance(kStep);
    }
  }
  // Wants it all the time.
  void Work(Duration duration) {
    for (; duration > Duration::zero(); duration -= kStep) {
      lease->Want();
      clock.Advance(kStep);
      waiter->Advance(kStep);
    }
  }
  // A Binding whose outcome is unknown, and that may be carried out for ten seconds.
  void LeaveInDoubt(std::string_view uid) {
    ASSERT_TRUE(lease->Begin(1, seconds(4)).ok());
    lease->EndInDoubt(uid, seconds(10));
  }
  std::vector<std::string> Changes() {
    const std::lock_guard lock(mutex);
    return changes;
  }

  test::ManualClock clock;
  fake::ManualWaiter* waiter = nullptr;
  std::mutex mutex;
  std::vector<std::string> changes;
  std::unique_ptr<BindLease> lease;
};

TEST(BindLease, IsOnlyLookedAtUntilABindWantsIt) {
  Server server;
  Instance a(server, "a");
  a.Advance(seconds(10));
  EXPECT_FALSE(a.lease->Now().held);
  EXPECT_EQ(server.Seen("GET", "/leases"), 6);
  EXPECT_EQ(server.Requests().size(), 6u);
  a.Want();
  const BindLeaseView view = a.lease->Now();
  EXPECT_TRUE(view.held);
  EXPECT_EQ(view.term, 1u);
  EXPECT_EQ(view.left, seconds(10));
  EXPECT_THAT(a.Changes(), ElementsAre("held"));
}

TEST(BindLease, SaysWhatThePodWatchMustHaveSeen) {
  Server server;
  Instance a(server, "a");
  server.Put(fake::Pod("default", "x"));
  a.Want();
  EXPECT_EQ(a.lease->Now().must_have_seen, server.version());  // read after the Lease was written
  EXPECT_THAT(server.Requests(),
              ElementsAre(HasSubstr("GET"), HasSubstr("GET"), HasSubstr("PUT"), "GET /api/v1/pods?limit=1"));
}

TEST(BindLease, IsGivenUpSoonByWhoIsAboutToEnd) {
  Server server;
  Instance a(server, "a");
  a.Want();
  a.lease->Drain();
  a.Work(seconds(2));
  EXPECT_TRUE(a.lease->Now().held) << "it is still used";
  a.Advance(milliseconds(300));
  EXPECT_FALSE(a.lease->Now().held);
  EXPECT_THAT(server.Lease(), testing::Not(HasSubstr(R"("holderIdentity")")));
  a.Want();
  EXPECT_TRUE(a.lease->Now().held) << "whoever still asks it must not wait for another instance that may never come";
}

TEST(BindLease, IsGivenUpAfterASecondWithoutBinds) {
  Server server;
  Instance a(server, "a");
  a.Want();
  a.Advance(milliseconds(900));
  EXPECT_TRUE(a.lease->Now().held);
  a.Advance(milliseconds(400));
  EXPECT_FALSE(a.lease->Now().held);
  EXPECT_THAT(server.Lease(), testing::Not(HasSubstr(R"("holderIdentity")")));
  EXPECT_THAT(a.Changes(), ElementsAre("held", "not held"));
}

TEST(BindLease, TakenAgainUntouchedKeepsItsTermAndReadsNothing) {
  Server server;
  Instance a(server, "a");
  a.Want();
  a.Advance(seconds(2));
  ASSERT_FALSE(a.lease->Now().held);
  a.Want();
  EXPECT_TRUE(a.lease->Now().held);
  EXPECT_EQ(a.lease->Now().term, 1u);
  EXPECT_EQ(server.Seen("GET", "/pods"), 1);
}

TEST(BindLease, IsKeptWhileABindIsUnderWay) {
  Server server;
  Instance a(server, "a");
  a.Want();
  ASSERT_TRUE(a.lease->Begin(1, seconds(4)).ok());
  a.Advance(seconds(15));
  EXPECT_TRUE(a.lease->Now().held);
  EXPECT_GE(a.lease->Now().left, seconds(6));  // renewed
  a.lease->End();
  a.Advance(milliseconds(1300));
  EXPECT_FALSE(a.lease->Now().held);
}

TEST(BindLease, IsKeptWhileABindingIsInDoubt) {
  Server server;
  Instance a(server, "a");
  a.Want();
  ASSERT_NO_FATAL_FAILURE(a.LeaveInDoubt("uid"));
  a.Advance(seconds(9));
  EXPECT_TRUE(a.lease->Now().held);
  a.Advance(seconds(2));
  EXPECT_FALSE(a.lease->Now().held);
}

TEST(BindLease, IsNotGivenUpAtTheEndOfAProcessWithABindingInDoubt) {
  Server server;
  Instance a(server, "a");
  a.Want();
  ASSERT_NO_FATAL_FAILURE(a.LeaveInDoubt("uid"));
  a.lease->Stop();
  EXPECT_THAT(server.Lease(), HasSubstr(R"("holderIdentity":"a")"));
}

TEST(BindLease, IsGivenUpAsSoonAsNothingIsInDoubtAnyMore) {
  Server server;
  Instance a(server, "a");
  a.Want();
  for (const char* uid : {"x", "y"}) ASSERT_NO_FATAL_FAILURE(a.LeaveInDoubt(uid));
  a.Advance(seconds(2));
  a.lease->Settled("x");
  a.Advance(seconds(1));
  EXPECT_TRUE(a.lease->Now().held);
  a.lease->Settled("y");
  a.Advance(milliseconds(300));
  EXPECT_FALSE(a.lease->Now().held);
}

TEST(BindLease, NoBindBeginsWithLessTimeThanItMayTake) {
  Server server;
  Instance a(server, "a");
  EXPECT_FALSE(a.lease->Begin(0, seconds(1)).ok());
  a.Want();
  EXPECT_FALSE(a.lease->Begin(1, seconds(11)).ok());
  EXPECT_THAT(std::string(Message(a.lease->Begin(2, seconds(1)))), HasSubstr("changed hands"));
  server.Inject({.path = "/leases", .times = -1, .code = 500});
  a.Work(seconds(7));
  EXPECT_TRUE(a.lease->Begin(1, seconds(3)).ok());
  a.lease->End();
  EXPECT_FALSE(a.lease->Begin(1, seconds(4)).ok());
  a.Work(seconds(3));
  EXPECT_FALSE(a.lease->Begin(1, seconds(0)).ok());
  EXPECT_THAT(a.Changes().back(), HasSubstr("500"));
}

TEST(BindLease, SecondInstanceWaitsAndSaysWhoHoldsIt) {
  Server server;
  Instance a(server, "a"), b(server, "b");
  a.Want();
  b.Want();
  EXPECT_FALSE(b.lease->Now().held);
  EXPECT_EQ(b.lease->Now().trouble, "held by a");
  EXPECT_EQ(b.lease->Now().holder, "a");
  a.Advance(milliseconds(1300));  // idle: given up
  b.Work(milliseconds(300));
  EXPECT_TRUE(b.lease->Now().held);
  EXPECT_EQ(b.lease->Now().trouble, "");
}

TEST(BindLease, InstanceThatDiedIsSucceededAfterTheDuration) {
  Server server;
  Instance a(server, "a"), b(server, "b");
  a.Want();  // and then its clock stands still
  b.Work(milliseconds(9900));
  EXPECT_FALSE(b.lease->Now().held);
  b.Work(milliseconds(400));
  EXPECT_TRUE(b.lease->Now().held);
}

TEST(BindLease, StandbyCountsTheTimeOfADeadHolderBeforeItsOwnFirstBind) {
  Server server;
  Instance a(server, "a"), b(server, "b");
  a.Want();
  b.Advance(seconds(12));  // a died; nobody asks b for anything, as long as kube-scheduler has not changed
  EXPECT_EQ(b.lease->Now().holder, "a");
  b.Want();
  EXPECT_TRUE(b.lease->Now().held);
}

TEST(BindLease, WhoIsAloneDoesNotPause) {
  Server server;
  Instance a(server, "a");
  for (int i = 0; i < 1000; ++i) {  // 100 s
    a.Work(milliseconds(100));
    ASSERT_TRUE(a.lease->Now().held);
  }
  EXPECT_EQ(a.lease->Now().term, 1u);
}

TEST(BindLease, TwoInstancesWithConstantWorkTakeTurns) {
  Server server;
  Instance a(server, "a"), b(server, "b");
  int turns_of_a = 0, turns_of_b = 0, both = 0;
  for (int i = 0; i < 1300; ++i) {  // 130 s
    a.Work(milliseconds(100));
    b.Work(milliseconds(100));
    const bool held_by_a = a.lease->Now().held, held_by_b = b.lease->Now().held;
    turns_of_a += held_by_a;
    turns_of_b += held_by_b;
    both += held_by_a && held_by_b;
  }
  EXPECT_EQ(both, 0);
  EXPECT_GT(turns_of_a, 400);
  EXPECT_GT(turns_of_b, 400);
  EXPECT_GT(turns_of_a + turns_of_b, 1200);
  EXPECT_GE(a.lease->Now().term, 2u);
}

TEST(BindLease, YieldsOnlyBetweenBinds) {
  Server server;
  Instance a(server, "a"), b(server, "b");
  a.Want();
  ASSERT_TRUE(a.lease->Begin(1, seconds(1)).ok());
  for (int i = 0; i < 350; ++i) {
    a.Work(milliseconds(100));
    b.Work(milliseconds(100));
    ASSERT_FALSE(b.lease->Now().held);
  }
  EXPECT_FALSE(a.lease->Begin(1, seconds(1)).ok());  // no new ones
  a.lease->End();
  a.Work(milliseconds(300));
  b.Work(milliseconds(300));
  EXPECT_TRUE(b.lease->Now().held);
}

// Both bind all the time, and so often does an outcome of a's stay in doubt.
struct Doubtful {
  int neither = 0;     // steps of 0.1 s in which nobody could bind
  int turns_of_b = 0;  // and in which b could
  int both = 0;
};
Doubtful BindInDoubt(int doubt_every, int steps) {
  Server server;
  Instance a(server, "a"), b(server, "b");
  Doubtful result;
  for (int i = 0; i < steps; ++i) {
    a.Work(milliseconds(100));
    b.Work(milliseconds(100));
    const BindLeaseView of_a = a.lease->Now(), of_b = b.lease->Now();
    if (of_a.held && i % doubt_every == 0 && a.lease->Begin(of_a.term, seconds(4)).ok())
      a.lease->EndInDoubt("uid", seconds(10));
    result.neither += !of_a.held && !of_b.held;
    result.turns_of_b += of_b.held;
    result.both += of_a.held && of_b.held;
  }
  return result;
}

TEST(BindLease, TurnOfTheOtherWaitsForWhatIsInDoubtAndStopsNobody) {
  const Doubtful seen = BindInDoubt(250, 1200);
  EXPECT_EQ(seen.both, 0);
  EXPECT_GT(seen.turns_of_b, 200);
  EXPECT_LT(seen.neither, 40) << "a pause for what is in doubt would take up to 10 s";
}

TEST(BindLease, TurnOfTheOtherComesAlsoWhereDoubtsNeverEnd) {
  const Doubtful seen = BindInDoubt(20, 1500);
  EXPECT_EQ(seen.both, 0);
  EXPECT_GT(seen.turns_of_b, 200);
  EXPECT_LT(seen.neither, 250);
}

TEST(BindLease, IsNotUsedWithoutAResourceVersionToWaitFor) {
  Server server;
  Instance a(server, "a");
  server.Inject({.method = "GET", .path = "/pods", .code = 500});
  a.Want();
  EXPECT_FALSE(a.lease->Now().held);
  EXPECT_THAT(a.lease->Now().trouble, HasSubstr("resource version"));
  a.Work(milliseconds(300));
  EXPECT_TRUE(a.lease->Now().held);
}

TEST(BindLease, WishIsForgottenWhenNobodyRepeatsIt) {
  Server server;
  Instance a(server, "a"), b(server, "b");
  a.Want();
  b.Want();
  b.Advance(seconds(4));
  EXPECT_EQ(b.lease->Now().trouble, "");
  EXPECT_EQ(b.lease->Now().holder, "a");
  const size_t calls = server.Requests().size();
  b.Advance(seconds(20));
  EXPECT_EQ(server.Requests().size(), calls + 10) << "only looked at";
  EXPECT_FALSE(b.lease->Now().held);
}

TEST(BindLease, NobodyBindsBesideAHolderWhoseLeaseIsDeleted) {
  for (const Duration later :
       {Duration(milliseconds(100)), Duration(milliseconds(1700)), Duration(milliseconds(3000))}) {
    Server server;
    Instance a(server, "a"), b(server, "b");
    a.Work(later);
    ASSERT_TRUE(a.lease->Now().held);
    server.DeleteLease();
    int neither = 0;
    for (int i = 0; i < 300; ++i) {
      b.Work(milliseconds(100));  // first: it finds no Lease
      a.Work(milliseconds(100));
      const bool held_by_a = a.lease->Now().held, held_by_b = b.lease->Now().held;
      ASSERT_FALSE(held_by_a && held_by_b);
      neither += !held_by_a && !held_by_b;
    }
    EXPECT_LT(neither, 105) << "one duration";
    EXPECT_TRUE(b.lease->Now().held);
    EXPECT_EQ(a.lease->Now().incidents, 1u);
    EXPECT_EQ(b.lease->Now().incident, "it was deleted");
  }
}

TEST(BindLease, WhoIsAloneGoesOnWhenItsLeaseIsDeleted) {
  Server server;
  Instance a(server, "a");
  a.Work(seconds(2));
  server.DeleteLease();
  for (int i = 0; i < 100; ++i) {
    a.Work(milliseconds(100));
    ASSERT_TRUE(a.lease->Now().held);
  }
  EXPECT_EQ(a.lease->Now().term, 2u);
  EXPECT_EQ(a.lease->Now().incident, "it was deleted while this instance held it");
}

TEST(BindLease, HolderThatIsDeprivedOfItSendsNothingFromTheMomentThatItNotices) {
  Server server;
  Instance a(server, "a");
  a.Want();
  std::string taken = server.Lease();
  server.Put(taken.replace(taken.find(R"("a")"), 3, R"("x")"));
  a.Work(milliseconds(3400));
  EXPECT_FALSE(a.lease->Now().held);
  EXPECT_FALSE(a.lease->Begin(1, seconds(1)).ok());
  EXPECT_EQ(a.lease->Now().trouble, "held by x");
}

TEST(BindLease, LeaseThatNeverWasIsCreatedBeforeTheFirstBindWantsIt) {
  fake::ApiServer server;
  Instance a(server, "a");
  EXPECT_TRUE(a.lease->Now().first);
  EXPECT_THAT(a.lease->Now().trouble, HasSubstr("created just now"));
  a.Advance(seconds(3));
  a.Want();
  EXPECT_FALSE(a.lease->Now().held);
  a.lease->NobodyElse();
  a.waiter->AwaitWaiting();
  EXPECT_FALSE(a.lease->Now().held);
  a.Advance(milliseconds(3300));
  EXPECT_FALSE(a.lease->Now().held) << "a holder renews within a third of 10 s, by a call of 3 s";
  a.Want();
  a.Advance(milliseconds(100));
  EXPECT_TRUE(a.lease->Now().held);
  EXPECT_EQ(a.lease->Now().must_have_seen, server.version());
  EXPECT_EQ(a.lease->Now().incidents, 0u);
}

TEST(BindLease, LeaseThatNobodyWantsIsFreeOnceItHasSettled) {
  fake::ApiServer server;
  Instance a(server, "a"), b(server, "b");
  a.Advance(seconds(11));
  b.Advance(seconds(11));
  EXPECT_EQ(server.Seen("POST", "/leases"), 1);
  b.Want();
  EXPECT_TRUE(b.lease->Now().held);
}

TEST(BindLease, StopGivesItUp) {
  Server server;
  Instance a(server, "a"), b(server, "b");
  a.Want();
  a.lease->Stop();
  EXPECT_FALSE(a.lease->Now().held);
  b.Want();
  EXPECT_TRUE(b.lease->Now().held);
}

}  // namespace
}  // namespace huygens::extender
