// A check and a term of one's own in the configuration and in the decision core: those of docs/writing-a-check.md and
// docs/writing-a-term.md, which this program has besides the shipped ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placement/placement.h"
#include "policy/registry.h"
#include "scoring/registry.h"
#include "settings/configuration.h"
#include "settings/placement_options.h"
#include "settings/yaml.h"
#include "tests/base/clock.h"

namespace huygens {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using huygens::test::kNow;

StatusOr<settings::Configuration> Parse(std::string_view fields) {
  return settings::ParseConfiguration(
      Concat("{apiVersion: config.huygens.dev/v1alpha1, kind: ExtenderConfiguration, ", fields, "}"), "f.yaml");
}

std::string FaultsOf(std::string_view fields) {
  auto parsed = Parse(fields);
  return parsed.ok() ? "no fault" : std::string(Message(parsed.status()));
}

settings::Configuration Good(std::string_view fields) {
  auto parsed = Parse(fields);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return parsed.ok() ? *parsed : settings::Configuration();
}

TEST(RulesOfOnesOwn, AreShownByTheDefaultsCommentedOut) {
  const std::string yaml = settings::DefaultsYaml();
  EXPECT_THAT(yaml, HasSubstr("    - {name: quota, mode: enforce}\n"
                              "    # - name: quiet\n"
                              "    #   mode: enforce\n"
                              "    #   options:"));
  EXPECT_THAT(yaml, HasSubstr("    #     most: 0.5"));
  EXPECT_THAT(yaml, HasSubstr("of a node's CPUs that may be in use where a quiet pod is\n"));
  EXPECT_THAT(yaml, HasSubstr("    # - name: FewestSiblings\n"
                              "    #   weight: 1\n"
                              "    #   options:"));
  EXPECT_THAT(yaml, HasSubstr("name: useless, budgetless, alone, told, quiet, "));
  EXPECT_THAT(yaml, HasSubstr("FewestSiblings: the fewer pods of the same\n  # owner on the node, the better; "));
  auto again = settings::ParseConfiguration(yaml, "defaults");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(settings::ToYaml(*again), settings::ToYaml({}));
  std::istringstream in(yaml);
  for (std::string line; std::getline(in, line);) EXPECT_LE(line.size(), 120u) << line;
}

TEST(RulesOfOnesOwn, AreInTheReference) {
  const std::string tables = settings::ReferenceMarkdown();
  EXPECT_THAT(tables,
              HasSubstr("| `filter.checks[].name` | name | `\"\"` | useless, budgetless, alone, told, quiet, "));
  EXPECT_THAT(
      tables,
      HasSubstr("| `filter.checks[].options` | section |  | of quiet |\n"
                "| `filter.checks[].options.most` | share, 0 to 1 or in percent | `0.5` | of a node's CPUs that may be "
                "in use where a quiet pod is |\n"));
  EXPECT_THAT(tables, HasSubstr("| `prioritize.terms[].options.most` | whole number, 1 to 1000 | `4` | "));
}

TEST(RulesOfOnesOwn, ReadTheirOptionsAndPrintThem) {
  const auto configuration = Good(
      "filter: {checks: [topology, {name: quiet, mode: report, options: {most: 40%}}]}, "
      "prioritize: {terms: [{name: FewestSiblings, weight: 2, options: {most: 7}}]}");
  const std::string yaml = settings::ToYaml(configuration);
  EXPECT_THAT(yaml, HasSubstr("- {name: quiet, mode: report, options: {most: 0.4}}\n"));
  EXPECT_THAT(yaml, HasSubstr("- {name: FewestSiblings, weight: 2, options: {most: 7}}\n"));
  EXPECT_THAT(yaml, Not(HasSubstr("# - name: quiet"))) << "it is listed";
  auto again = settings::ParseConfiguration(yaml, "printed");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(settings::ToYaml(*again), yaml);
  EXPECT_THAT(settings::ToYaml(Good("filter: {checks: [quiet]}")), HasSubstr("options: {most: 0.5}")) << "a name alone";
}

TEST(RulesOfOnesOwn, WhatIsWrongWithTheirOptionsIsSaidWithItsPlace) {
  EXPECT_EQ(FaultsOf("filter: {checks: [{name: quiet, options: {least: 1}}]}"),
            "f.yaml:1:114: filter.checks[0].options.least: no such field; there are most");
  EXPECT_THAT(FaultsOf("filter: {checks: [{name: quiet, options: {mots: 1}}]}"), HasSubstr("did you mean most?"));
  EXPECT_THAT(FaultsOf("filter: {checks: [{options: {most: 2}, name: quiet}]}"),
              HasSubstr("filter.checks[0].options.most: must be"));
  EXPECT_THAT(FaultsOf("filter: {checks: [{name: topology, options: {most: 1}}]}"),
              HasSubstr("filter.checks[0].options: topology has none"));
  EXPECT_THAT(FaultsOf("filter: {checks: [{name: topology, foobar: 1}]}"),
              HasSubstr("filter.checks[0].foobar: no such field; there are name, mode"));
  EXPECT_THAT(
      FaultsOf("filter: {checks: [{name: queit, options: {most: 1}}]}"),
      testing::AllOf(HasSubstr("no check is called queit; did you mean quiet?"), Not(HasSubstr("no such field"))));
  EXPECT_THAT(FaultsOf("prioritize: {terms: [{name: FewestSiblings, options: {most: 0}}]}"),
              HasSubstr("prioritize.terms[0].options.most: must be from 1 to 1000, not 0"));
}

TEST(RulesOfOnesOwn, GetWhatTheyAskFor) {
  ResourceNames names;
  const auto options = settings::PlacementOptions(Good("filter: {checks: [quiet]}, prioritize: {terms: []}"), names);
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_TRUE(placement::LooksAtUsage(*options)) << "for the sake of quiet alone";
  EXPECT_THAT(names.pod_keys().annotations, ElementsAre("example.com/quiet"));
  EXPECT_THAT(names.pod_keys().labels, IsEmpty());
  const auto off =
      settings::PlacementOptions(Good("filter: {checks: [{name: quiet, mode: off}]}, prioritize: {terms: []}"), names);
  EXPECT_FALSE(placement::LooksAtUsage(*off));
  EXPECT_THAT(names.pod_keys().annotations, IsEmpty()) << "nobody asks";
}

// A node of 10 CPUs with room for everything, of which 3 are in use.
class OwnRulesPlaced : public testing::Test {
 protected:
  void Make(std::string_view fields, bool measured = true) {
    auto options = settings::PlacementOptions(Good(fields), names_);
    ASSERT_TRUE(options.ok()) << options.status();
    auto made = placement::Placement::Create(*std::move(options));
    ASSERT_TRUE(made.ok()) << made.status();
    placement_ = *std::move(made);
    cluster::Node node;
    node.name = "node";
    node.allocatable = {{kCpu, 10'000}, {kMemory, int64_t{1} << 40}, {kPodSlots, 100}};
    placement_->Apply(cluster::NodeSet{node});
    if (measured) MeasureUse();
  }
  void MeasureUse() {
    const int64_t slot = usage::SlotAt(kNow, std::chrono::minutes(15));
    placement_->ApplyUsage({.slot = slot, .measured = kNow, .nodes = {{"node", 3000}}}, kNow);
    placement_->SettleUsage();
  }
  static std::shared_ptr<cluster::Pod> PodOf(const std::string& name, int64_t milli_cpus, bool quiet) {
    auto pod = std::make_shared<cluster::Pod>();
    pod->namespace_name = "default";
    pod->name = pod->uid = name;
    pod->owner_kind = "ReplicaSet";
    pod->owner_name = "web";
    if (quiet) pod->texts = cluster::PodTexts{.annotations = {{"example.com/quiet", "true"}}};
    pod->containers.push_back({.name = "c", .requests = {{kCpu, milli_cpus}}, .limits = {{kCpu, milli_cpus}}});
    return pod;
  }
  bool Fits(const cluster::Pod& pod) {
    const std::string_view names[] = {"node"};
    return !placement_->Filter(pod, names, kNow).feasible.empty();
  }

  ResourceNames names_;
  std::unique_ptr<placement::Placement> placement_;
};

TEST_F(OwnRulesPlaced, ACheckGoesByItsOptionsAndByWhatItCounts) {
  Make("filter: {checks: [{name: quiet, options: {most: 40%}}]}");
  EXPECT_TRUE(Fits(*PodOf("small", 1000, true)));
  EXPECT_FALSE(Fits(*PodOf("large", 2000, true)));
  EXPECT_TRUE(Fits(*PodOf("loud", 2000, false)));
  auto quiet = PodOf("quiet", 100, true);
  quiet->node_name = "node";
  placement_->Apply(cluster::PodSet{quiet});
  EXPECT_FALSE(Fits(*PodOf("loud", 2000, false)));
  EXPECT_EQ(placement_->Reconcile(10), 0u) << "what is counted is what a recount finds";
  placement_->Apply(cluster::PodGone{"quiet"});
  EXPECT_TRUE(Fits(*PodOf("loud", 2000, false)));
  EXPECT_EQ(placement_->Reconcile(10), 0u);
}

TEST_F(OwnRulesPlaced, WhatACheckCountsGoesInThoughtWhenVictimsAreChosen) {
  Make("filter: {checks: [{name: quiet, options: {most: 40%}}]}");
  auto quiet = PodOf("quiet", 100, true);
  quiet->node_name = "node";
  placement_->Apply(cluster::PodSet{quiet});
  auto loud = PodOf("loud", 2000, false);
  loud->priority = 10;
  const placement::PreemptionCandidate candidates[] = {{"node", {}}};
  const auto answer = placement_->Preempt(*loud, candidates, kNow);
  ASSERT_EQ(answer.size(), 1u);
  EXPECT_THAT(answer[0].victims, ElementsAre("quiet"));
  EXPECT_FALSE(Fits(*loud)) << "and is back afterwards";
}

TEST_F(OwnRulesPlaced, ATermGoesByItsOptionsAndByWhatItCounts) {
  Make("filter: {checks: []}, prioritize: {terms: [{name: FewestSiblings, options: {most: 2}}]}");
  const auto score = [&] {
    const std::string_view names[] = {"node"};
    return placement_->Prioritize(*PodOf("new", 100, false), names, kNow)[0];
  };
  EXPECT_EQ(score(), 10);
  ASSERT_TRUE(placement_->Reserve(PodOf("first", 100, false), "node", kNow).ok());
  EXPECT_EQ(score(), 5);
  EXPECT_EQ(placement_->Prioritize(*PodOf("first", 100, false), std::vector<std::string_view>{"node"}, kNow)[0], 10)
      << "it does not count against itself";
  placement_->Release("first");
  EXPECT_EQ(score(), 10);
}

TEST_F(OwnRulesPlaced, ACheckHearsOfHistoriesAndWakesPods) {
  Make("filter: {checks: [told]}, cluster: {kubernetes: {}}", false);
  const auto pod = PodOf("waits", 100, false);
  EXPECT_FALSE(Fits(*pod));
  placement_->Remember(pod, placement_->Filter(*pod, std::vector<std::string_view>{"node"}, kNow));
  (void)placement_->waiting().TakeChanged();
  MeasureUse();
  EXPECT_THAT(placement_->waiting().TakeChanged(), ElementsAre(testing::Pair(0u, ""))) << "said by the check";
  EXPECT_TRUE(Fits(*pod));
}

// The nodes that two pods of a gang and one more are promised, one after the other.
TEST_F(OwnRulesPlaced, PodsOfAGangHoldWhatACheckCountsFromFilterOn) {
  Make("filter: {checks: [alone]}, prioritize: {terms: []}", false);
  cluster::Node other;
  other.name = "other";
  placement_->Apply(cluster::NodeSet{other});
  const auto promised = [&](const std::string& name) {
    auto pod = PodOf(name, 100, false);
    pod->scheduling_group = "gang";
    const std::string_view names[] = {"node", "other"};
    placement_->NoteQuestion(*pod, kNow);
    std::vector<std::string_view> nodes;
    const placement::FilterAnswer answer = placement_->Filter(*pod, names, kNow);
    for (uint32_t position : answer.feasible) nodes.push_back(names[position]);
    placement_->Remember(pod, answer);
    return nodes;
  };
  const auto first = promised("first");
  EXPECT_EQ(first.size(), 1u);
  const auto second = promised("second");
  EXPECT_EQ(second.size(), 1u);
  EXPECT_NE(first, second);
  EXPECT_THAT(promised("third"), IsEmpty());
  EXPECT_EQ(placement_->Reconcile(10), 0u);
}

TEST_F(OwnRulesPlaced, ACheckThatGoesByWhatItDoesNotAskForIsRefused) {
  const auto fault = [&](std::string_view check) {
    auto options = settings::PlacementOptions(Good(Concat("filter: {checks: [", check, "]}")), names_);
    EXPECT_TRUE(options.ok()) << options.status();
    const auto made = placement::Placement::Create(*std::move(options));
    return made.ok() ? "no fault" : std::string(Message(made.status()));
  };
  EXPECT_THAT(fault("budgetless"), HasSubstr("check budgetless goes by budgets and does not ask for quota"));
  EXPECT_THAT(fault("useless"), HasSubstr("check useless goes by ceilings and does not ask for usage"));
}

}  // namespace
}  // namespace huygens
