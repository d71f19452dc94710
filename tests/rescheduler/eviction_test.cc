#include "rescheduler/eviction.h"

#include <gtest/gtest.h>

#include "rescheduler/moves_object.h"

namespace huygens::rescheduler {
namespace {

using moves::Answer;

net::HttpReply Reply(int code, std::string body = "", std::optional<Duration> retry_after = std::nullopt) {
  net::HttpReply reply;
  reply.code = code;
  reply.body = std::move(body);
  reply.retry_after = retry_after;
  return reply;
}

// As kube-apiserver 1.36.3 answers.
constexpr std::string_view kBudgetExhausted =
    R"({"kind":"Status","status":"Failure","message":"Cannot evict pod as it would violate the pod's disruption budget.",
    "reason":"TooManyRequests","details":{"causes":[{"reason":"DisruptionBudget","message":"The disruption budget p needs 2 healthy pods and has 2 currently"}]},"code":429})";

TEST(Eviction, EachAnswerOfTheApiServerMeansSomethingElse) {
  EXPECT_EQ(Judge(Reply(201, R"({"status":"Success"})")).answer, Answer::kEvicted);
  EXPECT_EQ(Judge(Reply(404)).answer, Answer::kGone);
  EXPECT_EQ(Judge(Reply(409, R"({"message":"the UID in the precondition does not match"})")).answer, Answer::kGone);
  EXPECT_EQ(Judge(Reply(429, std::string(kBudgetExhausted))).answer, Answer::kBudget);
  const EvictionAnswer not_yet = Judge(Reply(429, std::string(kBudgetExhausted), std::chrono::seconds(10)));
  EXPECT_EQ(not_yet.answer, Answer::kNotYet);
  EXPECT_EQ(not_yet.wait, std::chrono::seconds(10));
  EXPECT_EQ(
      Judge(
          Reply(
              500,
              R"({"message":"This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."})"))
          .answer,
      Answer::kSeveralBudgets);
  EXPECT_EQ(Judge(Reply(403)).answer, Answer::kRefused);
}

TEST(Eviction, WhatSaysNothingOfThePodIsUnknown) {
  EXPECT_EQ(Judge(Reply(500, R"({"message":"etcdserver: request timed out"})")).answer, Answer::kUnknown);
  EXPECT_EQ(Judge(Reply(503)).answer, Answer::kUnknown);
  EXPECT_EQ(
      Judge(Reply(429, R"({"message":"too many requests, please try again later"})", std::chrono::seconds(1))).answer,
      Answer::kUnknown)
      << "the server's own limits on clients, not a budget's";
  EXPECT_EQ(Judge(absl::DeadlineExceededError("no reply")).answer, Answer::kUnknown);
}

TEST(Stop, AnAnnotationStopsWithOrWithoutAReason) {
  const auto reason = [](std::string_view json) { return *StopReasonOf(json); };
  EXPECT_EQ(reason(R"({"metadata":{"annotations":{"huygens.dev/stop":"incident 4711"}}})"), "incident 4711");
  EXPECT_EQ(reason(R"({"metadata":{"annotations":{"huygens.dev/stop":""}}})"), "no reason given");
  EXPECT_EQ(reason(R"({"metadata":{"annotations":{"other":"x"}}})"), "");
  EXPECT_EQ(reason(R"({"metadata":{"annotations":null}})"), "");
  EXPECT_FALSE(StopReasonOf("[]").ok());
}

}  // namespace
}  // namespace huygens::rescheduler
