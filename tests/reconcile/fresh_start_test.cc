#include "reconcile/fresh_start.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <utility>

namespace huygens::reconcile {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

class FreshStartTest : public testing::Test {
 protected:
  FreshStart::Kind KindOf(const std::string& name) {
    return {.name = name,
            .ask = [this, name](auto answer) { asked_.emplace_back(name, std::move(answer)); },
            .seen = [this, name] { return seen_[name]; },
            .catch_up = [this, name](uint64_t version) { caught_up_.emplace_back(name, version); }};
  }
  // What was asked since the last time, answered.
  int Answer(const StatusOr<uint64_t>& version) {
    const auto asked = std::exchange(asked_, {});
    for (const auto& [name, answer] : asked) answer(version);
    return static_cast<int>(asked.size());
  }

  std::vector<std::pair<std::string, FreshStart::Kind::Answer>> asked_;
  std::map<std::string, uint64_t> seen_{{"pods", 10}, {"groups", 30}};
  std::vector<std::pair<std::string, uint64_t>> caught_up_;
  FreshStart start_{{KindOf("pods"), KindOf("groups")}};
};

TEST_F(FreshStartTest, WaitsUntilEachWatchHasComeAsFarAsTheApiServerStandsAfterTheTermBegan) {
  EXPECT_EQ(start_.Behind(), "") << "who does not lead waits for nothing";
  start_.Look(seconds(0));
  EXPECT_EQ(Answer(20), 0);
  start_.Begin();
  EXPECT_THAT(start_.Behind(), HasSubstr("pods, groups"));
  start_.Look(seconds(1));
  EXPECT_EQ(Answer(20), 2);
  EXPECT_THAT(start_.Behind(), HasSubstr(": pods"));
  EXPECT_THAT(caught_up_, ElementsAre(std::pair("pods", 20)));
  seen_["pods"] = 19;
  EXPECT_NE(start_.Behind(), "");
  seen_["pods"] = 20;
  EXPECT_EQ(start_.Behind(), "");
}

TEST_F(FreshStartTest, AKindThatIsNotThereIsNotWaitedFor) {
  seen_["pods"] = 0;
  start_.Begin();
  start_.Look(seconds(1));
  Answer(0);
  EXPECT_EQ(start_.Behind(), "");
}

TEST_F(FreshStartTest, WhatCannotBeAskedIsAskedAgainAfterAPauseAndSaysWhy) {
  start_.Begin();
  start_.Look(seconds(1));
  Answer(absl::UnavailableError("connection refused"));
  EXPECT_THAT(start_.Behind(), HasSubstr("connection refused"));
  start_.Look(seconds(2));
  EXPECT_EQ(Answer(10), 0) << "too soon";
  start_.Look(seconds(3));
  EXPECT_EQ(Answer(10), 2);
  EXPECT_EQ(start_.Behind(), "");
}

// A large cluster changes faster than it is listed, and after a restore of etcd versions are lower.
TEST_F(FreshStartTest, TheLeastOfSeveralAnswersIsEnough) {
  seen_["groups"] = 0;
  start_.Begin();
  start_.Look(seconds(1));
  Answer(20);
  start_.Look(seconds(4));
  Answer(25);
  seen_["pods"] = seen_["groups"] = 20;
  EXPECT_EQ(start_.Behind(), "");
  start_.Begin();
  seen_["pods"] = seen_["groups"] = 5;
  start_.Look(seconds(5));
  Answer(25);
  start_.Look(seconds(8));
  Answer(5);
  EXPECT_EQ(start_.Behind(), "");
}

TEST_F(FreshStartTest, AnAnswerToAnEarlierTermSaysNothingOfThisOne) {
  start_.Begin();
  start_.Look(seconds(1));
  start_.End();
  start_.Begin();
  Answer(10);
  EXPECT_NE(start_.Behind(), "");
  start_.Look(seconds(1));
  EXPECT_EQ(Answer(10), 2) << "a new term asks at once";
  EXPECT_EQ(start_.Behind(), "");
  start_.End();
  seen_["pods"] = 0;
  EXPECT_EQ(start_.Behind(), "");
}

}  // namespace
}  // namespace huygens::reconcile
