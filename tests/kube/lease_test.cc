#include "kube/lease.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/base/clock.h"
#include "tests/fake/api_server.h"
#include "tests/fake/objects.h"
#include "tests/fake/waiters.h"

namespace huygens::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using What = fake::Fault::What;

// With a Lease that an earlier instance gave up.
class LeaseTest : public testing::Test {
 protected:
  LeaseTest() { server_.Put(fake::FreeLease()); }

  struct Instance {
    std::unique_ptr<net::Client> client;
    std::unique_ptr<Lease> lease;
  };
  Instance Make(const std::string& identity, Duration call_timeout = seconds(3)) {
    Instance instance{*net::Client::Create(server_.Options()), nullptr};
    instance.lease = std::make_unique<Lease>(
        *instance.client, waiter_, clock_,
        LeaseOptions{.identity = identity, .duration = seconds(10), .call_timeout = call_timeout});
    return instance;
  }
  void Advance(Duration duration) {
    waiter_.Advance(duration);
    clock_.Advance(duration);
  }
  void Delete() { server_.Delete(fake::kLeases, "kube-system", "huygens-bind"); }
  std::string Stored() const { return server_.Get(fake::kLeases, "kube-system", "huygens-bind"); }

  fake::ApiServer server_;
  fake::InstantWaiter waiter_;
  test::ManualClock clock_;
  Instance a_ = Make("a"), b_ = Make("b");
};

TEST_F(LeaseTest, IsTakenByTheFirstWhoWantsIt) {
  EXPECT_EQ(a_.lease->Left(), Duration::zero());
  ASSERT_TRUE(a_.lease->Hold().ok());
  EXPECT_EQ(a_.lease->Left(), seconds(10));
  EXPECT_EQ(a_.lease->term(), 1u);
  EXPECT_THAT(Stored(), HasSubstr(R"("holderIdentity":"a")"));
  EXPECT_THAT(Stored(), HasSubstr(R"("leaseDurationSeconds":10)"));
}

TEST_F(LeaseTest, OnlyOneHoldsIt) {
  ASSERT_TRUE(a_.lease->Hold().ok());
  const Status refused = b_.lease->Hold();
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Message(refused), "held by a");
  EXPECT_EQ(b_.lease->other_holder(), "a");
  EXPECT_EQ(b_.lease->Left(), Duration::zero());
}

TEST_F(LeaseTest, RenewalIsOneCall) {
  ASSERT_TRUE(a_.lease->Hold().ok());
  const size_t calls = server_.Requests().size();
  Advance(seconds(4));
  EXPECT_EQ(a_.lease->Left(), seconds(6));
  ASSERT_TRUE(a_.lease->Hold().ok());
  EXPECT_EQ(a_.lease->Left(), seconds(10));
  EXPECT_EQ(server_.Requests().size(), calls + 1);
  EXPECT_EQ(a_.lease->term(), 1u);
}

TEST_F(LeaseTest, IsTakenOverOnlyAfterItStoodStillForItsDurationByTheTakersClock) {
  ASSERT_TRUE(a_.lease->Hold().ok());
  Advance(seconds(60));  // b sees it for the first time now: the holder may have a slow clock
  EXPECT_FALSE(b_.lease->Hold().ok());
  Advance(seconds(9));
  EXPECT_FALSE(b_.lease->Hold().ok());
  Advance(seconds(1));
  ASSERT_TRUE(b_.lease->Hold().ok());
  EXPECT_THAT(Stored(), HasSubstr(R"("leaseTransitions":3)"));
  EXPECT_FALSE(a_.lease->Hold().ok());
}

TEST_F(LeaseTest, RenewalsRestartTheWait) {
  ASSERT_TRUE(a_.lease->Hold().ok());
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(b_.lease->Hold().ok());
    Advance(seconds(6));
    ASSERT_TRUE(a_.lease->Hold().ok());
  }
  EXPECT_FALSE(b_.lease->Hold().ok());
}

TEST_F(LeaseTest, OfTwoTakersOneWins) {
  ASSERT_TRUE(a_.lease->Hold().ok());
  Instance c = Make("c");
  EXPECT_FALSE(b_.lease->Hold().ok());
  EXPECT_FALSE(c.lease->Hold().ok());
  Advance(seconds(10));
  // Both read it as free; c writes between b's read and b's write.
  auto gate = std::make_shared<fake::Gate>();
  server_.Inject({.what = What::kHold, .method = "PUT", .path = "/leases", .gate = gate});
  Status of_b;
  std::thread b([&] { of_b = b_.lease->Hold(); });
  ASSERT_TRUE(gate->AwaitArrival());
  EXPECT_TRUE(c.lease->Hold().ok());
  gate->Open();
  b.join();
  EXPECT_EQ(Message(of_b), "another instance was faster");
  EXPECT_EQ(b_.lease->Left(), Duration::zero());
  EXPECT_EQ(c.lease->Left(), seconds(10));
}

TEST_F(LeaseTest, ReleasedLeaseIsFreeAtOnce) {
  ASSERT_TRUE(a_.lease->Hold().ok());
  EXPECT_FALSE(b_.lease->Hold().ok());
  ASSERT_TRUE(a_.lease->Release().ok());
  EXPECT_EQ(a_.lease->Left(), Duration::zero());
  EXPECT_TRUE(b_.lease->Hold().ok());
  EXPECT_EQ(b_.lease->term(), 1u);
}

TEST_F(LeaseTest, TakingItAgainUntouchedIsTheSameTerm) {
  ASSERT_TRUE(a_.lease->Hold().ok());
  ASSERT_TRUE(a_.lease->Release().ok());
  Advance(seconds(100));
  ASSERT_TRUE(a_.lease->Hold().ok());
  EXPECT_EQ(a_.lease->term(), 1u);
}

TEST_F(LeaseTest, TakingItAgainAfterSomeoneElseIsAnotherTerm) {
  ASSERT_TRUE(a_.lease->Hold().ok());
  ASSERT_TRUE(a_.lease->Release().ok());
  ASSERT_TRUE(b_.lease->Hold().ok());
  ASSERT_TRUE(b_.lease->Release().ok());
  ASSERT_TRUE(a_.lease->Hold().ok());
  EXPECT_EQ(a_.lease->term(), 2u);
}

TEST_F(LeaseTest, TakeOverWhoseAnswerWasLostIsStillAnotherTerm) {
  ASSERT_TRUE(a_.lease->Hold().ok());
  ASSERT_TRUE(a_.lease->Release().ok());
  ASSERT_TRUE(b_.lease->Hold().ok());
  ASSERT_TRUE(b_.lease->Release().ok());
  server_.Inject({.what = What::kCutAfter, .method = "PUT", .path = "/leases"});
  EXPECT_FALSE(a_.lease->Hold().ok());
  EXPECT_EQ(a_.lease->Left(), Duration::zero());  // it is ours, but nobody told us
  ASSERT_TRUE(a_.lease->Hold().ok());
  EXPECT_EQ(a_.lease->term(), 2u);
}

TEST_F(LeaseTest, DeletedLeaseIsAnotherTermOfWhoRenewedItInTime) {
  ASSERT_TRUE(a_.lease->Hold().ok());
  Delete();
  Advance(milliseconds(6300));
  ASSERT_TRUE(a_.lease->Hold().ok());
  EXPECT_EQ(a_.lease->Left(), seconds(10));
  EXPECT_EQ(a_.lease->term(), 2u);
  EXPECT_EQ(a_.lease->incident(), "it was deleted while this instance held it");
}

TEST_F(LeaseTest, WhoDidNotRenewADeletedLeaseInTimeWaitsAsEverybodyDoes) {
  ASSERT_TRUE(a_.lease->Hold().ok());
  Delete();
  Advance(milliseconds(6400));
  ASSERT_TRUE(a_.lease->Hold().ok());
  EXPECT_EQ(a_.lease->Left(), Duration::zero());
  EXPECT_EQ(a_.lease->Settling(), seconds(10));
}

TEST_F(LeaseTest, DeletedLeaseIsNoOneElsesBeforeItsHolderMustHaveStopped) {
  ASSERT_TRUE(a_.lease->Hold().ok());
  EXPECT_FALSE(b_.lease->Hold().ok());
  Delete();
  ASSERT_TRUE(b_.lease->Hold().ok());  // claimed
  EXPECT_EQ(a_.lease->Left(), seconds(10)) << "it does not know yet";
  for (Duration passed{}; passed < seconds(10); passed += milliseconds(2500)) {
    EXPECT_EQ(b_.lease->Left(), Duration::zero());
    EXPECT_EQ(b_.lease->Settling(), seconds(10) - passed);
    Advance(milliseconds(2500));
    ASSERT_TRUE(b_.lease->Hold().ok());
  }
  EXPECT_EQ(a_.lease->Left(), Duration::zero());
  EXPECT_EQ(b_.lease->Left(), seconds(10));
  EXPECT_EQ(b_.lease->incident(), "it was deleted");
}

TEST_F(LeaseTest, HolderWhoseLeaseSomebodyCreatedAnewNoticesWithItsRenewal) {
  ASSERT_TRUE(a_.lease->Hold().ok());
  Delete();
  ASSERT_TRUE(b_.lease->Hold().ok());
  Advance(milliseconds(3300));
  EXPECT_EQ(Message(a_.lease->Hold()), "held by b");
  EXPECT_EQ(a_.lease->Left(), Duration::zero());
  EXPECT_EQ(a_.lease->incident(), "it was deleted and created again");
}

TEST_F(LeaseTest, LeaseThatWasCreatedOrEmptiedByHandIsLeftAloneForItsDuration) {
  ASSERT_TRUE(a_.lease->Hold().ok());
  EXPECT_FALSE(b_.lease->Hold().ok());
  std::string emptied = Stored();
  const std::string holder = R"("holderIdentity":"a",)";
  server_.Put(emptied.erase(emptied.find(holder), holder.size()));
  ASSERT_TRUE(b_.lease->Hold().ok());
  EXPECT_EQ(b_.lease->Settling(), seconds(10));
  EXPECT_THAT(b_.lease->incident(), HasSubstr("emptied by hand"));

  Delete();
  server_.Put(R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"huygens-bind",)"
              R"("namespace":"kube-system"}})");
  Instance c = Make("c");
  ASSERT_TRUE(c.lease->Hold().ok());
  EXPECT_EQ(c.lease->Settling(), seconds(10));
}

TEST_F(LeaseTest, LeaseThatNeverWasIsLeftAloneForItsDurationUnlessNobodyElseEverBound) {
  Delete();
  Instance c = Make("c");
  ASSERT_TRUE(c.lease->Look().ok());
  EXPECT_FALSE(c.lease->exists());
  EXPECT_TRUE(c.lease->first());
  Advance(seconds(1));
  ASSERT_TRUE(c.lease->Hold().ok());
  EXPECT_EQ(c.lease->Settling(), seconds(9)) << "since it was seen that there is none";
  c.lease->NobodyElse();
  const Duration noticed = Duration(seconds(10)) / 3 + seconds(3);
  EXPECT_EQ(c.lease->Settling(), noticed - seconds(1))
      << "a holder renews within a third of the duration, by a call of 3 s";
  EXPECT_EQ(c.lease->incidents(), 0u);

  Advance(noticed - seconds(1));
  EXPECT_EQ(c.lease->Left(), seconds(11) - noticed);
  Delete();
  Advance(seconds(5));
  ASSERT_TRUE(c.lease->Hold().ok());
  EXPECT_EQ(c.lease->Settling(), seconds(10)) << "it is no news any more that there is one";
}

TEST_F(LeaseTest, ClaimThatHasNotSettledIsNotHandedOn) {
  ASSERT_TRUE(a_.lease->Hold().ok());
  EXPECT_FALSE(b_.lease->Hold().ok());
  Delete();
  ASSERT_TRUE(b_.lease->Hold().ok());
  ASSERT_TRUE(b_.lease->Release().ok());
  Instance c = Make("c");
  EXPECT_EQ(Message(c.lease->Hold()), "held by b") << "a may still go by what was deleted";
}

TEST_F(LeaseTest, DeadHolderThatClaimsADayIsBelievedNoLongerThanOneOfUs) {
  server_.Put(R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"huygens-bind",)"
              R"("namespace":"kube-system"},"spec":{"holderIdentity":"dead","leaseDurationSeconds":86400,)"
              R"("renewTime":"2026-11-21T11:36:20.500000Z"}})");
  EXPECT_EQ(Message(a_.lease->Hold()), "held by dead");
  EXPECT_EQ(a_.lease->excess(), std::chrono::hours(24));
  Advance(milliseconds(9900));
  EXPECT_FALSE(a_.lease->Hold().ok());
  Advance(milliseconds(100));
  ASSERT_TRUE(a_.lease->Hold().ok());
  EXPECT_EQ(a_.lease->Left(), seconds(10));
  EXPECT_EQ(a_.lease->excess(), Duration::zero());
}

TEST_F(LeaseTest, WhoWaitsAsksOnceAndDoesNotProlongTheHoldersTime) {
  ASSERT_TRUE(a_.lease->Hold().ok());
  EXPECT_FALSE(a_.lease->asked());
  EXPECT_FALSE(b_.lease->Hold().ok());
  ASSERT_TRUE(b_.lease->AskForTurn().ok());
  EXPECT_THAT(Stored(), HasSubstr(R"("huygens.dev/waiting":"b")"));
  const size_t calls = server_.Requests().size();
  ASSERT_TRUE(b_.lease->AskForTurn().ok());
  EXPECT_EQ(server_.Requests().size(), calls);
  ASSERT_TRUE(a_.lease->Hold().ok()) << "the record was written since, but is ours all the same";
  EXPECT_EQ(a_.lease->term(), 1u);
  EXPECT_TRUE(a_.lease->asked());

  Advance(seconds(9));
  Instance c = Make("c");
  EXPECT_FALSE(b_.lease->Hold().ok());  // sees the renewal now
  EXPECT_FALSE(c.lease->Hold().ok());
  Advance(seconds(9));
  server_.Put(Stored().replace(Stored().find(R"("huygens.dev/waiting":"b")"), 25, R"("huygens.dev/waiting":"x")"));
  EXPECT_FALSE(b_.lease->Hold().ok());
  Advance(seconds(1));
  EXPECT_TRUE(b_.lease->Hold().ok()) << "a mark is no renewal";
  EXPECT_THAT(Stored(), testing::Not(HasSubstr("waiting")));
}

TEST_F(LeaseTest, IsGivenUpAlsoWhenSomebodyHasJustBegunToWait) {
  ASSERT_TRUE(a_.lease->Hold().ok());
  EXPECT_FALSE(b_.lease->Hold().ok());
  ASSERT_TRUE(b_.lease->AskForTurn().ok());
  ASSERT_TRUE(a_.lease->Release().ok());
  EXPECT_THAT(Stored(), testing::Not(HasSubstr("waiting")));
  EXPECT_TRUE(b_.lease->Hold().ok());
}

TEST_F(LeaseTest, IsNotOursFromTheMomentThatItIsGivenUpWhateverTheApiServerSays) {
  ASSERT_TRUE(a_.lease->Hold().ok());
  server_.Inject({.path = "/leases", .times = -1, .code = 500});
  EXPECT_FALSE(a_.lease->Release().ok());
  EXPECT_EQ(a_.lease->Left(), Duration::zero());
}

TEST_F(LeaseTest, RenewalIsSeenAlsoWhenTheWallClockStandsStillOrGoesBack) {
  ASSERT_TRUE(a_.lease->Hold().ok());
  EXPECT_FALSE(b_.lease->Hold().ok());
  for (int i = 0; i < 3; ++i) {
    waiter_.Advance(seconds(6));
    if (i == 1) clock_.Advance(-std::chrono::hours(1));
    ASSERT_TRUE(a_.lease->Hold().ok());
    EXPECT_EQ(a_.lease->Left(), seconds(10));
    EXPECT_FALSE(b_.lease->Hold().ok());
  }
}

TEST_F(LeaseTest, FailedRenewalsLetTheTimeRunOut) {
  ASSERT_TRUE(a_.lease->Hold().ok());
  server_.Inject({.path = "/leases", .times = -1, .code = 500});
  Advance(seconds(7));
  EXPECT_FALSE(a_.lease->Hold().ok());
  EXPECT_EQ(a_.lease->Left(), seconds(3));
  Advance(seconds(3));
  EXPECT_EQ(a_.lease->Left(), Duration::zero());
}

TEST_F(LeaseTest, OwnTimeCountsFromBeforeTheRequest) {
  auto gate = std::make_shared<fake::Gate>();
  server_.Inject({.what = What::kHoldAnswer, .method = "PUT", .path = "/leases", .gate = gate});
  std::thread a([&] { EXPECT_TRUE(a_.lease->Hold().ok()); });
  ASSERT_TRUE(gate->AwaitArrival());
  Advance(seconds(4));  // while the answer is on its way
  gate->Open();
  a.join();
  EXPECT_EQ(a_.lease->Left(), seconds(6));
}

TEST_F(LeaseTest, LabelOnTheLeaseDoesNotEndTheTerm) {
  ASSERT_TRUE(a_.lease->Hold().ok());
  std::string labelled = Stored();
  labelled.insert(labelled.find(R"("metadata":{)") + 12, R"("labels":{"x":"y"},)");
  server_.Put(labelled);
  ASSERT_TRUE(a_.lease->Hold().ok());  // though the resource version is another
  EXPECT_EQ(a_.lease->term(), 1u);
}

TEST_F(LeaseTest, ForbiddenIsSaidClearly) {
  server_.Inject({.path = "/leases", .code = 403, .body = R"({"kind":"Status","message":"leases is forbidden"})"});
  EXPECT_THAT(std::string(Message(a_.lease->Hold())), HasSubstr("leases is forbidden"));
}

TEST_F(LeaseTest, ReleaseByAnInstanceThatDoesNotHoldItChangesNothing) {
  ASSERT_TRUE(a_.lease->Hold().ok());
  const std::string before = Stored();
  EXPECT_TRUE(b_.lease->Release().ok());
  EXPECT_EQ(Stored(), before);
}

}  // namespace
}  // namespace huygens::kube
