#include "cluster/ledger.h"

#include <gtest/gtest.h>

namespace huygens::cluster {
namespace {

Time At(int seconds) { return Time(std::chrono::seconds(seconds)); }

TEST(Ledger, CountsEntriesByState) {
  Ledger ledger;
  EXPECT_TRUE(ledger.Reserve("a", At(1)));
  EXPECT_TRUE(ledger.Reserve("b", At(2)));
  EXPECT_FALSE(ledger.Reserve("a", At(3)));
  EXPECT_EQ(ledger.Find("a")->since, At(1));
  EXPECT_EQ(ledger.Count(ReservationState::kReserved), 2u);

  EXPECT_TRUE(ledger.Assume("a", At(4)));
  EXPECT_FALSE(ledger.Assume("c", At(4)));
  EXPECT_EQ(ledger.Count(ReservationState::kReserved), 1u);
  EXPECT_EQ(ledger.Count(ReservationState::kAssumed), 1u);
  EXPECT_EQ(ledger.Find("a")->state, ReservationState::kAssumed);
  EXPECT_EQ(ledger.Find("a")->since, At(4));

  EXPECT_TRUE(ledger.Erase("a"));
  EXPECT_FALSE(ledger.Erase("a"));
  EXPECT_TRUE(ledger.Erase("b"));
  EXPECT_EQ(ledger.size(), 0u);
  EXPECT_EQ(ledger.Count(ReservationState::kReserved), 0u);
  EXPECT_EQ(ledger.Count(ReservationState::kAssumed), 0u);
}

TEST(Ledger, AssumingTwiceIsCountedOnce) {
  Ledger ledger;
  ledger.Reserve("a", At(1));
  ledger.Assume("a", At(2));
  ledger.Assume("a", At(3));
  EXPECT_EQ(ledger.Count(ReservationState::kAssumed), 1u);
  EXPECT_EQ(ledger.Count(ReservationState::kReserved), 0u);
}

TEST(Ledger, ListsOverdueAssumptionsInOrder) {
  Ledger ledger;
  for (const char* uid : {"d", "a", "c", "b"}) ledger.Reserve(uid, At(1));
  ledger.Assume("d", At(5));
  ledger.Assume("a", At(5));
  ledger.Assume("c", At(9));
  EXPECT_EQ(ledger.AssumedSince(At(6)), (std::vector<std::string>{"a", "d"}));
  EXPECT_EQ(ledger.AssumedSince(At(5)), (std::vector<std::string>{}));
}

}  // namespace
}  // namespace huygens::cluster
