#include "oversight/topology_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/admin/core_fixture.h"
#include "tests/observe/captured_log.h"

namespace huygens::oversight {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

class TopologyWatchTest : public admin::CoreTest {
 protected:
  void Lose(const std::string& node) {
    placement_->Apply(cluster::TopologyGone{cluster::TopologySource::kCrane, node});
  }
  std::string_view NameOf(const std::string& node) {
    const cluster::NodeIndex index = *placement_->state().FindNode(node);
    return placement_->Zones(index).Name(index);
  }
  std::string Metric() {
    watch_.RefreshMetrics();
    const std::string text = metrics_.Render();
    const size_t at = text.find("\nhuygens_nodes_topology_lost ") + 1;
    return text.substr(at, text.find('\n', at) - at);
  }

  std::vector<std::string> warned_;
  TopologyWatch watch_{core_, [this](const cluster::Node& node, const kube::PodWarning& warning) {
                         warned_.push_back(Concat(node.name, " ", warning.reason, ": ", warning.message));
                       }};
};

TEST_F(TopologyWatchTest, TellsOfALossOnceAndOfItsEnd) {
  AddNode("n1", {2});
  AddNode("n2", {2});
  watch_.EverySecond(seconds(0));
  EXPECT_FALSE(watch_.Describe());
  EXPECT_EQ(Metric(), "huygens_nodes_topology_lost 0");
  Lose("n1");
  watch_.EverySecond(seconds(100));
  watch_.EverySecond(seconds(130));
  ASSERT_EQ(warned_.size(), 1u);
  EXPECT_THAT(warned_[0], HasSubstr("n1 TopologyLost: its NodeResourceTopology is gone while the node is not"));
  EXPECT_EQ(Metric(), "huygens_nodes_topology_lost 1");
  const auto item = watch_.Describe();
  ASSERT_TRUE(item.has_value());
  EXPECT_TRUE(item->warning);
  EXPECT_THAT(item->detail, HasSubstr("1 node lost the topology object for 30 s; after 600 s"));

  AddNode("n1", {2});  // back
  watch_.EverySecond(seconds(131));
  EXPECT_FALSE(watch_.Describe());
  Lose("n2");
  watch_.EverySecond(seconds(200));
  EXPECT_EQ(warned_.size(), 2u);
  EXPECT_EQ(NameOf("n2"), "managed");
  watch_.EverySecond(seconds(200) + minutes(10));
  EXPECT_EQ(NameOf("n2"), "none");
  EXPECT_EQ(Metric(), "huygens_nodes_topology_lost 0");
}

}  // namespace
}  // namespace huygens::oversight
