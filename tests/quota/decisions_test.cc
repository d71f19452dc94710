// One test per decision about business-group quotas where their description leaves a choice (docs/quota.md lists them).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quota/cash.h"
#include "quota/group_rules.h"
#include "quota/node_model.h"
#include "quota/workload_kinds.h"
#include "tests/cluster/build.h"
#include "tests/quota/groups.h"

namespace huygens::quota {
namespace {

using testing::HasSubstr;

std::string Why(const Status& status) { return std::string(Message(status)); }

Amounts ChargeOf(std::string_view resource, Side side, const cluster::QuotaLabels& labels) {
  Amounts charge;
  Charge(resource, side, Quantity::FromInt(2), labels, {}, charge);
  return charge;
}

TEST(Decision, A1_OnlyIncreasesAreHeldAgainstTheBudget) {
  const Amounts increase = Increase(Of({{"limits.cpu", "3"}, {"limits.memory", "1Gi"}, {"pods", "1"}}),
                                    Of({{"limits.cpu", "1"}, {"limits.memory", "2Gi"}, {"cpu", "5"}}));
  EXPECT_EQ(increase, Of({{"cpu", "0"}, {"limits.cpu", "2"}, {"limits.memory", "0"}, {"pods", "1"}}));
  EXPECT_TRUE(CheckAgainst(Of({{"limits.memory", "1"}}), Of({{"limits.memory", "2Gi"}}), increase).fits());
}

TEST(Decision, A4_KeysAreMadeNotParsed) {
  EXPECT_EQ(ChargeOf("cpu", Side::kRequests, Labels("", "A4")),
            Of({{"cpu", "2"}, {"cpu.A4", "2"}, {"requests.cpu", "2"}, {"requests.cpu.A4", "2"}}));
  EXPECT_EQ(ChargeOf("cpu", Side::kLimits, Labels("", "A4")), Of({{"limits.cpu", "2"}, {"limits.cpu.A4", "2"}}));
  EXPECT_EQ(ChargeOf("nvidia.com/mig-1g.5gb", Side::kRequests, Labels("")),
            Of({{"requests.nvidia.com/mig-1g.5gb", "2"}}));
  // A budget for MIG slices "1g" is not the budget of "mig-1g.5gb".
  EXPECT_TRUE(CheckAgainst(Of({{"requests.nvidia.com/mig-1g", "0"}}), Of({{"requests.nvidia.com/mig-1g", "0"}}),
                           ChargeOf("nvidia.com/mig-1g.5gb", Side::kRequests, Labels("")))
                  .fits());
}

TEST(Decision, A4_AModelOfSeveralPartsCountsAsEachFront) {
  EXPECT_EQ(ChargeOf("nvidia.com/gpu", Side::kRequests, Labels("", "", "A100.80GB.SXM")),
            Of({{"requests.nvidia.com/gpu", "2"},
                {"requests.nvidia.com/gpu.A100", "2"},
                {"requests.nvidia.com/gpu.A100.80GB", "2"},
                {"requests.nvidia.com/gpu.A100.80GB.SXM", "2"}}));
}

TEST(Decision, A5_AParentPaysKeyByKeyForWhatItLimits) {
  Tree tree;
  tree.Set(MakeGroup("org", "", {{"limits.cpu", "10"}, {"limits.cpu.A4", "4"}}));
  tree.Set(MakeGroup("team", "org", {{"limits.cpu", "6"}, {"limits.cpu.A4", "4"}, {"pods", "100"}}));
  EXPECT_EQ(Used(tree, "org", "limits.cpu"), "6");  // not 6 + 4
  EXPECT_EQ(Used(tree, "org", "limits.cpu.A4"), "4");
  EXPECT_TRUE(
      MayUpdate(tree, MakeGroup("team", "org", {{"limits.cpu", "6"}, {"limits.cpu.A4", "4"}, {"pods", "999"}})).ok());
}

TEST(Decision, A6_KeysAreAddedAtTheLeavesAndRemovedAtTheRoot) {
  Tree tree;
  tree.Set(MakeGroup("org", "", {{"limits.cpu", "10"}}));
  tree.Set(MakeGroup("team", "org", {{"limits.cpu", "6"}}));
  const auto org_with_pods = MakeGroup("org", "", {{"limits.cpu", "10"}, {"pods", "10"}});
  EXPECT_THAT(Why(MayUpdate(tree, org_with_pods)), HasSubstr("team must limit what its parent org limits: pods"));
  tree.Set(MakeGroup("team", "org", {{"limits.cpu", "6"}, {"pods", "8"}}));
  EXPECT_TRUE(MayUpdate(tree, org_with_pods).ok());
  tree.Set(org_with_pods);
  EXPECT_FALSE(MayUpdate(tree, MakeGroup("team", "org", {{"limits.cpu", "6"}})).ok());
  EXPECT_TRUE(MayUpdate(tree, MakeGroup("org", "", {{"limits.cpu", "10"}})).ok());
}

TEST(Decision, A6_ANewKeyBeginsWithWhatIsUsed) {
  Tree tree;
  tree.Set(MakeGroup("org", "", {{"limits.cpu", "10"}}));
  tree.Set(MakeGroup("team", "org", {{"limits.cpu", "6"}, {"pods", "8"}}));
  tree.Charge("org", Of({{"pods", "3"}}));
  EXPECT_THAT(Why(MayUpdate(tree, MakeGroup("org", "", {{"limits.cpu", "10"}, {"pods", "10"}}))),
              HasSubstr("pods is used already: 11"));
  EXPECT_TRUE(MayUpdate(tree, MakeGroup("org", "", {{"limits.cpu", "10"}, {"pods", "11"}})).ok());
}

TEST(Decision, A7_AChildThatGrowsTakesTheDifference) {
  Tree tree;
  tree.Set(MakeGroup("org", "", {{"limits.cpu", "10"}}));
  tree.Set(MakeGroup("team", "org", {{"limits.cpu", "6"}}));
  EXPECT_TRUE(MayUpdate(tree, MakeGroup("team", "org", {{"limits.cpu", "10"}})).ok());
  EXPECT_FALSE(MayUpdate(tree, MakeGroup("team", "org", {{"limits.cpu", "10001m"}})).ok());
  tree.Set(MakeGroup("org", "", {{"limits.cpu", "5"}}));  // the parent shrank: the child may still give back
  EXPECT_TRUE(MayUpdate(tree, MakeGroup("team", "org", {{"limits.cpu", "5500m"}})).ok());
}

TEST(Decision, A8_StrictShrinkRefusesABudgetBelowUse) {
  Tree tree;
  tree.Set(MakeGroup("team", "", {{"limits.cpu", "10"}}));
  tree.Charge("team", Cores(8));
  const auto smaller = MakeGroup("team", "", {{"limits.cpu", "7999m"}});
  EXPECT_TRUE(MayUpdate(tree, smaller).ok());
  EXPECT_THAT(Why(MayUpdate(tree, smaller, {.strict_shrink = true})), HasSubstr("limits.cpu is used already: 8"));
  EXPECT_TRUE(MayUpdate(tree, MakeGroup("team", "", {{"limits.cpu", "8"}}), {.strict_shrink = true}).ok());
}

TEST(Decision, A9_WhoLimitsCpuOrMemoryWantsEachContainerToSayHowMuch) {
  cluster::Pod pod = MakePod(1000);
  cluster::Container init;
  init.name = "init";
  pod.init_containers.push_back(init);
  EXPECT_EQ(MissingValues(pod, {}, Of({{"limits.cpu", "1"}, {"requests.memory", "1"}, {"pods", "1"}})),
            "must specify limits.cpu for: init; requests.memory for: app,init");
  EXPECT_EQ(MissingValues(pod, Labels("", "A4"), Of({{"limits.cpu.A4", "1"}, {"limits.cpu.T4", "1"}})),
            "must specify limits.cpu for: init");
  EXPECT_EQ(MissingValues(pod, {}, Of({{"limits.cpu.A4", "1"}})), "");
  pod.init_containers[0].limits.Set(kCpu, 0);
  EXPECT_EQ(MissingValues(pod, {}, Of({{"limits.cpu", "1"}})), "");
}

TEST(Decision, A9_AnEmptyStatementAtPodLevelWaivesNothing) {
  cluster::Pod pod = MakePod(1000);
  pod.containers[0].limits.Set(kFirstHugepages, 1 << 21);
  pod.pod_level.emplace();
  DefaultPod(pod);
  EXPECT_EQ(MissingValues(pod, {}, Of({{"limits.memory", "1"}})), "must specify limits.memory for: app");
  EXPECT_EQ(Get(UsageOf(pod), "limits.cpu"), Quantity::FromInt(1));
  pod.pod_level->limits.Set(kCpu, 2000);
  DefaultPod(pod);
  EXPECT_EQ(MissingValues(pod, {}, Of({{"limits.memory", "1"}})), "") << "as ResourceQuota has it";
}

TEST(Decision, A9_LimitsOfExtendedResourcesMeanRequests) {
  Tree tree;
  tree.Set(MakeGroup("team", "",
                     {{"limits.nvidia.com/gpu.A30", "4"}, {"nvidia.com/gpu", "8"}, {"requests.nvidia.com/gpu", "6"}}));
  EXPECT_EQ(tree.Find("team")->object->hard,
            Of({{"requests.nvidia.com/gpu", "6"}, {"requests.nvidia.com/gpu.A30", "4"}}));
  EXPECT_EQ(NormalKey("cash/limits.nvidia.com/gpu"), "cash/requests.nvidia.com/gpu");
  for (const char* key : {"limits.cpu", "cpu", "count/pods", "requests.nvidia.com/gpu", "limits.cpu.A4"}) {
    EXPECT_EQ(NormalKey(key), key);
  }
}

TEST(Decision, A9_WhichResourcesTheGpuLabelMeansIsConfigured) {
  const auto labels = Labels("", "", "A30");
  for (const char* gpu : {"nvidia.com/gpu", "nvidia.com/gpu.shared", "nvidia.com/mig-1g.5gb", "aliyun.com/gpu-mem"}) {
    EXPECT_EQ(ChargeOf(gpu, Side::kRequests, labels).size(), 2u) << gpu;
  }
  EXPECT_EQ(ChargeOf("example.com/nic", Side::kRequests, labels).size(), 1u);
  Amounts charge;
  Charge("example.com/nic", Side::kRequests, Quantity::FromInt(1), labels, {.gpu_resources = {"example.com/*"}},
         charge);
  EXPECT_TRUE(Find(charge, "requests.example.com/nic.A30"));
}

TEST(Decision, A10_NamesFitIntoLabelsAndUnknownKeysAreRefused) {
  Tree tree;
  EXPECT_TRUE(MayCreate(tree, MakeGroup(std::string(63, 'a'), "", {})).ok());
  for (const std::string& name :
       {std::string(64, 'a'), std::string("a.b"), std::string("A"), std::string("-a"), std::string()}) {
    EXPECT_THAT(Why(MayCreate(tree, MakeGroup(name, "", {}))), HasSubstr("DNS label")) << name;
  }
  for (const char* key :
       {"limit.cpu", "limits.cpus", "limits.cpu.", "requests.gpu", "cash/cash/cpu", "cash/x", "services"}) {
    EXPECT_FALSE(IsKnownKey(key)) << key;
    EXPECT_THAT(Why(MayCreate(tree, MakeGroup("a", "", {{key, "1"}}))),
                HasSubstr("no key that a pod could be charged to"));
  }
  for (const char* key :
       {"cpu", "limits.cpu.A4", "limits.memory.DDR5-4800", "requests.nvidia.com/gpu.A100.80GB", "nvidia.com/gpu",
        "cash/limits.cpu.A4", "hugepages-2Mi", "requests.hugepages-1Gi", "count/pods", "limits.ephemeral-storage"}) {
    EXPECT_TRUE(IsKnownKey(key)) << key;
  }
  EXPECT_THAT(Why(MayCreate(tree, MakeGroup("a", "", {{"cpu", "-1m"}}))), HasSubstr("cpu must not be negative"));
}

TEST(Decision, A10_AModelWithoutAKeyCountsGenerally) {
  Tree tree;
  tree.Set(MakeGroup("team", "", {{"limits.cpu", "10"}, {"limits.cpu.A4", "4"}}));
  EXPECT_TRUE(Check(tree, "team", Cores(10, "B7")).fits());
}

TEST(Decision, A10_AModelWantsNodesOfThatModel) {
  cluster::Node node;
  node.labels = {{"huygens.dev/cpu-model", "A4"}, {"huygens.dev/gpu-model", "A100.80GB"}};
  auto takes = [&](const cluster::QuotaLabels& labels, const NodeModelLabels& keys = {}) {
    NodeModels models(keys);
    models.Set(0, &node);
    const WantedModels wanted = models.Wanted(labels);
    return !wanted.Any() || wanted.Accept(0);
  };
  EXPECT_TRUE(takes(Labels("team")));
  EXPECT_TRUE(takes(Labels("team", "A4", "A100")));
  EXPECT_TRUE(takes(Labels("team", "A4", "A100.80GB")));
  EXPECT_FALSE(takes(Labels("team", "A4", "A100.40GB")));
  EXPECT_FALSE(takes(Labels("team", "A")));
  EXPECT_FALSE(takes(Labels("team", "", "", "DDR5")));
  EXPECT_FALSE(takes(Labels("team", "A4"), {.cpu = "other"}));
}

TEST(Decision, A11_MissingTerminatingAndUnknownGroupsTakeNothing) {
  Tree tree;
  EXPECT_EQ(Why(tree, "nobody", Cores(1)), "quota bizrq/nobody: no such group");
  auto group = MakeGroup("team", "", {{"limits.cpu", "10"}, {"cash/limits.cpu", "5"}});
  tree.Set(group);
  EXPECT_EQ(Why(tree, "team", Cores(1)),
            "quota bizrq/team: status unknown for cash/limits.cpu: status.selfUsed of the group does not say how much "
            "of that is used, or cannot be read");
  EXPECT_TRUE(Check(tree, "team", {}).fits());
  group.self_used = Of({{"cash/limits.cpu", "0"}});
  tree.Set(group);
  EXPECT_TRUE(Check(tree, "team", Cores(1)).fits());
  group.deleting = true;
  tree.Set(group);
  EXPECT_EQ(Check(tree, "team", Cores(1)).outcome, Outcome::kTerminating);
  group.deleting = false;
  tree.Set(group);
  group.defect = "spec.hard.cpu: quantity \"x\"";
  tree.Set(group);
  EXPECT_EQ(Why(tree, "team", Cores(1)), "quota bizrq/team: spec.hard.cpu: quantity \"x\"");
}

TEST(Decision, A10_SomeKeysHaveATwin) {
  for (const auto& [key, twin] : Pairs{{"cpu", "requests.cpu"},
                                       {"cpu.A4", "requests.cpu.A4"},
                                       {"cash/memory.DDR5", "cash/requests.memory.DDR5"},
                                       {"ephemeral-storage", "requests.ephemeral-storage"},
                                       {"hugepages-2Mi", "requests.hugepages-2Mi"},
                                       {"pods", "count/pods"}}) {
    EXPECT_EQ(TwinKey(key), twin);
    EXPECT_EQ(TwinKey(twin), key);
  }
  for (std::string_view key :
       {"limits.cpu", "requests.nvidia.com/gpu", "cash/limits.memory", "cpuu", "limit.cpu", ""}) {
    EXPECT_EQ(TwinKey(key), "");
  }
  auto pod = MakePod(2000, 4096);
  ResourceNames names;
  pod.containers[0].requests.Set(*names.Intern("hugepages-2Mi"), 4096);
  size_t twins = 0;
  const Amounts usage = PodUsage(pod, Labels("", "A4", "", "DDR5"), names, {});
  for (const auto& [key, amount] : usage) {
    const std::string twin = TwinKey(key);
    if (twin.empty()) continue;
    ++twins;
    EXPECT_EQ(Get(usage, twin), amount) << key;
  }
  EXPECT_EQ(twins, 12u);
}

TEST(Decision, A10_AMisspeltKeyLimitsNothingWhateverIsKnownOfIt) {
  Tree tree;
  auto group = MakeGroup("team", "", {{"cash/limits.cpuu", "0"}, {"limits.cpu", "2"}, {"limit.cpu", "0"}});
  tree.Set(group);
  EXPECT_TRUE(Check(tree, "team", Cores(2)).fits());
  EXPECT_EQ(Why(tree, "team", Cores(3)), "quota bizrq/team: limits.cpu used 0 of 2, requested 3");
  group.self_used = Of({{"cash/limits.cpuu", "5"}});
  tree.Set(group);
  EXPECT_TRUE(Check(tree, "team", Cores(2)).fits());
  group.hard = Of({{"cash/limits.cpu", "9"}, {"cash/limits.cpuu", "0"}});
  tree.Set(group);
  EXPECT_THAT(Why(tree, "team", Cores(1)), HasSubstr("status unknown for cash/limits.cpu:"));
}

TEST(Decision, A12_AMoveIsPaidInFullAChangeOfModelForTheNewModel) {
  const Amounts before = Cores(4, "A4"), after = Cores(4, "B7");
  Amounts increase = Increase(after, before);
  RemoveZeros(increase);
  EXPECT_EQ(increase, Of({{"cpu.B7", "4"}, {"limits.cpu.B7", "4"}, {"requests.cpu.B7", "4"}}));
}

TEST(Decision, A13_OnlyTheOutermostWorkloadIsCharged) {
  EXPECT_TRUE(ChargesForItsPods("apps", "Deployment"));
  EXPECT_TRUE(ChargesForItsPods("kubeflow.org", "TFJob"));
  EXPECT_FALSE(ChargesForItsPods("batch", "CronJob"));  // its Jobs are
  EXPECT_FALSE(ChargesForItsPods("apps", "DaemonSet"));
  EXPECT_FALSE(ChargesForItsPods("example.com", "Deployment"));
}

std::vector<int64_t> Pods(const Workload& workload, const ReplicaOptions& options = {}) {
  auto pods = ChargedPods(workload, options);
  EXPECT_TRUE(pods.ok()) << pods.status();
  return pods.ok() ? *pods : std::vector<int64_t>{-1};
}

TEST(Decision, A14_ReplicasByKind) {
  using testing::ElementsAre;
  EXPECT_THAT(Pods({.group = "", .kind = "Pod"}), ElementsAre(1));
  EXPECT_THAT(Pods({.group = "apps", .kind = "StatefulSet", .replicas = 0}), ElementsAre(0));
  EXPECT_THAT(Pods({.group = "argoproj.io", .kind = "Rollout"}), ElementsAre(1));
  Workload rollout{.group = "argoproj.io", .kind = "Rollout", .replicas = 10, .max_surge = "25%"};
  EXPECT_THAT(Pods(rollout), ElementsAre(10));
  EXPECT_THAT(Pods(rollout, {.include_surge = true}), ElementsAre(13));
  rollout.blue_green = true;
  EXPECT_THAT(Pods(rollout, {.include_surge = true}), ElementsAre(20));
  rollout.preview_replicas = 2;
  EXPECT_THAT(Pods(rollout, {.include_surge = true}), ElementsAre(12));
  Workload training{.group = "kubeflow.org", .kind = "PyTorchJob", .roles = {{}, {.replicas = 3, .max_replicas = 8}}};
  EXPECT_THAT(Pods(training), ElementsAre(1, 8));
  training.suspended = true;
  EXPECT_THAT(Pods(training), ElementsAre(0, 0));
  EXPECT_THAT(Pods({.group = "apps", .kind = "DaemonSet"}), ElementsAre(0));
  EXPECT_FALSE(ChargedPods({.group = "example.com", .kind = "Deployment"}).ok());
  EXPECT_FALSE(ChargedPods({.group = "apps", .kind = "Deployment", .max_surge = "3"}, {.include_surge = true}).ok());
}

TEST(Decision, A15_ATemplateCostsWhatItsDefaultedPodsCost) {
  cluster::Pod pod = test::PodAsking({}, {{kCpu, 2000}});
  EXPECT_EQ(Find(UsageOf(pod), "requests.cpu"), nullptr);
  DefaultPod(pod);
  EXPECT_EQ(Get(UsageOf(pod), "requests.cpu").Canonical(), "2");
}

TEST(Decision, A15_OverheadInitContainersAndSidecarsCount) {
  cluster::Pod pod = MakePod(1000);
  pod.init_containers.emplace_back().requests.Set(kCpu, 3000);
  auto& sidecar = pod.init_containers.emplace_back();
  sidecar.restartable = true;
  sidecar.requests.Set(kCpu, 500);
  pod.overhead.Set(kCpu, 250);
  EXPECT_EQ(Get(UsageOf(pod), "requests.cpu").Canonical(), "3250m");  // the init container's 3 beat 1 + 0.5
  EXPECT_EQ(Get(UsageOf(pod), "limits.cpu").Canonical(), "1250m");
}

TEST(Decision, A16_AnAutoscalersMostIsHeldAgainstWhatIsLeft) {
  Tree tree;
  tree.Set(MakeGroup("team", "", {{"limits.cpu", "10"}}));
  tree.Charge("team", Times(Cores(2), 3));
  EXPECT_TRUE(Check(tree, "team", Increase(Times(Cores(2), 5), Times(Cores(2), 3))).fits());
  EXPECT_FALSE(Check(tree, "team", Increase(Times(Cores(2), 6), Times(Cores(2), 3))).fits());
}

TEST(Decision, A17_HoursAreCountedWithoutLoss) {
  const Amounts hard = Of({{"cash/limits.cpu", "1"}, {"cash/limits.memory", "1Ei"}});
  CashLedger ledger;
  const Amounts tiny = UsageOf(MakePod(1));
  for (int second = 0; second < 3600; ++second) ledger.Accrue(tiny, hard, 1);
  EXPECT_EQ(Get(ledger.Published(), "cash/limits.cpu").Canonical(), "1m");  // 3600 times 277.7 recurring nano-hours
  CashLedger once;
  once.Accrue(tiny, hard, 1);
  EXPECT_EQ(Get(once.Published(), "cash/limits.cpu").Canonical(), "278n");
}

TEST(Decision, A17_HoursOfExbytesDoNotOverflow) {
  const Amounts hard = Of({{"cash/limits.memory", "1"}});
  CashLedger ledger;
  constexpr int64_t kYear = 365 * 86400;
  for (int year = 0; year < 100; ++year) ledger.Accrue(UsageOf(MakePod(1, int64_t{1} << 62)), hard, kYear);
  Quantity wanted = Quantity::FromInt(int64_t{1} << 62);
  EXPECT_EQ(Find(ledger.Published(), "cash/limits.memory")->Compare(Get(Times({{"x", wanted}}, kYear / 36), "x")), 0);
  auto again = CashLedger::FromTexts(ledger.Texts());
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE(*again == ledger);
  EXPECT_EQ(CashLedger::FromTexts({{"limits.cpu", "-7"}})->Texts().at("limits.cpu"), "-7");
  for (const char* bad : {"", "-", "--1", "1-", "1.5", "x", "999999999999999999999999999999999999999"}) {
    EXPECT_FALSE(CashLedger::FromTexts({{"limits.cpu", bad}}).ok()) << bad;
  }
}

TEST(Decision, A17_WholeSecondsAddUp) {
  auto at = [](int64_t millis) { return Time(std::chrono::milliseconds(millis)); };
  const PodSpan pod{at(10'700), at(99'300)};
  int64_t sum = 0;
  for (int64_t now = 0; now < 200'000; now += 333) sum += SecondsWithin(pod, at(now), at(now + 333));
  EXPECT_EQ(sum, 89);
  EXPECT_EQ(SecondsWithin(pod, at(0), at(200'000)), 89);
}

TEST(Decision, A18_TimeNeverRunsBack) {
  auto at = [](int64_t seconds) { return Time(std::chrono::seconds(seconds)); };
  EXPECT_EQ(CountUntil(at(100), at(90)), at(100));
  EXPECT_EQ(CountUntil(at(100), at(110) + std::chrono::milliseconds(900)), at(110));
  EXPECT_EQ(SecondsWithin({at(0), std::nullopt}, at(100), at(90)), 0);
}

TEST(Decision, A19_AChildHoldsTheHoursItConsumedAndLeavesThemToItsParent) {
  constexpr std::string_view kHours = "cash/limits.cpu";
  Tree tree;
  auto child = MakeGroup("team", "org", {{kHours, "40"}});
  child.self_used = Of({{kHours, "30"}, {"limits.cpu", "5"}});
  tree.Set(child);
  EXPECT_EQ(Used(tree, "org", kHours), "40");
  child.hard = Of({{kHours, "10"}});
  tree.Set(child);
  EXPECT_EQ(Used(tree, "org", kHours), "30") << "shrinking mints no hours, though nobody wrote status.used";
  child.hard.clear();
  tree.Set(child);
  EXPECT_EQ(Used(tree, "org", kHours), "30") << "nor does no longer limiting them";
  EXPECT_EQ(Used(tree, "org", "limits.cpu"), "0");
  child.used = Of({{kHours, "30"}, {"limits.cpu", "5"}});
  EXPECT_EQ(ConsumedHours(child), Of({{kHours, "30"}}));
}

TEST(Decision, A19_WhatAGrandchildConsumedIsHeldByAllAboveIt) {
  constexpr std::string_view kHours = "cash/limits.cpu";
  Tree tree;
  tree.Set(MakeGroup("org", "", {{kHours, "100"}}));
  tree.Set(MakeGroup("dept", "org", {{kHours, "60"}}));
  auto team = MakeGroup("team", "dept", {{kHours, "50"}});
  team.self_used = Of({{kHours, "45"}});
  tree.Set(team);
  EXPECT_EQ(Used(tree, "org", kHours), "60");
  team.hard = Of({{kHours, "1"}});
  tree.Set(team);
  tree.Set(MakeGroup("dept", "org", {{kHours, "1"}}));
  EXPECT_EQ(Used(tree, "dept", kHours), "45");
  EXPECT_EQ(Used(tree, "org", kHours), "45");
  team.self_used = Of({{kHours, "47"}});
  tree.Set(team);
  EXPECT_EQ(Used(tree, "org", kHours), "47");
  tree.Remove("team");
  EXPECT_EQ(Used(tree, "org", kHours), "1");
}

// A circle would hold its own hours again and again.
TEST(Decision, A23_HoursInACircleStayFiniteAndItsEndLeavesNoTrace) {
  constexpr std::string_view kHours = "cash/limits.cpu";
  Tree tree;
  auto group = [&](std::string name, std::string parent) {
    auto made = MakeGroup(std::move(name), std::move(parent), {{kHours, "10"}});
    made.self_used = Of({{kHours, "20"}});
    return made;
  };
  tree.Set(group("a", "c"));
  tree.Set(group("b", "a"));
  EXPECT_EQ(Used(tree, "c", kHours), "40");
  for (int i = 0; i < 3; ++i) tree.Set(group("c", "b"));
  for (const char* name : {"a", "b", "c"}) EXPECT_EQ(Used(tree, name, kHours), "40") << name;
  tree.Set(group("d", "c"));
  EXPECT_EQ(Used(tree, "c", kHours), "60");
  tree.Set(group("c", ""));
  EXPECT_EQ(Used(tree, "c", kHours), "80");
  EXPECT_EQ(Used(tree, "a", kHours), "40");
  for (const char* name : {"c", "a", "d", "b"}) tree.Remove(name);
  EXPECT_TRUE(tree.groups().empty());
}

TEST(Decision, A19_DeletingAndMakingAgainMintsNoHours) {
  Tree tree;
  auto org = MakeGroup("org", "", {{"cash/limits.cpu", "100"}});
  org.self_used = Of({{"cash/limits.cpu", "0"}});
  tree.Set(org);
  auto child = MakeGroup("team", "org", {{"cash/limits.cpu", "100"}});
  ASSERT_TRUE(MayCreate(tree, child).ok());
  child.used = child.self_used = Of({{"cash/limits.cpu", "60"}});
  tree.Set(child);
  tree.Remove("team");
  Add(org.self_used, ConsumedHours(child));
  tree.Set(org);
  EXPECT_FALSE(MayCreate(tree, MakeGroup("team", "org", {{"cash/limits.cpu", "41"}})).ok());
  EXPECT_TRUE(MayCreate(tree, MakeGroup("team", "org", {{"cash/limits.cpu", "40"}})).ok());
}

// The budget of a child whose object became unreadable must not be handed out again.
TEST(Decision, A11_AGroupThatBecomesUnreadableKeepsWhatItHolds) {
  Tree tree;
  tree.Set(MakeGroup("org", "", {{"limits.cpu", "10"}, {"cash/limits.cpu", "10"}}));
  auto team = MakeGroup("team", "org", {{"limits.cpu", "8"}, {"cash/limits.cpu", "5"}});
  team.self_used = Of({{"cash/limits.cpu", "7"}});
  tree.Set(team);
  cluster::BizGroupQuota unreadable;
  unreadable.name = "team";
  unreadable.defect = "spec.hard: expected an object";
  tree.Set(unreadable);
  EXPECT_EQ(Used(tree, "org", "limits.cpu"), "8");
  EXPECT_EQ(Used(tree, "org", "cash/limits.cpu"), "7");
  EXPECT_EQ(tree.Path("team"), "org/team");
  EXPECT_EQ(tree.Standing("team").outcome, Outcome::kFrozen);
  EXPECT_EQ(tree.Standing("team").detail, unreadable.defect);
  EXPECT_TRUE(tree.Standing("org").fits());
  tree.Set(team);
  EXPECT_TRUE(tree.Standing("team").fits());
  EXPECT_EQ(Used(tree, "org", "limits.cpu"), "8");
  tree.Set(unreadable);
  tree.Remove("team");
  EXPECT_EQ(Used(tree, "org", "limits.cpu"), "0");
  tree.Set(unreadable);  // nothing is known of it
  EXPECT_EQ(tree.Standing("team").outcome, Outcome::kFrozen);
}

TEST(Decision, TheRevisionGrowsWhereStandingsCanChangeAndNotWithCharges) {
  Tree tree;
  tree.Set(MakeGroup("team", "", {{"limits.cpu", "8"}}));
  tree.Charge("team", Cores(1));
  uint64_t before = tree.revision();
  tree.Charge("team", Cores(1));
  tree.Release("team", Cores(1));
  EXPECT_EQ(tree.revision(), before);
  auto grew = [&] { return std::exchange(before, tree.revision()) < tree.revision(); };
  tree.Charge("unknown", Cores(1));
  EXPECT_TRUE(grew());
  tree.Release("unknown", Cores(1));
  EXPECT_TRUE(grew());
  tree.Set(MakeGroup("team", "", {{"limits.cpu", "9"}}));
  EXPECT_TRUE(grew());
  tree.Remove("team");
  EXPECT_TRUE(grew());
}

TEST(Decision, A4_ManyStarsAreMatchedInNoTime) {
  KeyOptions options;
  options.gpu_resources = {""};
  for (int i = 0; i < 40; ++i) options.gpu_resources[0] += "*a";
  options.gpu_resources.push_back("*.com/g*u*");
  auto keys = [&](std::string_view resource) {
    Amounts charge;
    Charge(resource, Side::kRequests, Quantity::FromInt(1), Labels("", "", "A30"), options, charge);
    return charge.size();
  };
  EXPECT_EQ(keys(Concat("b.com/", std::string(56, 'a'), "b")), 1u);
  EXPECT_EQ(keys(Concat("b.com/", std::string(56, 'a'))), 2u);
  EXPECT_EQ(keys("b.com/gpu"), 2u);
  EXPECT_EQ(keys("b.com/ggpupug"), 2u);
  EXPECT_EQ(keys("b.com/gp"), 1u);
}

TEST(Decision, A20_SpentHoursRefuseOnlyWhatAdds) {
  Tree tree;
  auto group = MakeGroup("team", "", {{"cash/limits.cpu", "0"}});
  group.self_used = Of({{"cash/limits.cpu", "0"}});
  tree.Set(group);
  EXPECT_FALSE(Check(tree, "team", Cores(1)).fits());
  EXPECT_TRUE(Check(tree, "team", UsageOf(cluster::Pod())).fits());
  EXPECT_TRUE(Check(tree, "team", Increase(Cores(1), Cores(2))).fits());
}

TEST(Decision, A21_AGroupWithPodsIsNotDeleted) {
  Tree tree;
  tree.Set(MakeGroup("team", "gone", {{"limits.cpu", "10"}}));
  tree.Charge("team", Cores(1));
  EXPECT_THAT(Why(MayDelete(tree, "team")), HasSubstr("it has pods"));
  tree.Release("team", Cores(1));
  EXPECT_TRUE(MayDelete(tree, "team").ok());  // although its parent is gone
}

TEST(Decision, A23_CirclesAndOrphansAreFrozen) {
  Tree tree;
  tree.Set(MakeGroup("a", "b", {{"limits.cpu", "10"}}));
  EXPECT_EQ(Why(tree, "a", Cores(1)), "quota bizrq/a: its parent b does not exist");
  tree.Set(MakeGroup("b", "c", {{"limits.cpu", "10"}}));
  tree.Set(MakeGroup("c", "a", {{"limits.cpu", "10"}}));
  tree.Set(MakeGroup("d", "a", {{"limits.cpu", "10"}}));
  for (const char* name : {"a", "b", "c", "d"})
    EXPECT_EQ(Check(tree, name, Cores(1)).outcome, Outcome::kFrozen) << name;
  const std::string_view what_to_do = "; delete one of them and create it under another parent";
  EXPECT_EQ(tree.Standing("b").detail, Concat("its parents form a circle: b, c, a", what_to_do));
  EXPECT_EQ(tree.Standing("d").detail, Concat("its parents form a circle: a, b, c", what_to_do));
  EXPECT_EQ(tree.Path("b"), "a/c/b");
  EXPECT_EQ(tree.Path("d"), "c/b/a/d");
  tree.Charge("d", Cores(1));  // a pod that ran before keeps its charge
  EXPECT_EQ(Used(tree, "d", "limits.cpu"), "1");
  tree.Set(MakeGroup("c", "", {{"limits.cpu", "10"}}));
  for (const char* name : {"a", "b", "c", "d"}) EXPECT_NE(tree.Standing(name).outcome, Outcome::kFrozen) << name;
  EXPECT_EQ(tree.Path("d"), "c/b/a/d");
  tree.Set(MakeGroup("self", "self", {}));
  EXPECT_THAT(tree.Standing("self").detail, HasSubstr("circle: self;"));
  EXPECT_EQ(tree.Path("self"), "self");
  tree.Remove("self");
  EXPECT_EQ(tree.groups().count("self"), 0u);
}

TEST(Decision, A23_AGroupThatStoodIsAskedAnewWhateverChangesAboveIt) {
  Tree tree;
  for (const auto& [name, parent] : Pairs{{"org", ""}, {"dept", "org"}, {"team", "dept"}}) {
    tree.Set(MakeGroup(std::string(name), std::string(parent), {{"limits.cpu", "10"}}));
  }
  tree.Charge("team", Cores(1));  // so that the group is the same one all along
  ASSERT_TRUE(tree.Standing("team").fits());
  tree.Remove("org");
  EXPECT_EQ(tree.Standing("team").detail, "its parent org does not exist");
  tree.Set(MakeGroup("org", "", {{"limits.cpu", "10"}}));
  EXPECT_TRUE(tree.Standing("team").fits());
  auto ending = MakeGroup("team", "dept", {{"limits.cpu", "10"}});
  ending.deleting = true;
  tree.Set(ending);
  EXPECT_EQ(tree.Standing("team").outcome, Outcome::kTerminating);
}

TEST(Decision, A23_DepthIsBounded) {
  Tree tree;
  tree.Set(MakeGroup("l1", "", {}));
  for (int level = 2; level <= 16; ++level) {
    const std::string name = Concat("l", std::to_string(level)), parent = Concat("l", std::to_string(level - 1));
    ASSERT_TRUE(MayCreate(tree, MakeGroup(name, parent, {})).ok()) << level;
    tree.Set(MakeGroup(name, parent, {}));
    EXPECT_TRUE(tree.Standing(name).fits()) << level;
  }
  EXPECT_THAT(Why(MayCreate(tree, MakeGroup("l17", "l16", {}))), HasSubstr("more than 16 levels"));
  tree.Set(MakeGroup("l17", "l16", {}));
  EXPECT_THAT(tree.Standing("l17").detail, HasSubstr("more than 16 levels"));
  tree.Set(MakeGroup("l1", "l17", {}));
  EXPECT_THAT(tree.Standing("l17").detail, HasSubstr("circle of more than 16"));
}

}  // namespace
}  // namespace huygens::quota
