#include "admin/token_access.h"

#include <gmock/gmock.h>

#include "tests/fake/api_server.h"
#include "tests/fake/waiters.h"
#include "tests/net/fixture.h"

namespace huygens::admin {
namespace {

using ::testing::HasSubstr;
using What = AccessVerdict::What;

constexpr char kReviews[] = "/apis/authentication.k8s.io/v1/tokenreviews";
constexpr char kAccess[] = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
constexpr char kAnna[] =
    R"({"kind":"TokenReview","status":{"authenticated":true,"user":{"username":"anna","uid":"7","groups":["dev","ops"],"extra":{"scopes":["a b"]}}}})";
constexpr char kNobody[] = R"({"kind":"TokenReview","status":{"authenticated":false,"error":"expired"}})";

class TokenAccessTest : public ::testing::Test {
 protected:
  TokenAccessTest() {
    auto waiter = std::make_unique<fake::InstantWaiter>();
    waiter_ = waiter.get();
    access_ = *TokenAccess::Start(server_.Options(), std::move(waiter));
  }
  void Answer(const char* path, const std::string& body, int times = -1, int code = 201) {
    server_.Inject({.method = "POST", .path = path, .times = times, .code = code, .body = body});
  }
  void AnswerAccess(bool allowed) {
    Answer(kAccess, Concat(R"({"kind":"SubjectAccessReview","status":{"allowed":)", allowed ? "true" : "false", "}}"));
  }
  AccessVerdict Ask(const std::string& token, const std::string& path = "/debug/nodes") {
    net::testing::Inbox<AccessVerdict> answers;
    access_->Ask(token, path, [&](AccessVerdict verdict) { answers.Put(std::move(verdict)); });
    return answers.Take();
  }

  fake::ApiServer server_;
  fake::InstantWaiter* waiter_ = nullptr;
  std::unique_ptr<TokenAccess> access_;
};

TEST_F(TokenAccessTest, AsksWhoItIsAndWhetherTheyMayAndRemembersItForAWhile) {
  Answer(kReviews, kAnna);
  AnswerAccess(true);
  EXPECT_EQ(Ask("secret").what, What::kAllowed);
  EXPECT_EQ(
      server_.last_body(),
      R"({"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","spec":{"user":"anna","uid":"7",)"
      R"("groups":["dev","ops"],"extra":{"scopes":["a b"]},"nonResourceAttributes":{"path":"/debug/nodes","verb":"get"}}})");
  EXPECT_EQ(Ask("secret").what, What::kAllowed);
  EXPECT_EQ(server_.Seen("POST", kReviews), 1);
  EXPECT_EQ(Ask("secret", "/debug/usage").what, What::kAllowed);
  EXPECT_EQ(server_.Seen("POST", kAccess), 2) << "each path is a question of its own";
  waiter_->Advance(TokenAccess::kHolds);
  EXPECT_EQ(Ask("secret").what, What::kAllowed);
  EXPECT_EQ(server_.Seen("POST", kReviews), 3);
}

TEST_F(TokenAccessTest, NobodyAndWhoMayNotAreToldApartAndRememberedToo) {
  Answer(kReviews, kNobody, 1);
  Answer(kReviews, kAnna);
  AnswerAccess(false);
  for (int i = 0; i < 2; ++i) {
    const AccessVerdict nobody = Ask("old");
    EXPECT_EQ(nobody.what, What::kNobody);
    EXPECT_EQ(nobody.why, "the token is not valid: expired");
  }
  for (int i = 0; i < 2; ++i) {
    const AccessVerdict forbidden = Ask("anna's");
    EXPECT_EQ(forbidden.what, What::kForbidden);
    EXPECT_THAT(forbidden.why, HasSubstr("anna may not get /debug/nodes"));
  }
  EXPECT_EQ(server_.Seen("POST", kReviews), 2);
  EXPECT_GE(waiter_->waits().size(), 1U) << "a pause after each question to the API server; the last may be to come";
}

TEST_F(TokenAccessTest, WhatTheApiServerDidNotSayIsNoAnswerAndNotRemembered) {
  Answer(kReviews, "", 1, 403);
  const AccessVerdict verdict = Ask("secret");
  EXPECT_EQ(verdict.what, What::kUnknown);
  EXPECT_THAT(verdict.why, HasSubstr("check the ClusterRole"));
  EXPECT_THAT(verdict.why, ::testing::Not(HasSubstr("secret")));
  Answer(kReviews, R"({"kind":"Status"})", 1);
  EXPECT_EQ(Ask("secret").what, What::kUnknown);
  Answer(kReviews, kAnna);
  AnswerAccess(true);
  EXPECT_EQ(Ask("secret").what, What::kAllowed);
}

TEST_F(TokenAccessTest, OnlySoManyWaitAndTheEndAnswersAll) {
  server_.Inject({.what = fake::Fault::What::kHang, .method = "POST", .path = kReviews, .times = -1});
  net::testing::Inbox<AccessVerdict> answers;
  const auto ask = [&](int i) {
    access_->Ask(std::to_string(i), "/debug/", [&](AccessVerdict verdict) { answers.Put(std::move(verdict)); });
  };
  ask(0);
  ASSERT_TRUE(server_.AwaitSeen("POST", kReviews, 1));
  const int most = static_cast<int>(TokenAccess::kMostWaiting);
  for (int i = 1; i <= most; ++i) ask(i);
  EXPECT_TRUE(answers.empty());
  ask(most + 1);
  EXPECT_THAT(answers.Take().why, HasSubstr("too many wait"));
  access_->Stop();
  for (int i = 0; i <= most; ++i) EXPECT_EQ(answers.Take().what, What::kUnknown);
  ask(0);
  EXPECT_THAT(answers.Take().why, HasSubstr("ending"));
}

}  // namespace
}  // namespace huygens::admin
