#include "rule_history/revision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"

namespace huygens::rule_history {
namespace {

using rules::Tree;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Tree Spec(int priority) { return *Tree::Parse(Concat(R"({"priority":)", std::to_string(priority), "}")); }

RuleState State(int priority, int64_t generation) {
  return {.name = "pool", .uid = "u1", .generation = generation, .cause = "because", .spec = Spec(priority)};
}

// What is stored after a step.
std::vector<Revision> After(std::vector<Revision> kept, const Step& step) {
  if (step.create) kept.push_back(*step.create);
  if (step.renumber) {
    for (Revision& each : kept) {
      if (each.name == step.renumber->name) each = *step.renumber;
    }
  }
  std::erase_if(kept, [&](const Revision& each) {
    return std::find(step.remove.begin(), step.remove.end(), each.name) != step.remove.end();
  });
  return kept;
}

TEST(History, KeepsEachStateOnceAndCountsUp) {
  std::vector<Revision> kept;
  kept = After(kept, NextStep(State(1, 1), kept, "ns"));
  kept = After(kept, NextStep(State(2, 2), kept, "ns"));
  const Step same = NextStep(State(2, 2), kept, "ns");
  EXPECT_FALSE(same.create || same.renumber);
  ASSERT_EQ(kept.size(), 2);
  EXPECT_EQ(kept[0].number, 1);
  EXPECT_EQ(kept[1].number, 2);
  EXPECT_EQ(kept[1].spec, Spec(2));
  EXPECT_EQ(kept[1].namespace_name, "ns");
}

TEST(History, GivesAStateThatComesBackTheNextNumberAsKubectlRolloutUndoDoes) {
  std::vector<Revision> kept;
  kept = After(kept, NextStep(State(1, 1), kept, "ns"));
  kept = After(kept, NextStep(State(2, 2), kept, "ns"));
  const Step back = NextStep(State(1, 3), kept, "ns");
  ASSERT_TRUE(back.renumber);
  EXPECT_FALSE(back.create);
  EXPECT_EQ(back.renumber->number, 3);
  EXPECT_EQ(back.renumber->generation, 3);
  EXPECT_EQ(back.renumber->name, kept[0].name);
}

TEST(History, ForgetsTheOldest) {
  std::vector<Revision> kept;
  for (int i = 1; i <= 25; ++i) {
    kept = After(kept, NextStep(State(i, i), kept, "ns"));
    EXPECT_LE(kept.size(), kMostRevisions);
  }
  EXPECT_EQ(kept.front().number, 16);
  EXPECT_EQ(kept.back().number, 25);
}

TEST(History, PassesOverWhatARuleOfTheSameNameLeft) {
  Revision old{.name = "pool-x",
               .resource_version = {},
               .namespace_name = "ns",
               .rule = "pool",
               .rule_uid = "u0",
               .number = 7,
               .generation = 1,
               .cause = {},
               .spec = Spec(1),
               .created = {}};
  const Step step = NextStep(State(1, 1), {old}, "ns");
  ASSERT_TRUE(step.create);
  EXPECT_EQ(step.create->number, 1);
  EXPECT_THAT(FindRevision(State(2, 2), {old}, 0).status().message(), HasSubstr("no revision"));
}

TEST(History, GoesBackToTheNewestThatSaysSomethingElse) {
  std::vector<Revision> kept;
  for (int i = 1; i <= 3; ++i) kept = After(kept, NextStep(State(i, i), kept, "ns"));
  EXPECT_EQ(FindRevision(State(3, 3), kept, 0)->number, 2);
  EXPECT_EQ(FindRevision(State(3, 3), kept, 1)->number, 1);
  // What it says now was not kept yet, as where the controller is down.
  EXPECT_EQ(FindRevision(State(4, 4), kept, 0)->number, 3);
  EXPECT_TRUE(absl::IsNotFound(FindRevision(State(3, 3), kept, 9).status()));
}

TEST(History, ReadsWhatItWrites) {
  Revision revision = *NextStep(State(5, 4), {}, "ns").create;
  revision.resource_version = "17";
  const StatusOr<Revision> read = DecodeRevision(EncodeRevision(revision));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->name, revision.name);
  EXPECT_EQ(read->number, 1);
  EXPECT_EQ(read->generation, 4);
  EXPECT_EQ(read->cause, "because");
  EXPECT_EQ(read->rule, "pool");
  EXPECT_EQ(read->rule_uid, "u1");
  EXPECT_EQ(read->resource_version, "17");
  EXPECT_EQ(read->spec, Spec(5));
}

TEST(History, LeavesOutWhatIsNoRevisionOfARule) {
  const auto list = DecodeRevisions(R"({"items":[{"metadata":{"name":"x"},"data":{"template":{}},"revision":1}]})");
  ASSERT_TRUE(list.ok());
  EXPECT_THAT(*list, IsEmpty());
  EXPECT_FALSE(DecodeRevision("[").ok());
  EXPECT_FALSE(DecodeRevision(R"({"metadata":{"name":"x"},"data":{"spec":{}},"revision":"a"})").ok());
}

TEST(History, PutsTheSpecBackAndNothingElse) {
  Revision revision = *NextStep(State(5, 4), {}, "ns").create;
  const auto json = RuleAsBefore(
      R"({"metadata":{"name":"pool","resourceVersion":"9","labels":{"a":"b"},"managedFields":[]},"spec":{"priority":6},)"
      R"("status":{"matched":1}})",
      revision);
  ASSERT_TRUE(json.ok());
  const Tree expected =
      *Tree::Parse(R"({"metadata":{"name":"pool","resourceVersion":"9","labels":{"a":"b"},"annotations":)"
                   R"({"kubernetes.io/change-cause":"because"}},"spec":{"priority":5}})");
  EXPECT_EQ(*Tree::Parse(*json), expected);
}

}  // namespace
}  // namespace huygens::rule_history
