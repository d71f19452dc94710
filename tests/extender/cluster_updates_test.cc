#include "extender/cluster_updates.h"

#include <gmock/gmock.h>

#include "tests/extender/fixture.h"

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

TEST_F(ClusterUpdatesTest, AnAnnotationThatCannotBeReadIsRememberedOfTheNodeAlone) {
  SetNode("cpu");
  updates_.ObjectFault(Kind::kNode, "n", "no number", true);
  updates_.ObjectFault(Kind::kNode, "gone", "no name", false);
  updates_.ObjectFault(Kind::kPod, "p", "no number", true);
  EXPECT_THAT(told_, ElementsAre("n: no number"));
  EXPECT_THAT(updates_.node_faults().Of("n"), ElementsAre("no number (seen 2026-11-21T12:00:00Z)"));
  EXPECT_THAT(updates_.node_faults().Of("gone"), IsEmpty());
}

TEST_F(ClusterUpdatesTest, OnlyWhatIsAskedAboutIsFollowed) {
  EXPECT_THAT(KindsToFollow(*placement_), Contains(Kind::kPod));
  EXPECT_THAT(KindsToFollow(*placement_), Not(Contains(Kind::kBizGroupQuota)));
}

}  // namespace
}  // namespace huygens::extender
