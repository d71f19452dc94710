// The admin server while clients are silent, slow or many, and who may read /debug.
#include <gmock/gmock.h>

#include <thread>

#include "tests/admin/admin_fixture.h"
#include "tests/net/other_address.h"

namespace huygens::admin {
namespace {

using net::testing::Inbox;
using net::testing::RawConnection;
using testing::HasSubstr;
using What = AccessVerdict::What;

constexpr char kAllDecisions[] = "GET /debug/decisions?limit=1000 HTTP/1.1\r\nHost: x\r\n\r\n";

class AdminCrowdTest : public AdminTest {
 protected:
  // As many as the ring holds, about 30 MB of JSON.
  void FillRing() {
    auto reasons = std::make_shared<const std::vector<std::string>>(1);
    const std::string error(32'000, 'x');
    for (int i = 0; i < 1000; ++i) {
      observe::Decision decision{.time = clock_.Now(), .verb = "filter", .pod = "default/a"};
      decision.outcome = "ok";
      decision.error = error;
      ring_.Add(std::make_shared<const observe::DecisionRecord>(decision, reasons));
    }
  }
  std::vector<std::unique_ptr<RawConnection>> Connect(int count, std::string_view text) {
    std::vector<std::unique_ptr<RawConnection>> connections;
    for (int i = 0; i < count; ++i) {
      connections.push_back(std::make_unique<RawConnection>(admin_->port()));
      connections.back()->Send(text);
    }
    return connections;
  }
  // Each probe on a connection of its own, as kubelet does it.
  void ExpectProbesWork() {
    for (const char* path : {"/healthz", "/readyz", "/metrics"}) {
      RawConnection probe(admin_->port());
      probe.Send(Concat("GET ", path, " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"));
      EXPECT_EQ(probe.Receive().status, 200) << path;
    }
  }
};

TEST_F(AdminCrowdTest, ProbesWorkWhileEveryPlaceIsTakenByTheSilent) {
  Start();
  const auto silent = Connect(100, "");
  ExpectProbesWork();
  const auto slow = Connect(100, "GET /heal");
  ExpectProbesWork();
  const auto used = Connect(100, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  for (size_t i = 50; i < used.size(); ++i) EXPECT_EQ(used[i]->Receive().status, 200);
  ExpectProbesWork();
}

TEST_F(AdminCrowdTest, SlowReadersOfDebugTakeBoundedMemoryAndNoProbesPlace) {
  FillRing();
  Start();
  size_t most = 0;
  const auto look = [&] { most = std::max(most, admin_->bytes_in_flight()); };
  const auto slow = Connect(24, kAllDecisions);
  look();
  ExpectProbesWork();
  look();
  const auto more = Connect(100, kAllDecisions);
  look();
  ExpectProbesWork();
  const auto silent = Connect(100, "");
  ExpectProbesWork();
  look();
  EXPECT_LT(most, size_t{2} << 20) << "one answer at a time, a piece of it in memory";
}

TEST_F(AdminCrowdTest, OneQuestionIsAnsweredAtATimeAFewWaitAndTheRestIsToldSo) {
  FillRing();
  Start();
  auto slow = std::make_unique<RawConnection>(admin_->port());
  slow->Send(kAllDecisions);
  while (admin_->bytes_in_flight() == 0) std::this_thread::yield();
  // Eight wait, the ninth does not.
  std::vector<std::unique_ptr<RawConnection>> others;
  for (int i = 0; i < 8; ++i) {
    others.push_back(std::make_unique<RawConnection>(admin_->port()));
    others.back()->Send("GET /debug/decisions?limit=1 HTTP/1.1\r\nHost: x\r\n\r\n");
    ExpectProbesWork();  // by now it was looked at
  }
  const auto busy = Get("/debug/nodes");
  EXPECT_EQ(busy.code, 503);
  EXPECT_THAT(busy.body, HasSubstr("other questions to /debug are being answered; try again"));
  slow.reset();
  for (const auto& other : others) EXPECT_EQ(other->Receive(false).status, 200);
  EXPECT_EQ(Get("/debug/nodes").code, 200);
}

TEST_F(AdminCrowdTest, WhoWaitsForTheTurnIsToldInTime) {
  FillRing();
  Start(false, std::chrono::milliseconds(50));
  RawConnection slow(admin_->port());
  slow.Send(kAllDecisions);
  while (admin_->bytes_in_flight() == 0) std::this_thread::yield();
  EXPECT_EQ(Get("/debug/decisions?limit=1").code, 503);
}

TEST_F(AdminCrowdTest, ALongAnswerIsWhole) {
  FillRing();
  Start();
  const std::string body = Get("/debug/decisions?limit=999").body;
  size_t found = 0;
  for (size_t at = 0; (at = body.find("\"verb\"", at)) != std::string::npos; ++at) ++found;
  EXPECT_EQ(found, 999U);
  EXPECT_THAT(body, testing::StartsWith("{\"decisions\":[{"));
  EXPECT_THAT(body.substr(body.size() - 10), testing::EndsWith("}]}\n"));
  EXPECT_EQ(Call("HEAD", "/debug/decisions?limit=999").code, 200);
  EXPECT_EQ(Get("/debug/decisions?limit=1").code, 200) << "the turn of a HEAD ends, too";
}

class DebugAccessTest : public AdminCrowdTest {
 protected:
  void SetUp() override {
    other_ = net::OtherAddress();
    if (other_.empty()) GTEST_SKIP() << "this machine has no address but loopback";
    address_ = "0.0.0.0:0";
  }
  net::HttpReply FromElsewhere(std::string_view path, const std::string& token) {
    net::ClientOptions options{.base_url = Concat("http://", other_, ":", std::to_string(admin_->port()))};
    options.bearer_token = token;
    auto client = net::Client::Create(options);
    auto reply = (*client)->Call("GET", path, "", {}, std::chrono::seconds(20));
    EXPECT_TRUE(reply.ok()) << reply.status();
    return reply.ok() ? *reply : net::HttpReply{};
  }
  std::string other_;
};

TEST_F(DebugAccessTest, WithoutAnApiServerDebugIsForThisMachine) {
  Start();
  EXPECT_EQ(FromElsewhere("/healthz", "").code, 200);
  EXPECT_EQ(FromElsewhere("/metrics", "").code, 200);
  const auto refused = FromElsewhere("/debug/nodes", "token");
  EXPECT_EQ(refused.code, 403);
  EXPECT_THAT(refused.body, HasSubstr("kubectl port-forward"));
  EXPECT_EQ(Get("/debug/nodes").code, 200) << "from loopback, as port-forward and exec come";
}

TEST_F(DebugAccessTest, OthersNeedATokenThatMayGetThePath) {
  Inbox<std::string> asked;
  authorize_ = [&](const std::string& token, const std::string& path, const TokenAccess::Done& done) {
    asked.Put(Concat(token, " ", path));
    done({token == "good"   ? What::kAllowed
          : token == "anna" ? What::kForbidden
          : token == "slow" ? What::kUnknown
                            : What::kNobody,
          "because"});
  };
  Start();
  EXPECT_EQ(Get("/debug/nodes").code, 200);
  const auto none = FromElsewhere("/debug/nodes", "");
  EXPECT_EQ(none.code, 401);
  EXPECT_THAT(none.body, HasSubstr("bearer token"));
  EXPECT_TRUE(asked.empty());
  EXPECT_EQ(FromElsewhere("/debug/nodes?x=1", "good").code, 200);
  EXPECT_EQ(asked.Take(), "good /debug/nodes");
  EXPECT_EQ(FromElsewhere("/debug/nodes/", "good").code, 200);
  EXPECT_EQ(asked.Take(), "good /debug/nodes") << "asked for what is served: rights to /debug/nodes/* are not enough";
  EXPECT_EQ(FromElsewhere("/debug/decisions?limit=1", "anna").code, 403);
  EXPECT_EQ(FromElsewhere("/debug/usage", "slow").code, 503);
  const auto nobody = FromElsewhere("/debug/nodes", "made-up");
  EXPECT_EQ(nobody.code, 401);
  EXPECT_EQ(nobody.body, "because\n");
  EXPECT_EQ(FromElsewhere("/readyz", "").code, 200);
}

TEST_F(DebugAccessTest, AnApiServerThatDoesNotAnswerEndsTheQuestion) {
  Inbox<TokenAccess::Done> held;
  authorize_ = [&](const std::string&, const std::string&, TokenAccess::Done done) { held.Put(std::move(done)); };
  Start(false, std::chrono::milliseconds(50));
  EXPECT_EQ(FromElsewhere("/debug/nodes", "good").code, 503);
  held.Take()({What::kAllowed, ""});  // too late, and nobody's
  EXPECT_EQ(FromElsewhere("/healthz", "").code, 200);
}

}  // namespace
}  // namespace huygens::admin
