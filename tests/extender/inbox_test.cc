#include "extender/inbox.h"

#include <gmock/gmock.h>

#include "tests/extender/fixture.h"

namespace huygens::extender {
namespace {

using cluster::Kind;
using std::chrono::minutes;

class InboxTest : public ServiceTest {
 protected:
  void Deliver(std::vector<cluster::Event> events, uint64_t version) {
    inbox_.Deliver({Kind::kPod, std::move(events), version, clock_.now});
    while (loop_.Poll() > 0) {
    }
  }
  static std::shared_ptr<cluster::Pod> MakePod(int number) {
    auto pod = std::make_shared<cluster::Pod>();
    pod->name = pod->uid = Concat("p", std::to_string(number));
    pod->namespace_name = "default";
    pod->node_name = "n1";
    return pod;
  }

  Inbox inbox_{context_, loop_};
};

TEST_F(InboxTest, KnowsForHowLongNothingWasHeardOfAKind) {
  monotonic_ += minutes(90);
  EXPECT_EQ(inbox_.Silence(Kind::kPod), Duration::zero()) << "never listed: another thing is wrong";
  Deliver({cluster::ListBegin{Kind::kPod}, cluster::ListEnd{Kind::kPod}}, 7);
  monotonic_ += minutes(2);
  clock_.now += std::chrono::hours(5);
  EXPECT_EQ(inbox_.Silence(Kind::kPod), minutes(2));
  Deliver({}, 8);  // a bookmark
  EXPECT_EQ(inbox_.Silence(Kind::kPod), Duration::zero());
  monotonic_ += minutes(2);
  EXPECT_EQ(inbox_.Silence(Kind::kPod), minutes(2));
  inbox_.Report({Kind::kPod, kube::WatchState::kAbsent, ""});
  while (loop_.Poll() > 0) {
  }
  EXPECT_EQ(inbox_.Silence(Kind::kPod), Duration::zero());
}

TEST_F(InboxTest, PodsThatALongListDoesNotNameGoBetweenRequests) {
  std::vector<cluster::Event> events = {cluster::ListBegin{Kind::kPod}};
  for (int i = 0; i < 20'000; ++i) events.push_back(cluster::PodSet{MakePod(i), 1});
  events.push_back(cluster::ListEnd{Kind::kPod});
  Deliver(std::move(events), 7);
  EXPECT_EQ(placement_->state().PodCount(), 20'000u);
  inbox_.Deliver({Kind::kPod, {cluster::ListBegin{Kind::kPod}, cluster::ListEnd{Kind::kPod}}, 8, clock_.now});
  size_t tasks_between = 0;
  bool posted = false;
  while (inbox_.Seen(Kind::kPod) != 8) {
    if (!std::exchange(posted, true)) {
      loop_.Post([&] {
        ++tasks_between;
        posted = false;
      });
    }
    loop_.Poll();
  }
  EXPECT_EQ(placement_->state().PodCount(), 0u);
  EXPECT_GT(tasks_between, 1u) << "a request would have been served in the middle";
}

}  // namespace
}  // namespace huygens::extender
