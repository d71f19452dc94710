#include "real_capacity/facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace huygens::real_capacity {
namespace {

using State = Reading::State;
using testing::HasSubstr;

const Time kStart = Time(std::chrono::hours(500'000));

class QueryFactsTest : public testing::Test {
 protected:
  void Say(std::vector<Fact> said) {
    now += std::chrono::seconds(30);
    facts.Take({.status = absl::OkStatus(), .at = now, .facts = std::move(said)});
  }
  void Fail(std::string_view why = "connection refused") {
    now += std::chrono::seconds(30);
    facts.Take({.status = Unavailable(why), .at = now, .facts = {}});
  }

  Time now = kStart;
  QueryFacts facts{"busy", true};
};

TEST_F(QueryFactsTest, NothingIsKnownBeforeAnAnswer) {
  EXPECT_EQ(facts.Of("a", 0).state, State::kUnknown);
  EXPECT_EQ(facts.Of("a", 0).why, "busy: was not answered yet");
  EXPECT_FALSE(facts.answered());
}

TEST_F(QueryFactsTest, AValueIsOfItsZoneAlone) {
  Say({{"a", 0, 1.5}, {"a", 3, 2}});
  EXPECT_EQ(facts.Of("a", 0).state, State::kValue);
  EXPECT_EQ(facts.Of("a", 0).value, 1.5);
  EXPECT_EQ(facts.Of("a", 0).at, now);
  EXPECT_EQ(facts.Of("a", 1).state, State::kAbsent);
  EXPECT_EQ(facts.Of("b", 0).state, State::kAbsent);
}

TEST_F(QueryFactsTest, AFactOfANodeIsOfEachOfItsZones) {
  QueryFacts of_nodes("watts", false);
  of_nodes.Take({.status = absl::OkStatus(), .at = kStart, .facts = {{"a", kWholeNode, 400}}});
  EXPECT_EQ(of_nodes.Of("a", 0).value, 400);
  EXPECT_EQ(of_nodes.Of("a", 7).value, 400);
}

TEST_F(QueryFactsTest, AFailureIsNoAnswer) {
  Say({{"a", 0, 1}});
  Fail();
  EXPECT_EQ(facts.Of("a", 0).state, State::kUnknown);
  EXPECT_EQ(facts.Of("a", 0).why, "busy: connection refused");
  EXPECT_EQ(facts.fault(), "connection refused");
  EXPECT_EQ(facts.answered(), kStart + std::chrono::seconds(30));
}

TEST_F(QueryFactsTest, AnAnswerWithoutAnyFactIsNone) {
  Say({{"a", 0, 1}});
  for (int i = 0; i < 10; ++i) {
    Say({});
    EXPECT_EQ(facts.Of("a", 0).state, State::kUnknown);
  }
  Say({{"b", 0, 1}});
  EXPECT_EQ(facts.Of("a", 0).answers, 1u) << "counted from the first that says something";
}

TEST_F(QueryFactsTest, AbsenceIsCountedInGoodAnswersInARow) {
  Say({{"a", 0, 1}, {"b", 0, 1}});
  for (uint64_t i = 1; i <= 3; ++i) {
    Say({{"b", 0, 1}});
    EXPECT_EQ(facts.Of("a", 0).answers, i);
  }
  Fail();
  Say({{"b", 0, 1}});
  EXPECT_EQ(facts.Of("a", 0).answers, 1u) << "a failure begins the count anew";
  Say({{"a", 0, 1}, {"b", 0, 1}});
  Say({{"b", 0, 1}});
  EXPECT_EQ(facts.Of("a", 0).answers, 1u);
  EXPECT_EQ(facts.Of("never", 0).answers, 3u) << "of one that was never named, since the last failure";
}

TEST_F(QueryFactsTest, TwoSeriesOfOneZoneSayNothingOfIt) {
  Say({{"a", 0, 1}, {"a", 0, 1}, {"a", 1, 5}});
  EXPECT_EQ(facts.Of("a", 0).state, State::kAmbiguous);
  EXPECT_THAT(facts.Of("a", 0).why, HasSubstr("busy: two series are of this zone"));
  EXPECT_EQ(facts.Of("a", 1).value, 5);
  Say({{"a", 0, 3}});
  EXPECT_EQ(facts.Of("a", 0).value, 3);
}

TEST_F(QueryFactsTest, WhatIsNamedNoMoreIsForgottenInTheEnd) {
  Say({{"gone", 0, 1}});
  for (int i = 0; i < 1100; ++i) Say({{"b", 0, 1}});
  EXPECT_EQ(facts.Of("gone", 0).state, State::kAbsent);
  size_t named = 0;
  facts.ForEach([&](std::string_view, int) { ++named; });
  EXPECT_EQ(named, 1u);
}

}  // namespace
}  // namespace huygens::real_capacity
