// One test per rule of business-group quotas (docs/quota.md) that concerns workloads at their admission.
#include "tests/webhook/reviews.h"

namespace huygens::webhook {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::string Of(const Deployment& deployment) { return deployment.Json(); }

TEST(WorkloadJudge, W1_AWorkloadFitsAsAWholeOrNotAtAll) {
  Reviews reviews;
  EXPECT_EQ(Said(reviews.Create(Of({.replicas = 10}))), "team limits.cpu=10");
  EXPECT_EQ(Said(reviews.Create(Of({.replicas = 11}))), "403 quota bizrq/team: limits.cpu used 0 of 10, requested 11");
  reviews.tree.Charge("team", quota::Cores(8));
  EXPECT_EQ(Said(reviews.Create(Of({.replicas = 3}))), "403 quota bizrq/team: limits.cpu used 8 of 10, requested 3");
}

TEST(WorkloadJudge, P1_AModelCountsBesidesTheGeneralKey) {
  Reviews reviews;
  EXPECT_EQ(Said(reviews.Create(Of({.replicas = 4, .model = "A4"}))), "team limits.cpu=4 limits.cpu.A4=4");
  EXPECT_EQ(Said(reviews.Create(Of({.replicas = 5, .model = "A4"}))),
            "403 quota bizrq/team: limits.cpu.A4 used 0 of 4, requested 5");
  reviews.tree.Charge("team", quota::Cores(4, "A4"));
  EXPECT_EQ(Said(reviews.Create(Of({.replicas = 6}))), "team limits.cpu=6");
  EXPECT_EQ(Said(reviews.Create(Of({.replicas = 7}))), "403 quota bizrq/team: limits.cpu used 4 of 10, requested 7");
}

TEST(WorkloadJudge, A1_OnlyWhatGrowsIsHeldAgainstTheBudget) {
  Reviews reviews;
  reviews.tree.Charge("team", quota::Cores(12));
  EXPECT_EQ(Said(reviews.Update(Of({.replicas = 12}), Of({.replicas = 5}))), "team limits.cpu=-7");
  EXPECT_EQ(Said(reviews.Update(Of({.replicas = 12}), Of({.replicas = 12}))), "");
  EXPECT_EQ(Said(reviews.Update(Of({.replicas = 12}), Of({.replicas = 13}))),
            "403 quota bizrq/team: limits.cpu used 12 of 10, requested 1");
  EXPECT_EQ(Said(reviews.Update(Of({.replicas = 4}), Of({.replicas = 4, .cores = "1500m"}))),
            "403 quota bizrq/team: limits.cpu used 12 of 10, requested 2");
}

// Its share may have been given back since; an object that was changed since is judged again, by what was charged now.
TEST(WorkloadJudge, WhatAnObjectHasLostSinceIsChargedAgain) {
  Reviews reviews;
  const auto charged = [&] {
    const Judgement judgement = reviews.Update(Deployment{.replicas = 4}.Json(), Deployment{.replicas = 6}.Json());
    return quota::Get(judgement.charge->increase, "limits.cpu").Canonical();
  };
  EXPECT_EQ(charged(), "2");
  workloads::WorkloadObject now =
      *workloads::DecodeWorkload("apps", "Deployment", Deployment{.replicas = 1}.Json(), reviews.names);
  reviews.workloads.Set(now);
  EXPECT_EQ(charged(), "2") << "of the same resource version";
  now.resource_version = "8";
  reviews.workloads.Set(now);
  EXPECT_EQ(charged(), "5");
  now.labels.group = "other";
  reviews.workloads.Set(now);
  EXPECT_EQ(charged(), "6");
  now.labels.group = "team";
  now.counted.replicas = 5;
  reviews.workloads.Set(now);
  EXPECT_EQ(charged(), "2") << "what it got besides is another review's";
}

TEST(WorkloadJudge, A9_WhatABudgetCountsMustBeStated) {
  const Reviews reviews;
  EXPECT_EQ(Said(reviews.Create(Of({.cores = ""}))), "403 quota bizrq/team: must specify limits.cpu for: app");
  EXPECT_EQ(Said(reviews.Update(Of({}), Of({.cores = ""}))), "403 quota bizrq/team: must specify limits.cpu for: app")
      << "or whoever takes the limit away would have as much as he likes";
  EXPECT_EQ(Said(reviews.Update(Of({.replicas = 3, .cores = ""}), Of({.replicas = 2, .cores = ""}))), "");
}

TEST(WorkloadJudge, A11_AGroupMustBeThereForWhateverJoinsIt) {
  Reviews reviews;
  EXPECT_EQ(Said(reviews.Create(Of({.group = "nobody"}))), "403 quota bizrq/nobody: no such group");
  EXPECT_EQ(Said(reviews.Create(Of({.replicas = 0, .group = "nobody"}))), "403 quota bizrq/nobody: no such group");
  EXPECT_EQ(Said(reviews.Update(Of({.group = "nobody"}), Of({.group = "nobody"}))), "");
  EXPECT_EQ(Said(reviews.Update(Of({.replicas = 2, .group = "nobody"}), Of({.replicas = 1, .group = "nobody"}))), "");
  EXPECT_EQ(Said(reviews.Create(Of({.group = ""}))), "");
  auto ending = quota::MakeGroup("team", "org", {{"limits.cpu", "10"}});
  ending.deleting = true;
  reviews.tree.Set(ending);
  EXPECT_EQ(Said(reviews.Create(Of({}))), "403 quota bizrq/team: the group is being deleted");
}

TEST(WorkloadJudge, A12_AMoveIsPaidInFullByTheNewGroup) {
  Reviews reviews;
  const std::string here = Of({.replicas = 3}), there = Of({.replicas = 3, .group = "other"});
  EXPECT_EQ(Said(reviews.Update(here, there)), "other limits.cpu=3; team limits.cpu=-3");
  reviews.tree.Charge("other", quota::Cores(3));
  EXPECT_EQ(Said(reviews.Update(here, there)), "403 quota bizrq/other: limits.cpu used 3 of 5, requested 3");
  EXPECT_EQ(Said(reviews.Update(here, Of({.replicas = 3, .group = ""}))), "team limits.cpu=-3");
  EXPECT_EQ(Said(reviews.Update(here, Of({.replicas = 3, .model = "A4"}))), "team limits.cpu.A4=3");
}

TEST(WorkloadJudge, A13_OnlyTheOutermostOwnerIsCharged) {
  Reviews reviews;
  const std::string owned = Of({.replicas = 20, .owner = "argoproj.io/v1alpha1 Rollout"});
  EXPECT_EQ(Said(reviews.Create(owned)), "");
  EXPECT_EQ(Said(reviews.Create(Of({.replicas = 2, .owner = "example.com/v1 App"}))), "team limits.cpu=2")
      << "of a kind that nobody charges";
  reviews.tree.Charge("team", quota::Cores(12));
  EXPECT_EQ(Said(reviews.Update(owned, Of({.replicas = 20}))), "team limits.cpu=20")
      << "an orphan is charged from now on, and the garbage collector is never refused";
}

TEST(WorkloadJudge, A13_SomebodyPaysWhereOnlyTheTemplateNamesTheGroup) {
  Reviews reviews;
  const std::string owned = Of({.replicas = 2, .owner = "apps/v1 Deployment"});
  workloads::WorkloadObject owner = *workloads::DecodeWorkload("apps", "Deployment", Of({}), reviews.names);
  owner.uid = "owner-uid";
  reviews.workloads.Set(owner);
  EXPECT_EQ(Said(reviews.Create(owned)), "");
  owner.labels = {};
  reviews.workloads.Set(owner);
  EXPECT_EQ(Said(reviews.Create(owned)), "team limits.cpu=2");
  owner.owner_group = "apps";  // a circle
  owner.owner_kind = "Deployment";
  owner.owner_uid = owner.uid;
  reviews.workloads.Set(owner);
  EXPECT_EQ(Said(reviews.Create(owned)), "team limits.cpu=2");
}

TEST(WorkloadJudge, A20_SpentHoursRefuseOnlyWhatTakesMore) {
  Reviews reviews;
  auto spent = quota::MakeGroup("team", "", {{"limits.cpu", "100"}, {"cash/limits.cpu", "50"}});
  spent.self_used = quota::Of({{"cash/limits.cpu", "50"}});
  reviews.tree.Set(spent);
  EXPECT_EQ(Said(reviews.Create(Of({}))), "403 quota bizrq/team: cash/limits.cpu used 50 of 50");
  EXPECT_EQ(Said(reviews.Update(Of({.replicas = 3}), Of({.replicas = 2}))), "team limits.cpu=-1");
  EXPECT_EQ(Said(reviews.Create(Of({.replicas = 0}))), "");
}

TEST(WorkloadJudge, WhatEndsIsNeverRefused) {
  Reviews reviews;
  EXPECT_EQ(Said(reviews.Update(Of({}), Of({.replicas = 99, .group = "nobody", .deleting = true}))), "");
  EXPECT_EQ(Said(reviews.Judge(Operation::kDelete, "apps", "Deployment", "", Of({}), "deployments")), "");
}

TEST(WorkloadJudge, OtherSubresourcesAreNobodysBusiness) {
  const Reviews reviews;
  const std::string large = Of({.replicas = 99});
  EXPECT_EQ(Said(reviews.Judge(Operation::kUpdate, "apps", "Deployment", large, Of({}), "deployments", "status")), "");
  EXPECT_EQ(Said(reviews.Judge(Operation::kCreate, "apps", "DaemonSet", large, "", "daemonsets")), "");
  EXPECT_EQ(Said(reviews.Judge(Operation::kCreate, "example.com", "Deployment", large, "", "deployments")), "");
}

TEST(WorkloadJudge, A16_AScaleIsJudgedByTheWorkloadOfItsUid) {
  Reviews reviews;
  EXPECT_THAT(Said(reviews.Scale(1, 2)), StartsWith("503 ")) << "nothing is known of it yet";
  EXPECT_EQ(Said(reviews.Scale(2, 1)), "");
  reviews.Know(Of({.replicas = 3}));
  EXPECT_EQ(Said(reviews.Scale(3, 10)), "team limits.cpu=7");
  reviews.tree.Charge("team", quota::Cores(3));
  EXPECT_EQ(Said(reviews.Scale(3, 10)), "team limits.cpu=7");
  EXPECT_EQ(Said(reviews.Scale(3, 11)), "403 quota bizrq/team: limits.cpu used 3 of 10, requested 8");
  EXPECT_EQ(Said(reviews.Scale(3, 0)), "team limits.cpu=-3");
  EXPECT_EQ(Said(reviews.Scale(40, 39)), "") << "what is known is older than the review";
  EXPECT_THAT(Said(reviews.Scale(3, 4, "8")), StartsWith("503 "));
  reviews.workloads.Remove("web-uid");
  EXPECT_THAT(Said(reviews.Scale(1, 2)), StartsWith("503 "));
}

TEST(WorkloadJudge, A16_AnAutoscalerMayNotAskForMoreThanThereIs) {
  Reviews reviews;
  const auto judge = [&](int most, std::string_view before = "") {
    return reviews.Judge(
        before.empty() ? Operation::kCreate : Operation::kUpdate, "autoscaling", "HorizontalPodAutoscaler",
        Concat(R"({"spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"},"maxReplicas":)",
               std::to_string(most), "}}"),
        before, "horizontalpodautoscalers");
  };
  EXPECT_EQ(Said(judge(11)), "") << "its target may come later";
  reviews.Know(Of({.replicas = 3}));
  reviews.tree.Charge("team", quota::Cores(3));
  EXPECT_EQ(Said(judge(10)), "");
  EXPECT_EQ(Said(judge(11)), "403 maxReplicas 11: quota bizrq/team: limits.cpu used 3 of 10, requested 8");
  EXPECT_EQ(Said(judge(11, R"({"spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"},
                             "maxReplicas":12}})")),
            "");
  reviews.rules.refuse_autoscalers = false;
  EXPECT_THAT(judge(11).warnings, ElementsAre(HasSubstr("maxReplicas 11: quota bizrq/team")));
}

TEST(WorkloadJudge, ARolloutMayHaveItsTemplateElsewhere) {
  Reviews reviews;
  const std::string rollout =
      R"({"metadata":{"name":"r","namespace":"shop","uid":"r","labels":{"biz.group.resource.quota":"team"}},
          "spec":{"replicas":4,"workloadRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"}}})";
  const auto create = [&] {
    return Said(reviews.Judge(Operation::kCreate, "argoproj.io", "Rollout", rollout, "", "rollouts"));
  };
  EXPECT_EQ(create(), "503 spec.workloadRef: Deployment web is not known here");
  reviews.Know(Of({.replicas = 0, .group = "", .cores = "2"}));
  EXPECT_EQ(create(), "team limits.cpu=8");
}

TEST(WorkloadJudge, NothingIsChargedLessThanNothing) {
  const Reviews reviews;
  const auto judge = [&](int before, int replicas) {
    const auto object = [](int count) {  // no API server refuses it, as it does for a Deployment
      return Concat(
          R"({"metadata":{"name":"c","namespace":"shop","uid":"c","labels":{"biz.group.resource.quota":"team"}},
          "spec":{"replicas":)",
          std::to_string(count),
          R"(,"template":{"spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":"-1"}}},
          {"name":"b","resources":{"limits":{"cpu":"-1"}}}]}}}})");
    };
    return Said(reviews.Judge(before == 0 ? Operation::kCreate : Operation::kUpdate, "apps.kruise.io", "CloneSet",
                              object(replicas), before == 0 ? "" : object(before), "clonesets"));
  };
  EXPECT_THAT(judge(0, 2), StartsWith("403 quota bizrq/team: must not be negative: "));
  EXPECT_THAT(judge(0, 2), HasSubstr("limits.cpu"));
  EXPECT_THAT(judge(3, 2), StartsWith("403 ")) << "it gives less, which is to grow";
  EXPECT_THAT(judge(2, 2), testing::Not(StartsWith("403 "))) << "an edit of something else";
}

TEST(WorkloadJudge, DevicesAreNotFreeWhileTheirClassesAreHidden) {
  Reviews reviews;
  reviews.tree.Set(quota::MakeGroup("org", "", {{"gpu.deviceclass.resource.k8s.io/devices", "4"}}));
  reviews.tree.Set(quota::MakeGroup("team", "org", {{"pods", "10"}}));
  const auto judge = [&](std::string_view resource, std::string hidden) {
    const std::string object = Concat(
        R"({"metadata":{"name":"web","uid":"u","labels":{"biz.group.resource.quota":"team"}},"spec":{"replicas":1,
          "template":{"spec":{"containers":[{"name":"a","resources":{"limits":{")",
        resource, R"(":"1"}}}]}}}})");
    AdmissionRequest request;
    request.kind_group = request.resource_group = "apps";
    request.kind = "Deployment";
    request.resource = "deployments";
    request.object = object;
    return Said(Judge(request, {.tree = reviews.tree,
                                .workloads = reviews.workloads,
                                .classes = reviews.classes,
                                .names = reviews.names,
                                .classes_hidden = std::move(hidden)}));
  };
  EXPECT_EQ(judge("cpu", "huygens may not read deviceclasses"), "team pods=1");
  EXPECT_EQ(judge("example.com/gpu", ""), "team pods=1");
  EXPECT_EQ(judge("example.com/gpu", "huygens may not read deviceclasses"),
            "503 quota bizrq/team: huygens may not read deviceclasses");
  reviews.tree.Set(quota::MakeGroup("org", "", {}));
  EXPECT_EQ(judge("example.com/gpu", "huygens may not read deviceclasses"), "team pods=1");
}

TEST(WorkloadJudge, WarnsBeforeTheEnd) {
  const Reviews reviews;
  EXPECT_THAT(reviews.Create(Of({.replicas = 8})).warnings, IsEmpty());
  EXPECT_THAT(reviews.Create(Of({.replicas = 9})).warnings, ElementsAre("quota bizrq/team: limits.cpu used 9 of 10"));
}

TEST(WorkloadJudge, WhatCannotBeReadIsRefusedWhereItNamesAGroup) {
  const Reviews reviews;
  const std::string broken =
      R"({"metadata":{"labels":{"biz.group.resource.quota":"team"}},"spec":{"replicas":"many"}})";
  EXPECT_THAT(Said(reviews.Create(broken)), HasSubstr("spec.replicas: expected a whole number, found a string"));
  EXPECT_EQ(Said(reviews.Create(R"({"spec":{"replicas":"many"}})")), "");
  EXPECT_THAT(Said(reviews.Create(
                  R"({"metadata":{"labels":{"biz.group.resource.quota":"team"}},"spec":{"replicas":3000000000}})")),
              HasSubstr("spec.replicas: number out of range"));
  EXPECT_EQ(Said(reviews.Update(broken, broken)), "") << "it can be no worse than it was";
  const std::string unnamed = R"({"spec":{"replicas":"many"}})";
  EXPECT_THAT(Said(reviews.Update(unnamed, broken)), HasSubstr("spec.replicas"));
  EXPECT_EQ(Said(reviews.Update(unnamed, Of({.replicas = 3}))), "team limits.cpu=3");
}

TEST(Answer, SaysWhoIsChargedWhat) {
  Reviews reviews;
  AdmissionRequest request;
  request.uid = "u";
  const auto answer = ToAnswer(request, reviews.Update(Of({.replicas = 3, .group = "other"}), Of({.replicas = 3})));
  EXPECT_THAT(answer.audit_annotations,
              ElementsAre(testing::Pair("group", "team"), testing::Pair("charged", "limits.cpu=3")));
  EXPECT_EQ(ToAnswer(request, reviews.Scale(1, 2)).retry_after_seconds, 1);
  EXPECT_EQ(ToAnswer(request, reviews.Create(Of({.replicas = 11}))).retry_after_seconds, 0);
}

}  // namespace
}  // namespace huygens::webhook
