#include "kube/reflector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "kube/list_path.h"
#include "tests/base/clock.h"
#include "tests/fake/api_server.h"
#include "tests/fake/objects.h"
#include "tests/fake/recording_sink.h"
#include "tests/fake/waiters.h"

namespace huygens::kube {
namespace {

using cluster::Kind;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using What = fake::Fault::What;

class ReflectorTest : public testing::Test {
 protected:
  void Start(Kind kind, ReflectorOptions options = {}) { StartAt(kind, server_.Options(), options); }
  void StartAt(Kind kind, const net::ClientOptions& api_server, ReflectorOptions options = {}) {
    auto waiter = std::make_unique<fake::InstantWaiter>();
    waiter_ = waiter.get();
    reflector_ = std::make_unique<Reflector>(
        ResourceOf(kind, names_), api_server, sink_, std::move(waiter), [] { return 1.0; }, options);
    ASSERT_TRUE(reflector_->Start().ok());
  }
  // One whose waiting the test controls.
  void StartManual(Kind kind, ReflectorOptions options = {}) {
    auto waiter = std::make_unique<fake::ManualWaiter>();
    manual_ = waiter.get();
    reflector_ = std::make_unique<Reflector>(
        ResourceOf(kind, names_), server_.Options(), sink_, std::move(waiter), [] { return 1.0; }, options);
    ASSERT_TRUE(reflector_->Start().ok());
  }
  int Lists(const std::string& collection) const {
    const std::vector<std::string> requests = server_.Requests();  // at one moment: a watch may begin between two
    return static_cast<int>(std::count_if(requests.begin(), requests.end(), [&](const std::string& request) {
      return request.starts_with("GET") && request.find(collection) != std::string::npos &&
             request.find(collection + "?watch") == std::string::npos;
    }));
  }
  bool Synced() { return sink_.AwaitState(WatchState::kSynced); }

  fake::ApiServer server_;
  ResourceNames names_;
  fake::RecordingSink sink_;
  test::ManualClock clock_;
  fake::InstantWaiter* waiter_ = nullptr;
  fake::ManualWaiter* manual_ = nullptr;
  std::unique_ptr<Reflector> reflector_;
};

TEST_F(ReflectorTest, ListsInPagesAndThenWatches) {
  for (int i = 0; i < 5; ++i) server_.Put(fake::Node("n" + std::to_string(i)).Cpu("8"));
  Start(Kind::kNode, {.page_size = 2});
  ASSERT_TRUE(server_.AwaitWatch(fake::kNodes));
  EXPECT_THAT(sink_.Words(), ElementsAre("list", "+n0", "+n1", "+n2", "+n3", "+n4", "end", "@1005"));
  EXPECT_EQ(Lists(fake::kNodes), 3);
  EXPECT_EQ(server_.Seen("GET", "watch=true&allowWatchBookmarks=true&resourceVersion=1005"), 1);

  server_.Put(fake::Node("n9"));
  server_.Delete(fake::kNodes, "", "n0");
  ASSERT_TRUE(sink_.AwaitWord("@1007"));
  EXPECT_TRUE(sink_.Await([&] { return sink_.state.FindNode("n9") && sink_.state.NodeCount() == 5; }));
}

TEST_F(ReflectorTest, EveryKindIsReadFromItsOwnPath) {
  server_.Put(fake::CraneTopology("n1").Zone("node0", "4"));
  server_.Put(fake::CommunityTopology("n2").Zone("node-0", "4"));
  server_.Put(fake::BizGroupQuota("team").Hard("limits.cpu", "4"));
  const std::string uid = server_.Put(fake::Pod("default", "a").Cpu("1"));
  for (const auto& [kind, word] :
       {std::pair(Kind::kCraneTopology, "+n1"), {Kind::kCommunityTopology, "+n2"}, {Kind::kBizGroupQuota, "+team"}}) {
    Start(kind);
    EXPECT_TRUE(sink_.AwaitWord(word));
    reflector_->Stop();
  }
  Start(Kind::kPod);
  ASSERT_TRUE(sink_.AwaitWord("+a"));
  server_.Delete(fake::kPods, "default", "a");
  EXPECT_TRUE(sink_.AwaitWord("-" + uid));
}

TEST_F(ReflectorTest, BookmarksMoveTheVersionWithoutEvents) {
  server_.Put(fake::Node("n1"));
  Start(Kind::kNode);
  ASSERT_TRUE(server_.AwaitWatch(fake::kNodes));
  server_.Put(fake::Pod("default", "a"));  // another kind: only the version grows
  server_.Bookmark(fake::kNodes);
  ASSERT_TRUE(sink_.AwaitWord("@1002"));
  EXPECT_EQ(sink_.Reached(), server_.version());
  server_.CutWatches(fake::kNodes);
  ASSERT_TRUE(server_.AwaitWatch(fake::kNodes, 2));
  EXPECT_EQ(server_.Seen("GET", "resourceVersion=1002"), 1);  // resumes from the bookmark
}

TEST_F(ReflectorTest, WatchThatWasCutResumesWithoutAnotherList) {
  server_.Put(fake::Node("n1"));
  Start(Kind::kNode);
  ASSERT_TRUE(server_.AwaitWatch(fake::kNodes));
  server_.Put(fake::Node("n2"));
  ASSERT_TRUE(sink_.AwaitWord("+n2"));
  server_.CutWatches(fake::kNodes);
  server_.Put(fake::Node("n3"));
  ASSERT_TRUE(sink_.AwaitWord("+n3"));
  EXPECT_EQ(Lists(fake::kNodes), 1);
  EXPECT_THAT(sink_.States(), Contains(HasSubstr("broken: ")));
  EXPECT_TRUE(Synced());
}

TEST_F(ReflectorTest, WatchThatEndsInOrderGoesOnAtOnce) {
  Start(Kind::kNode);
  ASSERT_TRUE(server_.AwaitWatch(fake::kNodes));
  server_.Put(fake::Node("n1"));
  ASSERT_TRUE(sink_.AwaitWord("+n1"));
  server_.EndWatches(fake::kNodes);
  ASSERT_TRUE(server_.AwaitWatch(fake::kNodes, 2));
  EXPECT_THAT(waiter_->waits(), testing::IsEmpty());
  EXPECT_THAT(sink_.States(), Not(Contains(HasSubstr("broken"))));
}

TEST_F(ReflectorTest, WatchesThatBringNothingAreNotRepeatedWithoutAPause) {
  StartManual(Kind::kNode);
  ASSERT_TRUE(server_.AwaitWatch(fake::kNodes));
  server_.EndWatches(fake::kNodes);
  EXPECT_EQ(manual_->AwaitWaiting(), milliseconds(200));
}

TEST_F(ReflectorTest, GoneInAnEventListsAnew) {
  server_.Put(fake::Node("n1"));
  Start(Kind::kNode);
  ASSERT_TRUE(server_.AwaitWatch(fake::kNodes));
  server_.Silence(fake::kNodes, true);
  server_.Delete(fake::kNodes, "", "n1");
  server_.Put(fake::Node("n2"));
  server_.Compact();
  server_.CutWatches(fake::kNodes);
  server_.Silence(fake::kNodes, false);
  ASSERT_TRUE(sink_.Await([&] { return sink_.state.NodeCount() == 1 && sink_.state.FindNode("n2"); }));
  EXPECT_EQ(Lists(fake::kNodes), 2);
}

TEST_F(ReflectorTest, GoneAsAnAnswerListsAnew) {
  Start(Kind::kNode);
  ASSERT_TRUE(server_.AwaitWatch(fake::kNodes));
  server_.Inject({.method = "GET", .path = "watch=true", .code = 410});
  server_.CutWatches(fake::kNodes);
  ASSERT_TRUE(server_.AwaitWatch(fake::kNodes, 2));
  EXPECT_EQ(Lists(fake::kNodes), 2);
}

TEST_F(ReflectorTest, PageTokenThatExpiredIsFollowedByAListWithoutPages) {
  for (int i = 0; i < 5; ++i) server_.Put(fake::Node("n" + std::to_string(i)));
  server_.Inject({.method = "GET", .path = "continue=", .code = 410});
  Start(Kind::kNode, {.page_size = 2});
  ASSERT_TRUE(Synced());
  EXPECT_TRUE(sink_.Await([&] { return sink_.state.NodeCount() == 5; }));
  EXPECT_THAT(server_.Requests(), Contains("GET /api/v1/nodes"));
}

TEST_F(ReflectorTest, ListWithoutPagesThatFailsIsFollowedByPagesAgain) {
  for (int i = 0; i < 5; ++i) server_.Put(fake::Node("n" + std::to_string(i)));
  server_.Inject({.method = "GET", .path = "continue=", .code = 410});
  server_.Inject({.method = "GET", .path = "/nodes$", .times = -1, .code = 504});  // the whole kind at once: never
  Start(Kind::kNode, {.page_size = 2});
  ASSERT_TRUE(Synced());
  EXPECT_TRUE(sink_.Await([&] { return sink_.state.NodeCount() == 5; }));
  EXPECT_EQ(server_.Seen("GET", "limit=2"), 5) << "the size of a page had no fault in it";
}

TEST_F(ReflectorTest, PageThatIsTooLargeIsAskedForInHalvesAndGrowsAgain) {
  for (int i = 0; i < 30; ++i) server_.Put(fake::Node("n" + std::to_string(100 + i)));
  for (const char* limit : {"limit=16", "limit=8"}) {
    server_.Inject({.method = "GET",
                    .path = limit,
                    .code = 500,
                    .body = R"({"kind":"Status","message":"etcdserver: request is too large"})"});
  }
  Start(Kind::kNode, {.page_size = 16, .least_page_size = 2});
  ASSERT_TRUE(server_.AwaitWatch(fake::kNodes));
  EXPECT_THAT(waiter_->waits(), testing::IsEmpty()) << "what the API server says at once needs no pause";
  EXPECT_THAT(sink_.States(), Not(Contains(HasSubstr("broken"))));
  EXPECT_EQ(server_.Seen("GET", "limit=4"), 8);
  server_.Put(fake::Pod("default", "a"));  // the version grows, and the watch of nodes does not know
  reflector_->CatchUp(server_.version());
  ASSERT_TRUE(server_.AwaitWatch(fake::kNodes, 2));
  EXPECT_EQ(server_.Seen("GET", "limit=6"), 5);
}

TEST_F(ReflectorTest, PageInTheMiddleThatIsTooLargeDoesNotBeginTheListAnew) {
  for (int i = 0; i < 8; ++i) server_.Put(fake::Node("n" + std::to_string(i)));
  server_.Inject({.method = "GET", .path = "limit=4&continue=", .code = 413});
  Start(Kind::kNode, {.page_size = 4, .least_page_size = 1});
  ASSERT_TRUE(server_.AwaitWatch(fake::kNodes));
  EXPECT_THAT(sink_.Words(),
              ElementsAre("list", "+n0", "+n1", "+n2", "+n3", "+n4", "+n5", "+n6", "+n7", "end", "@1008"));
  EXPECT_EQ(server_.Seen("GET", "limit=4"), 2);
  EXPECT_EQ(server_.Seen("GET", "limit=2"), 2);
}

TEST_F(ReflectorTest, PageThatTakesTooLongIsAskedForInHalvesAfterAPause) {
  for (int i = 0; i < 5; ++i) server_.Put(fake::Node("n" + std::to_string(i)));
  server_.Inject({.method = "GET", .path = "limit=4", .code = 504});
  server_.Inject({.what = What::kHang, .method = "GET", .path = "limit=2"});
  Start(Kind::kNode, {.page_size = 4, .least_page_size = 1, .list_timeout = milliseconds(40)});
  ASSERT_TRUE(server_.AwaitSeen("GET", "limit=1", 1));
  EXPECT_THAT(sink_.States(), Contains(HasSubstr("504")));
  EXPECT_EQ(waiter_->waits().size(), 2u);
}

TEST_F(ReflectorTest, PagesAreNeverSmallerThanTheLeast) {
  server_.Put(fake::Node("n1"));
  server_.Inject({.method = "GET", .path = "/nodes", .times = 9, .code = 413});
  Start(Kind::kNode, {.page_size = 40, .least_page_size = 10});
  ASSERT_TRUE(server_.AwaitWatch(fake::kNodes));
  EXPECT_EQ(server_.Seen("GET", "limit=10"), 8);
  EXPECT_EQ(waiter_->waits().size(), 7u) << "without a smaller page it is a failure as any other";
}

TEST_F(ReflectorTest, LongListIsDeliveredInBatchesAlsoWithoutPages) {
  for (int i = 0; i < 1100; ++i) server_.Put(fake::Node("n" + std::to_string(1000 + i)));
  server_.Inject({.method = "GET", .path = "continue=", .code = 410});
  Start(Kind::kNode);
  ASSERT_TRUE(server_.AwaitWatch(fake::kNodes));
  EXPECT_THAT(server_.Requests(), Contains("GET /api/v1/nodes"));
  EXPECT_TRUE(sink_.Await([&] { return sink_.state.NodeCount() == 1100; }));
  EXPECT_LE(sink_.largest_batch, 501u);
}

TEST_F(ReflectorTest, ListIsRepeatedWithGrowingPausesUntilItSucceeds) {
  server_.Put(fake::Node("n1"));
  server_.Inject({.method = "GET", .path = "/nodes", .code = 500});
  server_.Inject({.what = What::kCutInBody, .method = "GET", .path = "/nodes"});
  server_.Inject({.what = What::kCutBefore, .method = "GET", .path = "/nodes"});
  server_.Inject({.method = "GET", .path = "/nodes", .code = 429, .headers = "Retry-After: 9\r\n"});
  server_.Inject({.method = "GET", .path = "/nodes", .code = 200, .body = "<html>", .content_type = "text/html"});
  server_.Inject({.method = "GET", .path = "/nodes", .code = 200, .body = R"({"items":[{"metada)"});
  Start(Kind::kNode);
  ASSERT_TRUE(server_.AwaitWatch(fake::kNodes));
  const auto waits = waiter_->waits();
  ASSERT_GE(waits.size(), 5u);
  EXPECT_EQ(waits[0], milliseconds(200));
  EXPECT_EQ(waits[1], milliseconds(400));
  EXPECT_THAT(waits, Contains(seconds(9)));
  EXPECT_THAT(sink_.States(), Contains(HasSubstr("is this the URL of an API server?")));
  EXPECT_THAT(sink_.States(), Contains(HasSubstr("the list cannot be read")));
  EXPECT_THAT(sink_.Words(), ElementsAre("list", "+n1", "end", "@1001"));
}

TEST_F(ReflectorTest, RefusedCredentialsAreSaidClearly) {
  server_.Inject({.method = "GET", .path = "/pods", .code = 401});
  server_.Inject(
      {.method = "GET",
       .path = "/pods",
       .code = 403,
       .body = R"({"kind":"Status","message":"pods is forbidden: User \"x\" cannot list resource \"pods\""})"});
  Start(Kind::kPod);
  ASSERT_TRUE(Synced());
  EXPECT_THAT(sink_.States(), Contains(testing::AllOf(HasSubstr("401"), HasSubstr("token"))));
  EXPECT_THAT(sink_.States(), Contains(testing::AllOf(HasSubstr("cannot list resource"), HasSubstr("ClusterRole"))));
}

TEST_F(ReflectorTest, SilentWatchIsTakenForDead) {
  server_.Put(fake::Node("n1"));
  server_.Silence(fake::kNodes, true);
  Start(Kind::kNode, {.silence = milliseconds(40)});
  ASSERT_TRUE(server_.AwaitWatch(fake::kNodes, 2));
  server_.Silence(fake::kNodes, false);
  server_.Put(fake::Node("n2"));
  EXPECT_TRUE(sink_.AwaitWord("+n2"));
}

TEST_F(ReflectorTest, HangingWatchAnswerIsGivenUp) {
  server_.Inject({.what = What::kHang, .method = "GET", .path = "watch=true"});
  Start(Kind::kNode, {.silence = milliseconds(40)});
  EXPECT_TRUE(server_.AwaitWatch(fake::kNodes));
}

TEST_F(ReflectorTest, ThreeFailuresWithoutProgressListAnew) {
  Start(Kind::kNode);
  ASSERT_TRUE(server_.AwaitWatch(fake::kNodes));
  server_.Inject({.method = "GET", .path = "watch=true", .times = 3, .code = 504});
  server_.CutWatches(fake::kNodes);
  ASSERT_TRUE(server_.AwaitWatch(fake::kNodes, 2));
  EXPECT_EQ(Lists(fake::kNodes), 2);
}

TEST_F(ReflectorTest, HalfALineIsReadAgainAfterTheCut) {
  server_.Put(fake::Node("n1"));
  Start(Kind::kNode);
  ASSERT_TRUE(server_.AwaitWatch(fake::kNodes));
  server_.SendToWatches(fake::kNodes, R"({"type":"ADDED","object":{"metadata":{"name":"n2","resourceVersion":"1002")");
  server_.EndWatches(fake::kNodes);
  server_.Put(fake::Node("n2"));
  ASSERT_TRUE(sink_.AwaitWord("+n2"));
  const auto words = sink_.Words();
  EXPECT_EQ(std::count(words.begin(), words.end(), "+n2"), 1);
}

TEST_F(ReflectorTest, LineThatIsNoEventListsAnew) {
  server_.Put(fake::Node("n1"));
  Start(Kind::kNode);
  int watches = 1;
  for (const char* const line : {"nonsense\n", "{\"type\":\"ADDED\"}\n", "{\"type\":\"PAINTED\",\"object\":{}}\n"}) {
    ASSERT_TRUE(server_.AwaitWatch(fake::kNodes, watches));
    EXPECT_EQ(Lists(fake::kNodes), watches);
    server_.SendToWatches(fake::kNodes, line);
    ++watches;
  }
  ASSERT_TRUE(server_.AwaitWatch(fake::kNodes, watches));
  EXPECT_EQ(Lists(fake::kNodes), watches);
}

TEST_F(ReflectorTest, LineThatIsTooLongDoesNotFillTheMemory) {
  Start(Kind::kNode, {.max_line_bytes = 1000});
  ASSERT_TRUE(server_.AwaitWatch(fake::kNodes));
  server_.SendToWatches(fake::kNodes, std::string(5000, 'x'));
  EXPECT_TRUE(server_.AwaitWatch(fake::kNodes, 2));
  EXPECT_THAT(sink_.States(), Contains("broken: a watch event is too long"));
}

TEST_F(ReflectorTest, ErrorEventBacksOffAndResumes) {
  Start(Kind::kNode);
  ASSERT_TRUE(server_.AwaitWatch(fake::kNodes));
  server_.SendToWatches(fake::kNodes,
                        R"({"type":"ERROR","object":{"kind":"Status","code":500,"message":"etcd is tired"}})"
                        "\n");
  ASSERT_TRUE(server_.AwaitWatch(fake::kNodes, 2));
  EXPECT_THAT(sink_.States(), Contains("broken: etcd is tired"));
  EXPECT_EQ(Lists(fake::kNodes), 1);
}

TEST_F(ReflectorTest, DuplicateAndLateEventsArePassedOnButTheVersionNeverGoesBack) {
  server_.Put(fake::Node("n1"));
  server_.Put(fake::Node("n2"));
  Start(Kind::kNode);
  ASSERT_TRUE(server_.AwaitWatch(fake::kNodes));
  server_.SendToWatches(fake::kNodes,
                        R"({"type":"MODIFIED","object":{"metadata":{"name":"n1","resourceVersion":"1001"}}})"
                        "\n");
  ASSERT_TRUE(sink_.Await([&] { return std::count(sink_.words.begin(), sink_.words.end(), "+n1") == 2; }));
  EXPECT_EQ(sink_.Reached(), 1002u);
  server_.CutWatches(fake::kNodes);
  ASSERT_TRUE(server_.AwaitWatch(fake::kNodes, 2));
  EXPECT_EQ(server_.Seen("GET", "resourceVersion=1002"), 2);
}

TEST_F(ReflectorTest, ObjectThatCannotBeReadStopsNothing) {
  server_.Put(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"bad"},"status":{"allocatable":{"cpu":"much"}}})");
  server_.Put(fake::Node("good").Cpu("8"));
  Start(Kind::kNode);
  ASSERT_TRUE(server_.AwaitWatch(fake::kNodes));
  EXPECT_THAT(sink_.Faults(), ElementsAre(HasSubstr("bad: ")));
  EXPECT_TRUE(sink_.Await([&] { return sink_.state.NodeCount() == 1; }));
  // A node that turns unreadable is no longer one.
  server_.Put(
      R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"good"},"status":{"allocatable":{"cpu":"much"}}})");
  server_.Put(fake::Node("next"));
  ASSERT_TRUE(sink_.AwaitWord("+next"));
  EXPECT_TRUE(sink_.Await([&] { return sink_.state.NodeCount() == 1; }));
}

TEST_F(ReflectorTest, UnreadableAnnotationIsToldOnceAndTheNodeStays) {
  const auto write = [&](const std::string& ceilings, const std::string& next) {
    server_.Put(fake::Node("n1").Cpu("8").Annotation("huygens.dev/usage-ceilings", ceilings));
    server_.Put(fake::Node(next));
  };
  write("0.7", "n2");
  Start(Kind::kNode);
  ASSERT_TRUE(server_.AwaitWatch(fake::kNodes));
  write("0.7", "n3");
  ASSERT_TRUE(sink_.AwaitWord("+n3"));
  EXPECT_THAT(sink_.Faults(), ElementsAre("n1 (in use): annotation huygens.dev/usage-ceilings is ignored: 0.7: "
                                          "expected an object, found a number"));
  write("0.8", "n4");
  write("{}", "n5");
  write("0.8", "n6");
  ASSERT_TRUE(sink_.AwaitWord("+n6"));
  EXPECT_THAT(sink_.Faults(), ElementsAre(HasSubstr("0.7"), HasSubstr("0.8"), HasSubstr("0.8")));
  EXPECT_THAT(sink_.mended, ElementsAre("n1"));
  server_.Delete(fake::kNodes, "", "n1");
  write("0.8", "n7");
  ASSERT_TRUE(sink_.AwaitWord("+n7"));
  EXPECT_THAT(sink_.Faults(), testing::SizeIs(4)) << "another node of that name";
  EXPECT_THAT(sink_.mended, ElementsAre("n1", "n1"));
  EXPECT_TRUE(sink_.Await([&] { return sink_.state.FindNode("n1").has_value(); }));
}

TEST_F(ReflectorTest, FaultOfANodeThatWentUnseenIsToldAgain) {
  const std::string bad = fake::Node("n1").Annotation("huygens.dev/usage-ceilings", "0.7");
  server_.Put(bad);
  Start(Kind::kNode);
  ASSERT_TRUE(server_.AwaitWatch(fake::kNodes));
  server_.Silence(fake::kNodes, true);
  server_.Delete(fake::kNodes, "", "n1");
  server_.Compact();
  server_.CutWatches(fake::kNodes);
  ASSERT_TRUE(sink_.AwaitWord("@1002"));
  server_.Silence(fake::kNodes, false);
  server_.Put(bad);
  server_.Put(fake::Node("n2"));
  ASSERT_TRUE(sink_.AwaitWord("+n2"));
  EXPECT_THAT(sink_.Faults(), testing::SizeIs(2));
  EXPECT_THAT(sink_.mended, ElementsAre("n1"));
}

TEST_F(ReflectorTest, TopologyThatCannotBeReadArrivesAsDefect) {
  server_.Put(
      R"({"apiVersion":"topology.crane.io/v1alpha1","kind":"NodeResourceTopology","metadata":{"name":"n1"},"zones":"two"})");
  Start(Kind::kCraneTopology);
  ASSERT_TRUE(sink_.AwaitWord("+n1"));
  EXPECT_THAT(sink_.Faults(), ElementsAre(HasSubstr("n1: ")));
}

TEST_F(ReflectorTest, GroupsComeChangeAndGo) {
  server_.Put(fake::BizGroupQuota("org").Hard("limits.cpu", "10"));
  server_.Put(fake::BizGroupQuota("team").Parent("org").Hard("limits.cpu", "4").SelfUsed("cash/limits.cpu", "7"));
  Start(Kind::kBizGroupQuota);
  ASSERT_TRUE(server_.AwaitWatch(fake::kBizGroupQuotas));
  EXPECT_THAT(sink_.Words(), ElementsAre("list", "+org", "+team", "end", "@1002"));
  EXPECT_TRUE(Synced());
  server_.Put(fake::BizGroupQuota("team").Parent("org").Hard("limits.cpu", "5"));
  ASSERT_TRUE(sink_.AwaitWord("@1003"));
  server_.Delete(fake::kBizGroupQuotas, "", "team");
  EXPECT_TRUE(sink_.AwaitWord("-team"));
  EXPECT_THAT(sink_.Faults(), testing::IsEmpty());
}

TEST_F(ReflectorTest, GroupsThatWentUnseenAreMissingFromTheNextList) {
  server_.Put(fake::BizGroupQuota("org"));
  server_.Put(fake::BizGroupQuota("team").Parent("org"));
  Start(Kind::kBizGroupQuota);
  ASSERT_TRUE(server_.AwaitWatch(fake::kBizGroupQuotas));
  server_.Silence(fake::kBizGroupQuotas, true);
  server_.Delete(fake::kBizGroupQuotas, "", "team");
  server_.Compact();
  server_.CutWatches(fake::kBizGroupQuotas);
  ASSERT_TRUE(sink_.AwaitWord("@1003"));
  const auto words = sink_.Words();
  EXPECT_THAT(std::vector<std::string>(words.end() - 4, words.end()), ElementsAre("list", "+org", "end", "@1003"));
}

TEST_F(ReflectorTest, GroupWithoutADefinitionIsAnEmptyList) {
  server_.Install(fake::kBizGroupQuotas, false);
  Start(Kind::kBizGroupQuota);
  EXPECT_TRUE(sink_.AwaitState(WatchState::kAbsent));
  EXPECT_THAT(sink_.Words(), ElementsAre("list", "end"));
}

TEST_F(ReflectorTest, GroupThatCannotBeReadArrivesAsDefect) {
  server_.Put(fake::BizGroupQuota("team").Hard("limits.cpu", "many"));
  server_.Put(fake::BizGroupQuota("other").Hard("limits.cpu", "1"));
  Start(Kind::kBizGroupQuota);
  ASSERT_TRUE(sink_.AwaitWord("+team"));
  ASSERT_TRUE(sink_.AwaitWord("+other"));
  EXPECT_THAT(sink_.Faults(), ElementsAre(testing::StartsWith("team: spec.hard.limits.cpu: ")));
}

TEST_F(ReflectorTest, PodThatTurnsUnreadableStaysAsItWas) {
  const std::string uid = server_.Put(fake::Pod("default", "a").Cpu("2").On("n1"));
  Start(Kind::kPod);
  ASSERT_TRUE(server_.AwaitWatch(fake::kPods));
  server_.Put(fake::Pod("default", "a").Cpu("lots").On("n1"));
  ASSERT_TRUE(sink_.Await([&] { return !sink_.faults.empty(); }));
  EXPECT_THAT(sink_.Faults(), ElementsAre(HasSubstr("default/a: ")));
  EXPECT_TRUE(sink_.Await([&] { return sink_.state.FindPod(uid) != nullptr; }));
}

TEST_F(ReflectorTest, MissingDefinitionIsAnEmptyListAndIsPickedUpWhenInstalled) {
  server_.Install(fake::kCrane, false);
  StartManual(Kind::kCraneTopology);
  EXPECT_EQ(manual_->AwaitWaiting(), seconds(30));
  EXPECT_THAT(sink_.Words(), ElementsAre("list", "end"));
  EXPECT_THAT(sink_.States(), ElementsAre("listing", HasSubstr("absent: ")));
  manual_->Advance(seconds(30));  // still not there: nothing new is said
  EXPECT_EQ(sink_.Words().size(), 2u);
  EXPECT_EQ(sink_.States().size(), 2u);

  server_.Install(fake::kCrane, true);
  server_.Put(fake::CraneTopology("n1").Zone("node0", "4"));
  manual_->Wake();
  EXPECT_TRUE(sink_.AwaitWord("+n1"));
  EXPECT_TRUE(Synced());
}

TEST_F(ReflectorTest, RemovedDefinitionEmptiesTheKindAfterASecondLook) {
  server_.Put(fake::CraneTopology("n1").Zone("node0", "4"));
  StartManual(Kind::kCraneTopology);
  ASSERT_TRUE(server_.AwaitWatch(fake::kCrane));
  server_.Silence(fake::kCrane, true);  // the DELETED events get lost
  server_.Install(fake::kCrane, false);
  EXPECT_LT(manual_->AwaitWaiting(), seconds(1));  // the watch ended without a word
  EXPECT_THAT(sink_.Words(), Not(Contains("-n1")));
  manual_->Advance(seconds(1));
  manual_->Advance(seconds(1));
  EXPECT_TRUE(sink_.AwaitState(WatchState::kAbsent));
  const auto words = sink_.Words();
  EXPECT_EQ(std::vector<std::string>(words.end() - 2, words.end()), (std::vector<std::string>{"list", "end"}));
  for (int pause : {1, 2, 4, 8, 16, 30, 30}) {
    EXPECT_EQ(manual_->AwaitWaiting(), seconds(pause)) << "it may come back soon";
    manual_->Advance(seconds(pause));
  }
}

TEST_F(ReflectorTest, OneStrange404DoesNotEmptyAKind) {
  server_.Put(fake::CraneTopology("n1").Zone("node0", "4"));
  Start(Kind::kCraneTopology);
  ASSERT_TRUE(server_.AwaitWatch(fake::kCrane));
  server_.Inject({.method = "GET", .path = "noderesourcetopologies", .code = 404});
  server_.CutWatches(fake::kCrane);
  ASSERT_TRUE(server_.AwaitWatch(fake::kCrane, 2));
  EXPECT_THAT(sink_.States(), Not(Contains(HasSubstr("absent"))));
  EXPECT_THAT(sink_.Words(), ElementsAre("list", "+n1", "end", "@1001", "list", "+n1", "end", "@1001"));
}

TEST_F(ReflectorTest, MissingPodsAreAFaultNotAnEmptyCluster) {
  server_.Inject({.method = "GET", .path = "/pods", .code = 404});
  Start(Kind::kPod);
  ASSERT_TRUE(Synced());
  EXPECT_THAT(sink_.States(), Contains(HasSubstr("broken: ")));
  EXPECT_THAT(sink_.States(), Not(Contains(HasSubstr("absent"))));
}

TEST_F(ReflectorTest, CatchingUpDoesNothingWhenTheVersionWasSeenAndListsOtherwise) {
  server_.Put(fake::Node("n1"));
  Start(Kind::kNode);
  ASSERT_TRUE(server_.AwaitWatch(fake::kNodes));
  reflector_->CatchUp(1001);
  server_.Put(fake::Node("n2"));
  ASSERT_TRUE(sink_.AwaitWord("+n2"));
  server_.EndWatches(fake::kNodes);
  ASSERT_TRUE(server_.AwaitWatch(fake::kNodes, 2));
  EXPECT_EQ(Lists(fake::kNodes), 1);
  server_.Put(fake::Pod("default", "a"));  // the version grows, and the watch of nodes does not know
  auto client = *net::Client::Create(server_.Options());
  const auto version = ReadResourceVersion(*client, Kind::kNode, seconds(5));
  ASSERT_TRUE(version.ok());
  EXPECT_EQ(*version, 1003u);
  reflector_->CatchUp(*version);
  reflector_->CatchUp(*version);
  ASSERT_TRUE(sink_.AwaitWord("@1003"));
  ASSERT_TRUE(server_.AwaitWatch(fake::kNodes, 3));
  EXPECT_EQ(Lists(fake::kNodes), 3);  // the first, that of ReadResourceVersion, and one to catch up
}

TEST_F(ReflectorTest, TheResourceVersionOfAKindIsThatOfTheFirstVersionServed) {
  auto client = *net::Client::Create(server_.Options());
  server_.Put(fake::Node("n1"));
  const std::vector<std::string> paths = {fake::kResourceClaimsBeta,
                                          fake::kResourceClaims};  // the first is not installed
  EXPECT_EQ(ReadResourceVersion(*client, paths, seconds(5)).value_or(7), server_.version());
  EXPECT_EQ(ReadResourceVersion(*client, std::vector<std::string>{fake::kResourceClaimsBeta}, seconds(5)).value_or(7),
            0u);
  server_.Inject({.method = "GET", .path = fake::kResourceClaims, .code = 403});
  EXPECT_TRUE(absl::IsPermissionDenied(ReadResourceVersion(*client, paths, seconds(5)).status()));
}

TEST_F(ReflectorTest, ListThatBeganBeforeTheWishIsRepeated) {
  auto gate = std::make_shared<fake::Gate>();
  server_.Inject({.what = What::kHoldAnswer, .method = "GET", .path = "/nodes", .gate = gate});
  server_.Silence(fake::kNodes, true);  // no event will tell
  Start(Kind::kNode);
  ASSERT_TRUE(gate->AwaitArrival());
  server_.Put(fake::Node("n1"));
  reflector_->CatchUp(server_.version());
  gate->Open();
  ASSERT_TRUE(sink_.AwaitWord("+n1"));
  ASSERT_TRUE(server_.AwaitWatch(fake::kNodes));
  EXPECT_EQ(Lists(fake::kNodes), 2);
}

TEST_F(ReflectorTest, LargeKindCatchesUpByTheBookmarkOfAShortWatch) {
  server_.Put(fake::Node("n1"));
  Start(Kind::kNode, {.short_watch_above = 0});
  ASSERT_TRUE(server_.AwaitWatch(fake::kNodes));
  server_.Put(fake::Pod("default", "a"));
  reflector_->CatchUp(server_.version());
  ASSERT_TRUE(server_.AwaitSeen("GET", "timeoutSeconds=3", 1));
  ASSERT_TRUE(server_.AwaitWatch(fake::kNodes, 2));
  server_.Bookmark(fake::kNodes);
  ASSERT_TRUE(sink_.AwaitWord("@1002"));
  EXPECT_EQ(Lists(fake::kNodes), 1);

  server_.EndWatches(fake::kNodes);
  ASSERT_TRUE(server_.AwaitWatch(fake::kNodes, 3));
  EXPECT_EQ(server_.Seen("GET", "timeoutSeconds=3"), 1);  // back to long watches
}

TEST_F(ReflectorTest, ShortWatchWithoutABookmarkIsFollowedByAList) {
  server_.Put(fake::Node("n1"));
  Start(Kind::kNode, {.short_watch_above = 0});
  ASSERT_TRUE(server_.AwaitWatch(fake::kNodes));
  server_.Put(fake::Pod("default", "a"));
  reflector_->CatchUp(server_.version());
  ASSERT_TRUE(server_.AwaitWatch(fake::kNodes, 2));
  server_.EndWatches(fake::kNodes);
  ASSERT_TRUE(sink_.AwaitWord("@1002"));
  EXPECT_EQ(Lists(fake::kNodes), 2);
}

TEST_F(ReflectorTest, StopEndsAHangingListAtOnce) {
  server_.Inject({.what = What::kHang, .method = "GET", .path = "/nodes"});
  Start(Kind::kNode);
  ASSERT_TRUE(server_.AwaitSeen("GET", "/nodes", 1));
  const auto begin = std::chrono::steady_clock::now();
  reflector_->Stop();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(5));
  EXPECT_THAT(sink_.States(), ElementsAre("listing"));
}

TEST_F(ReflectorTest, StopEndsABackOff) {
  server_.Inject({.method = "GET", .path = "/nodes", .code = 500});
  StartManual(Kind::kNode);
  manual_->AwaitWaiting();
  reflector_->Stop();
  EXPECT_EQ(server_.Seen("GET", "/nodes"), 1);
}

TEST_F(ReflectorTest, SurvivesAnApiServerThatIsAwayForAWhile) {
  net::ClientOptions nobody = server_.Options();
  nobody.base_url = "http://127.0.0.1:1";
  StartAt(Kind::kNode, nobody);
  ASSERT_TRUE(sink_.AwaitState(WatchState::kBroken));
}

}  // namespace
}  // namespace huygens::kube
