#include "policy/preemption.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>

namespace huygens::policy {
namespace {

constexpr size_t kEnough = 100000;

Time At(int second) { return Time(std::chrono::seconds(second)); }

// Pods that hold so much of each of two zones; the newcomer needs so much of one of them.
struct Machine {
  std::vector<PossibleVictim> pods;
  std::vector<std::array<int, 2>> held;
  std::array<int, 2> free{};
  int needed = 0;

  bool Fits(const Gone& gone) const {
    for (size_t zone = 0; zone < 2; ++zone) {
      int sum = free[zone];
      for (size_t i = 0; i < pods.size(); ++i) sum += gone[i] ? held[i][zone] : 0;
      if (sum >= needed) return true;
    }
    return false;
  }
  void Add(std::string_view uid, int priority, std::array<int, 2> amounts, int since = 0) {
    pods.push_back({.priority = priority, .since = At(since), .uid = uid});
    held.push_back(amounts);
  }
  std::optional<std::vector<std::string_view>> Victims(size_t more_questions = kEnough) const {
    auto chosen = ChooseVictims(pods, [this](const Gone& gone) { return Fits(gone); }, more_questions);
    if (!chosen) return std::nullopt;
    std::vector<std::string_view> uids;
    for (size_t i : *chosen) uids.push_back(pods[i].uid);
    return uids;
  }
};

using Uids = std::vector<std::string_view>;

TEST(ChooseVictims, TakesNobodyWhereNobodyIsInTheWay) {
  Machine machine{.free = {4, 0}, .needed = 4};
  machine.Add("a", 0, {0, 4});
  EXPECT_EQ(machine.Victims(), Uids{});
}

TEST(ChooseVictims, SaysWhenItWouldNotHelp) {
  Machine machine{.needed = 5};
  machine.Add("a", 0, {4, 0});
  machine.Add("b", 0, {0, 4});
  EXPECT_EQ(machine.Victims(), std::nullopt);
}

TEST(ChooseVictims, TakesManyOfLowPriorityBeforeOneOfHigher) {
  Machine machine{.needed = 4};
  machine.Add("a", 1, {4, 0});
  machine.Add("b", 0, {0, 2});
  machine.Add("c", 0, {0, 2});
  EXPECT_EQ(machine.Victims(), (Uids{"b", "c"}));
}

TEST(ChooseVictims, TakesFewerOfEqualPriority) {
  Machine machine{.needed = 4};
  machine.Add("a", 0, {2, 0}, 9);
  machine.Add("b", 0, {2, 0}, 8);
  machine.Add("c", 0, {0, 4}, 7);
  EXPECT_EQ(machine.Victims(), Uids{"c"});
}

TEST(ChooseVictims, TakesTheSumOfPrioritiesWhereTheHighestIsTheSame) {
  Machine machine{.needed = 4};
  machine.Add("a", 5, {2, 0});
  machine.Add("b", 4, {2, 0});
  machine.Add("c", 5, {0, 2});
  machine.Add("d", 3, {0, 2});
  EXPECT_EQ(machine.Victims(), (Uids{"c", "d"}));
}

TEST(ChooseVictims, SparesWhoRunsForLongerThenTheLowerUid) {
  Machine machine{.needed = 4};
  machine.Add("a", 0, {4, 0}, 8);
  machine.Add("b", 0, {0, 4}, 9);
  EXPECT_EQ(machine.Victims(), Uids{"b"});
  machine.pods[0].since = At(9);
  EXPECT_EQ(machine.Victims(), Uids{"b"});
  machine.pods[0].since = Time::max();
  EXPECT_EQ(machine.Victims(), Uids{"a"});
}

TEST(ChooseVictims, WhoLeavesAnywayCostsNothing) {
  Machine machine{.needed = 4};
  machine.Add("a", 9, {4, 0});
  machine.Add("b", 0, {0, 4});
  machine.pods[0].leaving = true;
  EXPECT_EQ(machine.Victims(), Uids{"a"});
}

TEST(ChooseVictims, WhoMustGoGoesAndItsPriorityCountsForTheOthers) {
  Machine machine{.needed = 4};
  machine.Add("a", 7, {2, 0});
  machine.Add("b", 6, {0, 4});
  machine.Add("c", 0, {0, 2});
  machine.Add("d", 0, {0, 2});
  machine.pods[0].must = true;
  EXPECT_EQ(machine.Victims(), (Uids{"a", "b"})) << "fewer, and 7 is the highest either way";
}

TEST(ChooseVictims, OutOfQuestionsNobodyCanBeSparedStill) {
  Machine machine{.needed = 40};
  std::vector<std::string> uids;
  for (int i = 0; i < 60; ++i) uids.push_back(std::to_string(100 + i));
  for (int i = 0; i < 60; ++i) machine.Add(uids[static_cast<size_t>(i)], i % 7, {1 + i % 3, i % 5});
  auto victims = machine.Victims(0);
  ASSERT_TRUE(victims);
  Gone gone(60);
  for (size_t i = 0; i < 60; ++i) gone[i] = std::count(victims->begin(), victims->end(), machine.pods[i].uid) > 0;
  EXPECT_TRUE(machine.Fits(gone));
  for (size_t i = 0; i < 60; ++i) {
    if (!gone[i]) continue;
    gone[i] = false;
    EXPECT_FALSE(machine.Fits(gone)) << i;
    gone[i] = true;
  }
}

// The documented order, word for word, over all sets.
std::optional<Uids> BestOfAll(const Machine& machine) {
  const auto& pods = machine.pods;
  std::vector<size_t> order(pods.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::tuple(-int64_t{pods[a].priority}, pods[a].since, pods[a].uid) <
           std::tuple(-int64_t{pods[b].priority}, pods[b].since, pods[b].uid);
  });
  using Rank = std::tuple<int64_t, int64_t, size_t, std::vector<bool>>;
  std::optional<std::pair<Rank, Uids>> best;
  for (unsigned set = 0; set < 1u << pods.size(); ++set) {
    Gone gone(pods.size());
    std::vector<bool> by_importance;
    Uids uids;
    int64_t highest = std::numeric_limits<int64_t>::min(), sum = 0;
    bool allowed = true;
    for (size_t i : order) {
      gone[i] = set >> i & 1;
      by_importance.push_back(gone[i]);
      allowed = allowed && (gone[i] || !pods[i].must);
      if (!gone[i]) continue;
      uids.push_back(pods[i].uid);
      if (pods[i].leaving) continue;
      highest = std::max<int64_t>(highest, pods[i].priority);
      sum += int64_t{pods[i].priority} + (int64_t{1} << 31);
    }
    if (!allowed || !machine.Fits(gone)) continue;
    Rank rank{highest, sum, uids.size(), by_importance};
    if (!best || rank < best->first) best = {rank, uids};
  }
  if (!best) return std::nullopt;
  return best->second;
}

// Of the whole range, whatever the size of the case.
template <typename T>
T Pick(T from, T to) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<T>(from, to));
}

RC_GTEST_PROP(ChooseVictimsProperty, TheAnswerIsTheBestOfAllSets, ()) {
  Machine machine;
  const auto count = Pick<size_t>(0, 10);
  std::vector<std::string> uids;
  for (size_t i = 0; i < count; ++i) uids.push_back(std::to_string(i));
  std::shuffle(uids.begin(), uids.end(), std::mt19937(*rc::gen::arbitrary<unsigned>()));
  for (size_t i = 0; i < count; ++i) {
    machine.Add(uids[i], *rc::gen::element(std::numeric_limits<int>::min(), -5, 0, 1, 1000, 2000000000),
                {Pick(0, 5), Pick(0, 5)}, Pick(0, 4));
    machine.pods[i].leaving = Pick(0, 5) == 0;
    machine.pods[i].must = Pick(0, 8) == 0;
  }
  machine.free = {Pick(0, 3), Pick(0, 3)};
  machine.needed = Pick(1, 11);
  const auto expected = BestOfAll(machine);
  RC_ASSERT(machine.Victims() == expected);
  RC_CLASSIFY(!expected, "nobody could help");
  RC_CLASSIFY(expected && expected->size() > 1, "several victims");
}

}  // namespace
}  // namespace huygens::policy
