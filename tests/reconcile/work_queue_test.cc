#include "reconcile/work_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>
#include <vector>

namespace huygens::reconcile {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::Optional;

constexpr Duration kStart = std::chrono::hours(1);

class WorkQueueTest : public testing::Test {
 protected:
  std::vector<std::string> TakeAll(Duration now = kStart) {
    std::vector<std::string> keys;
    while (auto key = queue_.Take(now)) keys.push_back(*key);
    return keys;
  }
  void Succeed(std::string_view key) { queue_.Done(key, true, kStart); }

  WorkQueue queue_{{.first_retry = milliseconds(100), .longest_retry = seconds(1), .parallel = 3}, [] { return 0.5; }};
};

TEST_F(WorkQueueTest, GivesEachKeyOnceInTheOrderInWhichItBecameDue) {
  for (const char* key : {"b", "a", "b", "c"}) queue_.Add(key);
  EXPECT_THAT(TakeAll(), ElementsAre("b", "a", "c"));
}

TEST_F(WorkQueueTest, WhatIsAddedWhileItIsWorkedOnIsDueAfter) {
  queue_.Add("a");
  ASSERT_THAT(TakeAll(), ElementsAre("a"));
  queue_.Add("a");
  queue_.Add("a");
  EXPECT_THAT(TakeAll(), ElementsAre()) << "one at a time";
  Succeed("a");
  EXPECT_THAT(TakeAll(), ElementsAre("a"));
  Succeed("a");
  EXPECT_THAT(TakeAll(), ElementsAre()) << "once";
}

TEST_F(WorkQueueTest, WorksOnSoManyAtOnce) {
  for (const char* key : {"a", "b", "c", "d", "e"}) queue_.Add(key);
  EXPECT_THAT(TakeAll(), ElementsAre("a", "b", "c"));
  Succeed("b");
  EXPECT_THAT(TakeAll(), ElementsAre("d"));
  EXPECT_EQ(queue_.working(), 3u);
}

TEST_F(WorkQueueTest, WhatFailedWaitsTwiceAsLongEachTime) {
  queue_.Add("a");
  Duration now = kStart;
  // Three quarters of 100, 200, ... ms, spread over [1/2, 1], and no more than a second.
  for (int64_t pause : {75, 150, 300, 600, 750, 750}) {
    ASSERT_THAT(TakeAll(now), ElementsAre("a"));
    queue_.Done("a", false, now);
    EXPECT_THAT(queue_.NextDue(), Optional(now + milliseconds(pause)));
    EXPECT_THAT(TakeAll(now + milliseconds(pause - 1)), ElementsAre());
    now += milliseconds(pause);
  }
  ASSERT_THAT(TakeAll(now), ElementsAre("a"));
  queue_.Done("a", true, now);
  EXPECT_EQ(queue_.NextDue(), std::nullopt);
  queue_.Add("a");
  ASSERT_THAT(TakeAll(now), ElementsAre("a"));
  queue_.Done("a", false, now);
  EXPECT_THAT(queue_.NextDue(), Optional(now + milliseconds(75))) << "success forgets";
}

TEST_F(WorkQueueTest, NewsEndAPause) {
  queue_.Add("a");
  ASSERT_THAT(TakeAll(), ElementsAre("a"));
  queue_.Done("a", false, kStart);
  queue_.Add("a");
  EXPECT_THAT(TakeAll(), ElementsAre("a"));
  EXPECT_EQ(queue_.NextDue(), std::nullopt);
}

TEST_F(WorkQueueTest, NewsDuringWorkThatFailsAreLookedAtWithoutAPause) {
  queue_.Add("a");
  ASSERT_THAT(TakeAll(), ElementsAre("a"));
  queue_.Add("a");
  queue_.Done("a", false, kStart);
  EXPECT_THAT(TakeAll(), ElementsAre("a"));
}

TEST_F(WorkQueueTest, WhatIsDueLaterIsDueAtTheEarliestOfItsTimes) {
  queue_.AddAt("a", kStart + seconds(5));
  queue_.AddAt("a", kStart + seconds(3));
  queue_.AddAt("a", kStart + seconds(9));
  queue_.AddAt("b", kStart + seconds(2));
  EXPECT_THAT(queue_.NextDue(), Optional(kStart + seconds(2)));
  EXPECT_THAT(TakeAll(kStart + seconds(2)), ElementsAre("b"));
  EXPECT_THAT(TakeAll(kStart + seconds(3)), ElementsAre("a"));
  queue_.Done("a", true, kStart);
  EXPECT_THAT(TakeAll(kStart + seconds(20)), ElementsAre());
}

TEST_F(WorkQueueTest, WhatBecomesDueWhileItIsWorkedOnWaitsForTheEnd) {
  queue_.Add("a");
  ASSERT_THAT(TakeAll(), ElementsAre("a"));
  queue_.AddAt("a", kStart + seconds(1));
  EXPECT_THAT(TakeAll(kStart + seconds(2)), ElementsAre());
  queue_.Done("a", true, kStart + seconds(2));
  EXPECT_THAT(TakeAll(kStart + seconds(2)), ElementsAre("a"));
}

TEST_F(WorkQueueTest, AForgottenKeyIsDueNoMore) {
  for (const char* key : {"a", "b"}) queue_.Add(key);
  queue_.AddAt("c", kStart);
  for (const char* key : {"a", "c", "unknown"}) queue_.Forget(key);
  EXPECT_THAT(TakeAll(), ElementsAre("b"));
  queue_.Add("b");
  queue_.Forget("b");
  Succeed("b");
  EXPECT_THAT(TakeAll(), ElementsAre()) << "also of one that is worked on";
}

TEST_F(WorkQueueTest, ClearedItKnowsOnlyWhatIsWorkedOn) {
  for (const char* key : {"a", "b", "c", "d"}) queue_.Add(key);
  queue_.AddAt("e", kStart);
  ASSERT_THAT(TakeAll(), ElementsAre("a", "b", "c"));
  queue_.Clear();
  Succeed("a");
  EXPECT_THAT(TakeAll(), ElementsAre());
  EXPECT_EQ(queue_.working(), 2u);
}

// Whatever comes in whatever order: never two at a time of one key, never more than allowed, and no key that was added
// goes without work that began after.
RC_GTEST_PROP(WorkQueue, LosesNothing, (const std::vector<uint16_t>& choices)) {
  WorkQueue queue({.first_retry = milliseconds(10), .longest_retry = seconds(1), .parallel = 2}, [] { return 0.0; });
  Duration now = kStart;
  std::set<std::string> wanted, working;
  auto take = [&] {
    while (auto key = queue.Take(now)) {
      RC_ASSERT(working.insert(*key).second);
      RC_ASSERT(working.size() <= 2u);
      wanted.erase(*key);
    }
  };
  for (uint16_t choice : choices) {
    const std::string key(1, static_cast<char>('a' + choice / 8 % 4));
    const bool succeeds = choice % 2 == 0;
    if (choice % 8 <= 1) {
      queue.Add(key);
      wanted.insert(key);
    } else if (choice % 8 == 2) {
      queue.AddAt(key, now + milliseconds(choice / 64));
      wanted.insert(key);
    } else if (choice % 8 <= 5 && working.erase(key)) {
      if (!succeeds) wanted.insert(key);
      queue.Done(key, succeeds, now);
    } else {
      now += milliseconds(choice / 64);
      take();
    }
  }
  for (int round = 0; round < 20; ++round) {
    for (const std::string& key : std::exchange(working, {})) queue.Done(key, true, now);
    now += seconds(2);
    take();
  }
  RC_ASSERT(wanted.empty());
  RC_ASSERT(!queue.NextDue() && queue.due() == 0u);
}

}  // namespace
}  // namespace huygens::reconcile
