#include "admin/turns.h"

#include <gtest/gtest.h>

#include <string>

#include "base/text.h"

namespace huygens::admin {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

class TurnsTest : public testing::Test {
 protected:
  void Enter(Turns& turns, const std::string& name) {
    turns.Enter([this, name](Turns::Turn turn) {
      log_ += Concat(name, turn == nullptr ? "! " : " ");
      turn_ = std::move(turn);
    });
  }
  void EndTurn() {
    turn_.reset();
    while (loop_.Poll() > 0) {
    }
  }

  net::EventLoop loop_;
  std::string log_;
  Turns::Turn turn_;
};

TEST_F(TurnsTest, OneAfterTheOtherInTheOrderTheyCame) {
  Turns turns(loop_, hours(1), 2);
  turns.Enter([this](Turns::Turn turn) { turn_ = std::move(turn); });
  ASSERT_NE(turn_, nullptr);
  for (const char* name : {"b", "c"}) Enter(turns, name);
  turns.Enter([this](const Turns::Turn& turn) { log_ += turn == nullptr ? "full " : "in "; });
  EXPECT_EQ(log_, "full ");
  EndTurn();
  EXPECT_EQ(log_, "full b ");
  EndTurn();
  EXPECT_EQ(log_, "full b c ");
  EndTurn();
  Enter(turns, "d");
  EXPECT_EQ(log_, "full b c d ");
}

TEST_F(TurnsTest, WhoWaitsTooLongIsToldAndTheTurnGoesToTheNext) {
  Turns turns(loop_, milliseconds(1), 2);
  Turns::Turn first;
  turns.Enter([&](Turns::Turn turn) { first = std::move(turn); });
  bool late = false;
  turns.Enter([&](const Turns::Turn& turn) {
    late = turn == nullptr;
    loop_.Stop();
  });
  loop_.Run();
  EXPECT_TRUE(late);
  first.reset();
  while (loop_.Poll() > 0) {
  }
  Enter(turns, "next");
  EXPECT_EQ(log_, "next ");
}

TEST_F(TurnsTest, ATurnMayOutliveThem) {
  {
    Turns turns(loop_, hours(1), 2);
    Enter(turns, "a");
  }
  EndTurn();
  EXPECT_EQ(log_, "a ");
}

}  // namespace
}  // namespace huygens::admin
