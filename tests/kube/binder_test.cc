#include "kube/binder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/fake/api_server.h"
#include "tests/fake/objects.h"
#include "tests/fake/waiters.h"

namespace huygens::kube {
namespace {

using fake::ApiServer;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using What = fake::Fault::What;

class BinderTest : public testing::Test {
 protected:
  BinderTest() {
    uid_ = server_.Put(fake::Pod("default", "a").Cpu("2"));
    request_ = {
        .pod_name = "a",
        .namespace_name = "default",
        .uid = uid_,
        .node = "n1",
        .annotations = {{"huygens.dev/placement", R"({"uid":"x"})"}, {"topology.crane.io/topology-result", "[]"}}};
  }

  BindOutcome Bind(BindOptions options = {}) {
    Binder binder(*client_, waiter_, [] { return 1.0; }, options);
    return binder.Bind(request_, waiter_.Now() + budget_, cancel_);
  }
  BindOutcome Settle(Duration since_sent) {
    Binder binder(*client_, waiter_, [] { return 1.0; });
    return binder.Settle(request_, since_sent, seconds(5));
  }
  int Posts() const { return server_.Seen("POST", "/binding"); }
  int Gets() const { return server_.Seen("GET", "/pods/a"); }
  // Someone else binds the pod.
  void BoundElsewhere(const std::string& node) { server_.Put(fake::Pod("default", "a").Uid(uid_).On(node)); }

  ApiServer server_;
  std::unique_ptr<net::Client> client_ = *net::Client::Create(server_.Options());
  fake::InstantWaiter waiter_;
  std::atomic<bool> cancel_ = false;
  Duration budget_ = seconds(10);
  std::string uid_;
  BindRequest request_;
};

TEST_F(BinderTest, WritesNodeAndAnnotationsInOnePost) {
  const BindOutcome outcome = Bind();
  EXPECT_EQ(outcome.verdict, BindVerdict::kBound) << outcome.message;
  EXPECT_EQ(server_.NodeOf("default", "a"), "n1");
  EXPECT_THAT(server_.Get(fake::kPods, "default", "a"), HasSubstr(R"("topology.crane.io/topology-result":"[]")"));
  EXPECT_THAT(server_.Requests(), ElementsAre("POST /api/v1/namespaces/default/pods/a/binding"));
}

TEST_F(BinderTest, SendsTheUidSoThatANewPodOfTheSameNameIsNotBound) {
  server_.Delete(fake::kPods, "default", "a");
  server_.Put(fake::Pod("default", "a"));
  const BindOutcome outcome = Bind();
  EXPECT_EQ(outcome.verdict, BindVerdict::kReplaced);
  EXPECT_TRUE(outcome.by_api_server);
  EXPECT_EQ(server_.NodeOf("default", "a"), "");
}

TEST_F(BinderTest, RepeatedBindOfWhatIsBoundAlreadySucceeds) {
  ASSERT_EQ(Bind().verdict, BindVerdict::kBound);
  EXPECT_EQ(Bind().verdict, BindVerdict::kBound);
}

TEST_F(BinderTest, ConflictIsSettledByGet) {
  BoundElsewhere("n2");
  BindOutcome outcome = Bind();
  EXPECT_EQ(outcome.verdict, BindVerdict::kBoundElsewhere);
  EXPECT_THAT(outcome.message, HasSubstr("n2"));
  EXPECT_EQ(Posts(), 1);
  EXPECT_EQ(Gets(), 1);

  BoundElsewhere("n1");  // by someone who does not write our annotations
  EXPECT_EQ(Bind().verdict, BindVerdict::kBoundOtherwise);
}

TEST_F(BinderTest, ObjectionThatStaysIsReportedInTheApiServersWords) {
  server_.Put(fake::Pod("default", "a").Uid(uid_).Gated());
  BindOutcome outcome = Bind();
  EXPECT_EQ(outcome.verdict, BindVerdict::kRefused);
  EXPECT_THAT(outcome.message, HasSubstr("schedulingGates"));
  server_.Put(fake::Pod("default", "a").Uid(uid_).Deleting());
  outcome = Bind();
  EXPECT_EQ(outcome.verdict, BindVerdict::kRefused);
  EXPECT_THAT(outcome.message, HasSubstr("being deleted"));
  EXPECT_EQ(outcome.attempts, 1);
}

TEST_F(BinderTest, PodThatIsGoneIsGone) {
  server_.Delete(fake::kPods, "default", "a");
  EXPECT_EQ(Bind().verdict, BindVerdict::kGone);
}

TEST_F(BinderTest, ForbiddenIsRefusedWithAdviceAndWithoutRetry) {
  server_.Inject({.method = "POST",
                  .path = "/binding",
                  .code = 403,
                  .body = R"({"kind":"Status","message":"may not create pods/binding"})"});
  const BindOutcome outcome = Bind();
  EXPECT_EQ(outcome.verdict, BindVerdict::kRefused);
  EXPECT_THAT(outcome.message, HasSubstr("may not create pods/binding"));
  EXPECT_THAT(outcome.message, HasSubstr("ClusterRole"));
  EXPECT_EQ(Posts(), 1);
}

TEST_F(BinderTest, ARefusalDoesNotSettleAnEarlierPostInDoubt) {
  server_.Inject({.method = "POST", .path = "/binding", .times = 1, .code = 500});
  server_.Inject({.method = "POST", .path = "/binding", .times = 1, .code = 403});
  const BindOutcome outcome = Bind();
  EXPECT_EQ(outcome.verdict, BindVerdict::kUnknown);  // the first may still be carried out
  EXPECT_THAT(outcome.message, HasSubstr("403"));
  EXPECT_EQ(outcome.attempts, 2);
}

TEST_F(BinderTest, TooManyRequestsIsRepeatedAfterTheTimeTheServerAsksFor) {
  server_.Inject({.method = "POST", .path = "/binding", .times = 2, .code = 429, .headers = "Retry-After: 1\r\n"});
  const BindOutcome outcome = Bind();
  EXPECT_EQ(outcome.verdict, BindVerdict::kBound);
  EXPECT_EQ(outcome.attempts, 3);
  EXPECT_THAT(waiter_.waits(), ElementsAre(seconds(1), seconds(1)));
  EXPECT_EQ(Gets(), 0);  // nothing was processed: nothing to ask about
}

TEST_F(BinderTest, ServerErrorIsAskedAboutBeforeThePostIsRepeated) {
  server_.Inject({.method = "POST", .path = "/binding", .times = 2, .code = 500});
  EXPECT_EQ(Bind().verdict, BindVerdict::kBound);
  EXPECT_THAT(server_.Requests(),
              ElementsAre(HasSubstr("POST"), HasSubstr("GET"), HasSubstr("POST"), HasSubstr("GET"), HasSubstr("POST")));
  EXPECT_THAT(waiter_.waits(), ElementsAre(milliseconds(50), milliseconds(100)));  // backing off
}

TEST_F(BinderTest, RetriesEndAndSayWhy) {
  server_.Inject({.method = "POST", .path = "/binding", .times = -1, .code = 503});
  const BindOutcome outcome = Bind({.retries = 2});
  EXPECT_EQ(outcome.verdict, BindVerdict::kUnknown);  // a proxy's 503 does not say what happened behind it
  EXPECT_EQ(outcome.attempts, 3);
  EXPECT_THAT(outcome.message, HasSubstr("503"));
}

TEST_F(BinderTest, TooManyRequestsToTheEndLeavesThePodUnbound) {
  server_.Inject({.method = "POST", .path = "/binding", .times = -1, .code = 429});
  EXPECT_EQ(Bind({.retries = 1}).verdict, BindVerdict::kUnbound);
  EXPECT_EQ(Posts(), 2);
}

TEST_F(BinderTest, LostAnswerOfASuccessIsFoundByGetWithoutASecondPost) {
  for (const What what : {What::kCutAfter, What::kCutInBody}) {
    server_.Put(fake::Pod("default", "a").Uid(uid_));  // unbound again
    const int posts = Posts();
    server_.Inject({.what = what, .method = "POST", .path = "/binding"});
    EXPECT_EQ(Bind().verdict, BindVerdict::kBound);
    EXPECT_EQ(Posts(), posts + 1);
  }
}

TEST_F(BinderTest, ConnectionCutBeforeTheEffectIsRepeatedAfterAGet) {
  server_.Inject({.what = What::kCutBefore, .method = "POST", .path = "/binding"});
  EXPECT_EQ(Bind().verdict, BindVerdict::kBound);
  EXPECT_THAT(server_.Requests(), ElementsAre(HasSubstr("POST"), HasSubstr("GET"), HasSubstr("POST")));
}

TEST_F(BinderTest, HangingCallEndsInTimeAndIsSettled) {
  server_.Inject({.what = What::kHang, .method = "POST", .path = "/binding", .times = -1});
  budget_ = milliseconds(150);
  BindOutcome outcome = Bind({.retries = 0});
  EXPECT_EQ(outcome.verdict, BindVerdict::kUnknown);
  EXPECT_GE(Gets(), 1);
  EXPECT_EQ(Settle(seconds(1)).verdict, BindVerdict::kUnknown);   // it could still happen
  EXPECT_EQ(Settle(seconds(11)).verdict, BindVerdict::kUnbound);  // not any more
}

TEST_F(BinderTest, EffectWithoutAnAnswerIsFoundBeforeTheDeadline) {
  server_.Inject({.what = What::kHoldAnswer,
                  .method = "POST",
                  .path = "/binding",
                  .gate = std::make_shared<fake::Gate>()});  // never opened
  SteadyWaiter real;
  Binder binder(*client_, real, [] { return 1.0; });
  EXPECT_EQ(binder.Bind(request_, real.Now() + milliseconds(300), cancel_).verdict, BindVerdict::kBound);
  EXPECT_EQ(Posts(), 1);
}

TEST_F(BinderTest, UnknownOutcomeThatNoGetCanSettleStaysUnknownAndIsNeverPostedAgain) {
  server_.Inject({.what = What::kCutAfter, .method = "POST", .path = "/binding"});
  server_.Inject({.method = "GET", .path = "/pods/a", .times = -1, .code = 500});
  const BindOutcome outcome = Bind();
  EXPECT_EQ(outcome.verdict, BindVerdict::kUnknown);
  EXPECT_EQ(Posts(), 1);
  EXPECT_GT(Gets(), 3);
  server_.ClearFaults();
  EXPECT_EQ(Settle(seconds(1)).verdict, BindVerdict::kBound);
}

TEST_F(BinderTest, UnreachableServerLeavesThePodUnbound) {
  net::ClientOptions options = server_.Options();
  options.base_url = "http://127.0.0.1:1";
  client_ = *net::Client::Create(options);
  const BindOutcome outcome = Bind();
  EXPECT_EQ(outcome.verdict, BindVerdict::kUnbound);
  EXPECT_FALSE(outcome.by_api_server);
  EXPECT_EQ(outcome.attempts, 4);
}

TEST_F(BinderTest, DeadlineIsKept) {
  server_.Inject({.method = "POST", .path = "/binding", .times = -1, .code = 429, .headers = "Retry-After: 7\r\n"});
  const Duration start = waiter_.Now();
  EXPECT_EQ(Bind().verdict, BindVerdict::kUnbound);
  EXPECT_LE(waiter_.Now() - start, budget_);
  EXPECT_EQ(Posts(), 2);
  budget_ = Duration::zero();
  EXPECT_EQ(Bind().verdict, BindVerdict::kUnbound);
  EXPECT_EQ(Posts(), 2);
}

TEST_F(BinderTest, CancelEndsACallThatHangs) {
  server_.Inject({.what = What::kHang, .method = "POST", .path = "/binding"});
  std::thread stop([&] {
    EXPECT_TRUE(server_.AwaitSeen("POST", "/binding", 1));
    cancel_ = true;
    client_->Cancel();
  });
  EXPECT_EQ(Bind().verdict, BindVerdict::kUnknown);
  stop.join();
}

TEST_F(BinderTest, NothingIsSentThatKubernetesWouldRejectLater) {
  request_.annotations.emplace_back("huygens.dev/big", std::string(300'000, 'x'));
  EXPECT_THAT(Bind().message, HasSubstr("262144"));
  request_.annotations.back() = {"not a key", "x"};
  EXPECT_THAT(Bind().message, HasSubstr("qualified name"));
  request_.annotations.clear();
  request_.pod_name = "../../nodes";
  EXPECT_EQ(Bind().verdict, BindVerdict::kRefused);
  request_.pod_name = "a";
  request_.uid.clear();
  EXPECT_EQ(Bind().verdict, BindVerdict::kRefused);
  EXPECT_THAT(server_.Requests(), testing::IsEmpty());
}

TEST(Annotations, KeysAreQualifiedNames) {
  for (const char* const good : {"a", "topology.crane.io/topology-result", "x/A_b.c", "1"}) {
    EXPECT_TRUE(ValidateAnnotations({{good, ""}}).ok()) << good;
  }
  for (const char* const bad : {"", "/a", "a/", "a/b/c", "-a", "A.io/x", "a b", "x/_"}) {
    EXPECT_FALSE(ValidateAnnotations({{bad, ""}}).ok()) << bad;
  }
}

}  // namespace
}  // namespace huygens::kube
