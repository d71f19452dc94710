#include "kube/event_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/base/clock.h"
#include "tests/fake/api_server.h"
#include "tests/fake/waiters.h"

namespace huygens::kube {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

class EventRecorderTest : public testing::Test {
 protected:
  Status Send(const std::string& pod, const std::string& text) { return Send(pod, "BindFailed", text, text); }
  Status Send(const std::string& pod, const std::string& reason, const std::string& text,
              const std::string& repeat_key) {
    if (!events_.Allow("uid-" + pod, {.reason = reason, .message = text, .repeat_key = repeat_key})) {
      return absl::OkStatus();
    }
    return events_.Send(*client_, {"v1", "Pod", "default", pod, "uid-" + pod}, reason, text);
  }
  int Posts() const { return server_.Seen("POST", "/events"); }

  fake::ApiServer server_;
  test::ManualClock clock_;
  std::unique_ptr<net::Client> client_ = *net::Client::Create(server_.Options());
  double next_ = 0;
  EventRecorder events_{
      clock_, [this] { return next_ += 0.001; }, {.per_second = 1, .burst = 3, .remembered = 5, .instance = "host1"}};
};

TEST_F(EventRecorderTest, WarnsOnThePod) {
  ASSERT_TRUE(Send("a", "no zone has room").ok());
  EXPECT_EQ(server_.Seen("POST", "/api/v1/namespaces/default/events"), 1);
  EXPECT_THAT(server_.last_body(), HasSubstr(R"("reason":"BindFailed","message":"no zone has room","type":"Warning")"));
  EXPECT_THAT(server_.last_body(), HasSubstr(R"("uid":"uid-a")"));
  EXPECT_THAT(server_.last_body(), HasSubstr(R"("reportingInstance":"host1")"));
  EXPECT_EQ(server_.Count(fake::kEvents), 1u);
}

TEST_F(EventRecorderTest, SameTextIsNotRepeatedTooSoon) {
  Send("a", "x").IgnoreError();
  Send("a", "x").IgnoreError();
  EXPECT_EQ(Posts(), 1);
  Send("a", "y").IgnoreError();
  Send("b", "x").IgnoreError();
  EXPECT_EQ(Posts(), 3);
  clock_.Advance(minutes(5));
  Send("a", "x").IgnoreError();
  EXPECT_EQ(Posts(), 4);
  EXPECT_EQ(server_.Count(fake::kEvents), 4u);  // each under a name of its own
}

TEST_F(EventRecorderTest, AClockThatIsSetBackSilencesNobody) {
  Send("a", "x").IgnoreError();
  clock_.Advance(-minutes(60));
  Send("a", "x").IgnoreError();
  EXPECT_EQ(Posts(), 2);
  Send("a", "x").IgnoreError();
  EXPECT_EQ(Posts(), 2);
}

TEST_F(EventRecorderTest, RateIsLimitedForAllPodsTogether) {
  for (int i = 0; i < 20; ++i) Send("p" + std::to_string(i), "x").IgnoreError();
  EXPECT_EQ(Posts(), 3);
  clock_.Advance(seconds(2));
  for (int i = 0; i < 20; ++i) Send("q" + std::to_string(i), "x").IgnoreError();
  EXPECT_EQ(Posts(), 5);
  EXPECT_EQ(events_.counts().sent, 5u);
  EXPECT_EQ(events_.counts().suppressed, 35u);
}

// Pods by the thousand that their groups hold back must not keep a bind that failed from being told of.
TEST_F(EventRecorderTest, EachReasonHasARateOfItsOwn) {
  for (int i = 0; i < 20; ++i) Send("p" + std::to_string(i), "QuotaExceeded", "x", "x").IgnoreError();
  EXPECT_EQ(Posts(), 3);
  Send("p0", "BindFailed", "x", "x").IgnoreError();
  EXPECT_EQ(Posts(), 4);
}

TEST_F(EventRecorderTest, WhatIsTheSameIsForTheCallerToSay) {
  Send("a", "QuotaExceeded", "used 3 of 4, requested 2", "").IgnoreError();
  Send("a", "QuotaExceeded", "used 4 of 4, requested 2", "").IgnoreError();
  EXPECT_EQ(Posts(), 1);
  EXPECT_EQ(events_.counts().suppressed, 1u);
  Send("a", "QuotaRefused", "no such group", "").IgnoreError();
  EXPECT_EQ(Posts(), 2);
  clock_.Advance(minutes(5));
  Send("a", "QuotaExceeded", "used 4 of 4, requested 2", "").IgnoreError();
  EXPECT_EQ(Posts(), 3);
  Send("a", "QuotaExceeded", "used 4 of 4, requested 2", "another key").IgnoreError();
  EXPECT_EQ(Posts(), 4);
}

TEST_F(EventRecorderTest, LongNamesAndTextsFit) {
  ASSERT_TRUE(Send(std::string(253, 'p'), std::string(5000, 'x')).ok());
  EXPECT_LT(server_.last_body().size(), 3000u);
  EXPECT_EQ(server_.Count(fake::kEvents), 1u);
}

TEST_F(EventRecorderTest, FailureIsAnErrorAndNothingMore) {
  server_.Inject({.method = "POST", .path = "/events", .code = 403});
  EXPECT_FALSE(Send("a", "x").ok());
  EXPECT_FALSE(events_.Send(*client_, {"v1", "Pod", "default", "../x", "u"}, "BindFailed", "y").ok());
  EXPECT_EQ(Posts(), 1);
  EXPECT_EQ(events_.counts().failed, 1u);
  EXPECT_EQ(events_.counts().sent, 0u);
}

}  // namespace
}  // namespace huygens::kube
