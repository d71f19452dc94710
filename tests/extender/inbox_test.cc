#include "extender/inbox.h"

#include <gtest/gtest.h>

#include "tests/extender/fixture.h"

namespace huygens::extender {
namespace {

using std::chrono::hours;

class InboxTest : public ServiceTest {
 protected:
  // Sum of the metric over all that was applied.
  double Lag() const {
    const std::string text = metrics_.Render(), series = "huygens_watch_lag_seconds_sum{kind=\"nodes\"} ";
    const size_t at = text.find(series);
    return at == text.npos ? -1 : std::stod(text.substr(at + series.size()));
  }
  void Deliver() {
    inbox_.Deliver({.kind = cluster::Kind::kNode, .events = {cluster::NodeSet{{.name = "n"}}}, .resource_version = 0});
  }
  void Work() {
    while (loop_.Poll() > 0) {
    }
  }

  Inbox inbox_{context_, loop_};
};

TEST_F(InboxTest, TheLagOfAWatchDoesNotGoByAClockThatIsSet) {
  for (const auto jump : {hours(1), hours(-2), hours(1)}) {
    Deliver();
    clock_.now += jump;
    Work();
  }
  EXPECT_GT(Lag(), 0);
  EXPECT_LT(Lag(), 600) << "an hour was set";
  EXPECT_TRUE(placement_->state().FindNode("n"));
}

}  // namespace
}  // namespace huygens::extender
