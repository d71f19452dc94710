// What is said to whoever wants to end a refusal by a business group: which group, which key, how much.
#include <gmock/gmock.h>

#include "tests/reports/explain_fixture.h"

namespace huygens::reports {
namespace {

using policy::Reason;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using ExplainQuota = ExplainNow;

constexpr std::string_view kPage = R"({"uid":"uid-1","nodes":[]})";

TEST_F(ExplainQuota, WhereOnlyNodesOfAModelAreRefusedThatIsNotSaidToBeAllowed) {
  constexpr std::string_view kWhy = "quota bizrq/g: limits.cpu.A4 used 4 of 4, requested 2 (1 node of cpu model A4)";
  const std::string quota = Concat(
      R"({"pod":"default/p","verdict":"fits","group":"g","path":"g","refusedByModel":")", kWhy,
      R"(","refusedNodes":1,"otherNodes":3,"keys":[{"key":"limits.cpu.A4","cost":"2","hard":"4","lacks":true,)"
      R"("ofNode":true}],"usedBy":[{"group":"g","key":"limits.cpu.A4","pods":[{"name":"default/s","amount":"4"}]}]})");
  FilterAll(Reason::kQuotaModelExceeded, kWhy);
  const std::string text = TextWith(kPage, quota);
  EXPECT_THAT(text, HasSubstr("\nWaits for: budget limits.cpu.A4 on n1, or the same of 2 nodes more.\n"));
  EXPECT_THAT(text, HasSubstr(Concat("\nnow: still refused on 1 node, allowed on 3 others: ", kWhy,
                                     "\nWho uses limits.cpu.A4 of g: pods default/s 4.\n`huygens quota explain "
                                     "default/p` shows all of it.\n")));
  EXPECT_THAT(text, Not(HasSubstr("its group allows it")));
  EXPECT_THAT(text, Not(HasSubstr("at the decision"))) << "it is as it was";
}

TEST_F(ExplainQuota, ABudgetOfAModelThatIsTooSmallAsAWholeIsNotWaitedFor) {
  FilterAll(Reason::kQuotaModelExceeded, "quota bizrq/g: limits.cpu.A4 used 0 of 0, requested 2");
  const auto text_with_hard = [&](std::string_view hard) {
    return TextWith(kPage, Concat(R"({"pod":"default/p","verdict":"fits","group":"g","path":"g","refusedByModel":"w",)",
                                  R"("refusedNodes":1,"otherNodes":3,"keys":[{"key":"limits.cpu.A4","cost":"2",)",
                                  R"("hard":")", hard, R"(","lacks":true,"ofNode":true}]})"));
  };
  EXPECT_THAT(text_with_hard("0"), AllOf(Not(HasSubstr("Waits for: ")),
                                         HasSubstr("Waiting does not help there: its business group's budget of their "
                                                   "model must grow, or the pod ask for less or go to nodes of ")));
  EXPECT_THAT(text_with_hard("4"), HasSubstr("\nWaits for: budget limits.cpu.A4 on n1"));
}

TEST_F(ExplainQuota, ABudgetOfNothingAndAModelThatNoNodeIsOfAreBothSaid) {
  constexpr std::string_view kWhy = "quota bizrq/gpus: limits.cpu.A5 used 0 of 0, requested 2";
  const auto quota = [&](std::string_view hard, std::string_view nodes) {
    return Concat(R"({"verdict":"refused","group":"gpus","path":"gpus","models":{"cpu":"A5"},"modelNodes":)", nodes,
                  R"(,"otherModels":"A4 on 2 nodes","why":")", kWhy,
                  R"(","keys":[{"key":"limits.cpu.A5","cost":"2","used":"0","hard":")", hard,
                  R"(","lacks":true}],"shortages":[{"group":"gpus","key":"limits.cpu.A5","used":"0","hard":")", hard,
                  R"(","requested":"2","over":"2"}]})");
  };
  FilterAll(Reason::kQuotaExceeded, kWhy);
  const std::string text = TextWith(kPage, quota("0", "0"));
  EXPECT_THAT(text, HasSubstr("there: its business group gpus may use no limits.cpu.A5 (its budget of that is 0), and "
                              "must be given some; and no node is of the models that the pod's labels name: mend the "
                              "labels, or the nodes', first. Then"));
  EXPECT_THAT(text, HasSubstr("\nNO NODE is of cpu model A5, and the pod goes to no other: A4 on 2 nodes.\n"));
  EXPECT_THAT(text, HasSubstr("the group gpus may use no limits.cpu.A5, whoever ends: its budget of that is 0. Raise "
                              "it, or give the pod another group or model"));
  EXPECT_THAT(text, Not(HasSubstr("fewer pods")));
  EXPECT_THAT(text, HasSubstr("\n- node(s) were not of the model that the pod's quota labels name: mend the pod's "
                              "label biz.group.resource.quota/cpu-type (A5), or the nodes' label"));
  const std::string there = TextWith(kPage, quota("1", "2"));
  EXPECT_THAT(there, HasSubstr("there: its business group's budget must grow, or the pod ask for less. Then"));
  EXPECT_THAT(there, Not(HasSubstr("NO NODE")));
  EXPECT_THAT(there, Not(HasSubstr("not of the model")));
}

TEST_F(ExplainQuota, AGroupAboveThatIsOverItsBudgetIsNamedWithHowMuch) {
  FilterAll(Reason::kQuotaAncestorOver, "quota bizrq/ranking: bizrq/search above it is over its budget: limits.cpu");
  const auto quota = [](std::string_view pods) {
    return Concat(R"({"verdict":"refused","group":"ranking","path":"search/ranking","keys":[],"shortages":[{"group":)"
                  R"("search","key":"limits.cpu","used":"35","hard":"30","requested":"2","over":"5"}],"usedBy":[)"
                  R"({"group":"search","key":"limits.cpu","pods":[)",
                  pods, R"(],"children":[]}]})");
  };
  EXPECT_THAT(
      TextWith(kPage, quota(R"({"name":"default/s","amount":"9"})")),
      HasSubstr(": bizrq/search is over its budget by limits.cpu 5: raise its budget by as much, end pods of its "
                "own, which are named above, or lower what it has handed to its children; `huygens quota tree` "
                "marks them.\n"));
  EXPECT_THAT(TextWith(kPage, quota("")), Not(HasSubstr("end pods"))) << "it has none";
}

TEST_F(ExplainQuota, HowMuchMoreBudgetWouldDoIsSaid) {
  FilterAll(Reason::kQuotaExceeded, "quota bizrq/g: cpu used 4 of 4, requested 1");
  EXPECT_THAT(TextWith(kPage, R"({"verdict":"refused","group":"g","path":"g","keys":[],"shortages":[{"group":"g",)"
                              R"("key":"cpu","used":"4","hard":"4","requested":"1","over":"1"}]})"),
              HasSubstr(": a budget larger by cpu 1 at least, a smaller pod, or fewer pods"))
      << "of which nothing is small enough";
  EXPECT_THAT(TextWith(kPage, R"({"verdict":"refused","group":"g","path":"g","keys":[],"shortages":[{"group":"g",)"
                              R"("key":"cpu","used":"4","hard":"10","requested":"9","over":"3"}]})"),
              HasSubstr(": a budget larger by cpu 3 at least, a pod of cpu 6 or less, or fewer pods"));
}

TEST_F(ExplainQuota, AGroupWithoutAParentIsNotSentToOne) {
  FilterAll(Reason::kQuotaExceeded, "quota bizrq/g: cpu used 4 of 4, requested 1");
  const auto text = [&](std::string_view path) {
    return TextWith(kPage, Concat(R"({"verdict":"refused","group":"g","path":")", path, R"(","keys":[]})"));
  };
  EXPECT_THAT(text("g"), HasSubstr(": a larger budget, a smaller pod, or fewer pods of the group: "));
  EXPECT_THAT(text("org/g"), HasSubstr("a larger budget (what its parent has left: `huygens quota tree`), a smaller"));
}

}  // namespace
}  // namespace huygens::reports
