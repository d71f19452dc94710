#include "admin/node_faults.h"

#include <gmock/gmock.h>

namespace huygens::admin {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class NodeFaultsTest : public testing::Test {
 protected:
  NodeFaultsTest() {
    faults_.OnNews([this](const cluster::Node& node, const kube::PodWarning& warning) {
      told_.push_back(Concat(node.name, ": ", warning.reason, ": ", warning.message));
    });
  }
  NodeFaults faults_;
  const cluster::Node node_{.name = "n", .uid = "u"};
  std::vector<std::string> told_;
};

TEST_F(NodeFaultsTest, ALabelIsToldOnceUntilItChangesAndForgottenWhenItIsMended) {
  faults_.Seen(node_, "label x: no");
  faults_.Seen(node_, "label x: no");
  EXPECT_THAT(told_, ElementsAre("n: SettingIgnored: label x: no"));
  EXPECT_THAT(faults_.Of("n"), ElementsAre("label x: no"));
  faults_.Seen(node_, "");
  EXPECT_THAT(faults_.Of("n"), IsEmpty());
  faults_.Seen(node_, "label x: no");
  EXPECT_EQ(told_.size(), 2u);
}

TEST_F(NodeFaultsTest, AnAnnotationOfANodeThatIsNotKnownYetIsToldWhenItIs) {
  faults_.Set("n", NodeFaults::kAnnotations, "annotation y is ignored", nullptr);
  EXPECT_THAT(told_, IsEmpty());
  faults_.Seen(node_, "");
  faults_.Seen(node_, "");
  EXPECT_THAT(told_, ElementsAre("n: SettingIgnored: annotation y is ignored"));
  EXPECT_THAT(faults_.Of("n"), ElementsAre("annotation y is ignored"));
  faults_.Set("n", NodeFaults::kAnnotations, "annotation y is ignored, too", &node_);
  EXPECT_EQ(told_.size(), 2u);
}

TEST_F(NodeFaultsTest, EachPartIsForgottenWhenItIsMended) {
  faults_.Seen(node_, "label x: no");
  faults_.Set("n", NodeFaults::kAnnotations, "annotation y is ignored", &node_);
  faults_.Set("n", NodeFaults::kTopology, "zone z", &node_);
  faults_.Set("n", NodeFaults::kAnnotations, "", &node_);
  EXPECT_THAT(faults_.Of("n"), ElementsAre("label x: no", "zone z"));
  faults_.Gone("n");
  EXPECT_THAT(faults_.Of("n"), ElementsAre("zone z")) << "of an object that may still be there";
  faults_.Set("n", NodeFaults::kTopology, "", nullptr);
  EXPECT_THAT(faults_.Of("n"), IsEmpty());
}

}  // namespace
}  // namespace huygens::admin
