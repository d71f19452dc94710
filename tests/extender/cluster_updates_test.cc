#include "extender/cluster_updates.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <initializer_list>

#include "kubelet/settings.h"
#include "tests/extender/fixture.h"
#include "wire/node_annotations.h"

namespace huygens::extender {
namespace {

using cluster::Kind;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class ClusterUpdatesTest : public ServiceTest {
 protected:
  explicit ClusterUpdatesTest(
      placement::Options options = {.checks = {"usage"}, .usage = {.resources = {{.name = "cpu", .ceiling = 800'000}}}})
      : ServiceTest(std::move(options)) {
    updates_.node_faults().OnNews([this](const cluster::Node& node, const kube::PodWarning& warning) {
      told_.push_back(Concat(node.name, ": ", warning.message));
    });
  }
  void SetNode(std::string_view ceiling) {
    cluster::Node node{.name = "n", .uid = "u"};
    node.usage_ceilings = {{std::string(ceiling), 500'000}};
    updates_.Apply(Kind::kNode, cluster::NodeSet{node});
  }

  std::vector<std::string> told_;
  ClusterUpdates updates_{context_};
};

TEST_F(ClusterUpdatesTest, ACeilingThatNobodyHoldsIsToldOnceAndTheNodeCountsAllTheSame) {
  SetNode("cpus");
  SetNode("cpus");
  EXPECT_TRUE(placement_->state().FindNode("n"));
  EXPECT_THAT(captured_.Lines(), ElementsAre(HasSubstr("no resource of usage.resources is called cpus")));
  EXPECT_THAT(told_, ElementsAre(HasSubstr("n: annotation huygens.dev/")));
  EXPECT_THAT(updates_.node_faults().Of("n"),
              ElementsAre(HasSubstr("so its ceiling is held by nobody; there are cpu")));
  SetNode("cpu");
  EXPECT_THAT(updates_.node_faults().Of("n"), IsEmpty());
}

TEST_F(ClusterUpdatesTest, WhatCannotBeReadOfANodesObjectsIsRememberedUntilItIsMended) {
  SetNode("cpu");
  updates_.ObjectFault(Kind::kNode, "n", "no number", true);
  updates_.ObjectFault(Kind::kCommunityTopology, "n", "zone a: misspelt", true);
  updates_.ObjectFault(Kind::kNode, "gone", "no name", false);
  updates_.ObjectFault(Kind::kPod, "p", "no number", true);
  EXPECT_THAT(told_, ElementsAre("n: no number", "n: its NodeResourceTopology: zone a: misspelt"));
  EXPECT_THAT(updates_.node_faults().Of("n"), ElementsAre("no number", "its NodeResourceTopology: zone a: misspelt"));
  EXPECT_THAT(updates_.node_faults().Of("gone"), IsEmpty());
  updates_.ObjectFault(Kind::kNode, "n", "", false);
  EXPECT_THAT(updates_.node_faults().Of("n"), ElementsAre("its NodeResourceTopology: zone a: misspelt"));
  updates_.ObjectFault(Kind::kCommunityTopology, "n", "65 zones", false);
  EXPECT_THAT(updates_.node_faults().Of("n"), IsEmpty()) << "the page shows the defect as such";
  EXPECT_EQ(told_.back(), "n: its NodeResourceTopology cannot be used: 65 zones");
}

// Whoever decodes a Node's annotations names the labels that it must not be one of.
TEST_F(ClusterUpdatesTest, AllLabelsOfANodeAreKnownAsSuchAmongItsAnnotations) {
  const quota::NodeModelLabels models;
  std::vector<std::string> labels = kubelet::SettingLabels();
  labels.insert(labels.end(), {models.cpu, models.gpu, models.memory});
  for (const std::string& label : labels) {
    if (label.find('.', label.find('/')) != std::string::npos) continue;  // an option
    EXPECT_NE(std::ranges::find(wire::kNodeLabels, label), std::end(wire::kNodeLabels)) << label;
  }
}

TEST_F(ClusterUpdatesTest, KeysOfLabelsThatAreMisspeltOrMisplacedAreToldUntilTheyAreMended) {
  const auto set = [this](std::initializer_list<std::string> keys) {
    cluster::Node node{.name = "n", .uid = "u"};
    for (const std::string& key : keys) node.labels.emplace_back(key, "static");
    told_.clear();
    updates_.Apply(Kind::kNode, cluster::NodeSet{node});
    return updates_.node_faults().Of("n");
  };
  constexpr std::string_view kMisspelt =
      "label huygens.dev/cpu-manger-policy: nobody reads it; did you mean huygens.dev/cpu-manager-policy?";
  EXPECT_THAT(set({"huygens.dev/cpu-manger-policy"}), ElementsAre(kMisspelt));
  EXPECT_THAT(told_, ElementsAre(Concat("n: ", kMisspelt)));
  EXPECT_THAT(captured_.Lines(), ElementsAre(HasSubstr(kMisspelt)));
  EXPECT_THAT(set({"huygens.dev/cpu-modle", "huygens.dev/usage-ceilings"}),
              ElementsAre("label huygens.dev/cpu-modle: nobody reads it; did you mean huygens.dev/cpu-model?; label "
                          "huygens.dev/usage-ceilings: nobody reads it there; it belongs among the annotations"));
  EXPECT_THAT(set({"huygens.dev/cpu-manager-policy-optoins.full-pcpus-only"}),
              ElementsAre(HasSubstr("did you mean huygens.dev/cpu-manager-policy-options.full-pcpus-only?")));
  EXPECT_THAT(set({"huygens.dev/cpu-manager-policy-options.full-pcpu-only"}),
              ElementsAre(testing::AllOf(HasSubstr("kubelet has no such option"), Not(HasSubstr("did you mean")))));
  EXPECT_THAT(set({"huygens.dev/cpu-manager-policy", "huygens.dev/cpu-model", "huygens.dev/gpu-model", "a/cpu-modle",
                   "huygens.dev/quarantine", "cpu-manger-policy"}),
              IsEmpty());
  EXPECT_THAT(told_, IsEmpty());
}

// Labels that the configuration names are read, and the usual ones are no misspelling of them.
class OtherModelLabels : public ClusterUpdatesTest {
 protected:
  OtherModelLabels()
      : ClusterUpdatesTest({.checks = {"quota"}, .quota = {.models = {.cpu = "huygens.dev/cpu-mode"}}}) {}
};

TEST_F(OtherModelLabels, AreRead) {
  updates_.Apply(Kind::kNode, cluster::NodeSet{cluster::Node{.name = "n", .labels = {{"huygens.dev/cpu-mode", "a"}}}});
  updates_.Apply(Kind::kNode, cluster::NodeSet{cluster::Node{.name = "m", .labels = {{"huygens.dev/cpu-model", "a"}}}});
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(ClusterUpdatesTest, OnlyWhatIsAskedAboutIsFollowed) {
  EXPECT_THAT(KindsToFollow(*placement_), Contains(Kind::kPod));
  EXPECT_THAT(KindsToFollow(*placement_), Not(Contains(Kind::kBizGroupQuota)));
}

}  // namespace
}  // namespace huygens::extender
