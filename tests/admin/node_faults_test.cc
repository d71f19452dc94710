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
  const Time now_ = *ParseRfc3339("2026-11-21T12:00:00Z");
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
  faults_.Unreadable("n", "annotation y is ignored", now_, nullptr);
  EXPECT_THAT(told_, IsEmpty());
  faults_.Seen(node_, "");
  faults_.Seen(node_, "");
  EXPECT_THAT(told_, ElementsAre("n: SettingIgnored: annotation y is ignored"));
  EXPECT_THAT(faults_.Of("n"), ElementsAre("annotation y is ignored (seen 2026-11-21T12:00:00Z)"));
  faults_.Unreadable("n", "annotation y is ignored, too", now_, &node_);
  EXPECT_EQ(told_.size(), 2u);
  faults_.Gone("n");
  EXPECT_THAT(faults_.Of("n"), IsEmpty());
}

}  // namespace
}  // namespace huygens::admin
