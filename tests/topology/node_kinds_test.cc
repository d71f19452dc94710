#include "topology/node_kinds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topology/zone_account.h"

namespace huygens::topology {
namespace {

using testing::ElementsAre;

// Claims the nodes whose object has the attribute of this name.
class Named final : public NodeZones {
 public:
  explicit Named(std::string name) : name_(std::move(name)) {}
  bool Claims(NodeIndex) const override { return claims_; }
  std::unique_ptr<PreparedPod> Prepare(const cluster::Pod&) const override { return nullptr; }
  void Check(const PreparedPod&, std::span<const NodeIndex>, bool, Time, std::span<Fit>) const override {}
  void ZonesTaken(const PreparedPod&, std::span<const NodeIndex>, Time,
                  std::span<std::optional<ZoneSet>>) const override {}
  std::optional<std::vector<cluster::ZoneAmount>> Assign(NodeIndex, const PreparedPod&, Time) const override {
    return std::nullopt;
  }
  std::string_view Name(NodeIndex) const override { return name_; }
  void Place(const cluster::PlacedPod&) override { ++pods; }
  void Leave(const cluster::PlacedPod&) override { --pods; }
  void NodeChanged(NodeIndex, const cluster::NodeTopology* topology) override {
    claims_ = topology && !topology->attributes.empty() && topology->attributes[0].first == name_;
  }
  bool Recount(NodeIndex, std::span<const cluster::PlacedPod* const>) override {
    ++recounts;
    return true;
  }

  int pods = 0;
  int recounts = 0;

 private:
  std::string name_;
  bool claims_ = false;
};

class NodeKindsTest : public testing::Test {
 protected:
  void Set(NodeIndex node, const std::string& attribute) {
    cluster::NodeTopology topology;
    topology.attributes = {{attribute, ""}};
    kinds_.NodeChanged(node, attribute.empty() ? nullptr : &topology);
  }
  std::vector<std::string> WithNodes() {
    std::vector<std::string> names;
    kinds_.AnyWithNodes([&](const NodeZones& kind) {
      names.emplace_back(kind.Name(0));
      return false;
    });
    return names;
  }

  NodeKinds kinds_;
  Named& first_ = kinds_.Add(std::make_unique<Named>("first"));
  Named& second_ = kinds_.Add(std::make_unique<Named>("second"));
  ZoneAccount& last_ = kinds_.Add(std::make_unique<ZoneAccount>(Options()));
};

TEST_F(NodeKindsTest, ANodeIsOfTheFirstKindThatClaimsItElseOfTheLast) {
  EXPECT_EQ(&kinds_.Of(7), &last_) << "nobody has told of it";
  EXPECT_THAT(WithNodes(), ElementsAre("none"));
  Set(2, "second");
  Set(0, "first");
  EXPECT_EQ(&kinds_.Of(2), &second_);
  EXPECT_EQ(&kinds_.Of(1), &last_);
  EXPECT_EQ(&kinds_.Of(0), &first_);
  EXPECT_THAT(WithNodes(), ElementsAre("none", "second", "first"));
  Set(2, "first");
  EXPECT_EQ(&kinds_.Of(2), &first_);
  EXPECT_THAT(WithNodes(), ElementsAre("none", "first"));
  Set(2, "");
  Set(0, "");
  EXPECT_EQ(&kinds_.Of(2), &last_);
  EXPECT_THAT(WithNodes(), ElementsAre("none"));
}

TEST_F(NodeKindsTest, EveryKindIsToldOfEveryPod) {
  const cluster::PlacedPod pod{std::make_shared<cluster::Pod>(), 0, {}};
  Set(0, "second");
  kinds_.Place(pod);
  EXPECT_EQ(first_.pods + second_.pods, 2);
  kinds_.Leave(pod);
  EXPECT_EQ(first_.pods + second_.pods, 0);
  EXPECT_TRUE(kinds_.Recount(0, {}));
  EXPECT_EQ(first_.recounts + second_.recounts, 2) << "one that differs does not keep the others from being repaired";
}

TEST_F(NodeKindsTest, StretchesAreOfOneKindAndMarkAndNotTooLong) {
  for (NodeIndex node = 0; node < 10; ++node) Set(node, node % 5 == 4 ? "second" : "first");
  std::vector<NodeIndex> nodes = {0, 1, 4, 9, 2, 2, 3, 50};
  nodes.resize(nodes.size() + 2 * NodeKinds::kLongestStretch + 1, 60);
  struct Stretch {
    const NodeZones* kind;
    bool marked;
    size_t first, end;
    bool operator==(const Stretch&) const = default;
  };
  std::vector<Stretch> stretches;
  const auto marked = [](size_t i) { return i == 5 || i == 6; };
  kinds_.InStretches(nodes, marked, [&](const NodeZones& kind, bool mark, size_t first, size_t end) {
    stretches.push_back({&kind, mark, first, end});
  });
  const size_t longest = NodeKinds::kLongestStretch;
  EXPECT_EQ(stretches, (std::vector<Stretch>{{&first_, false, 0, 2},
                                             {&second_, false, 2, 4},
                                             {&first_, false, 4, 5},
                                             {&first_, true, 5, 7},
                                             {&last_, false, 7, 7 + longest},
                                             {&last_, false, 7 + longest, 7 + 2 * longest},
                                             {&last_, false, 7 + 2 * longest, nodes.size()}}));
  kinds_.InStretches({}, marked, [&](const NodeZones&, bool, size_t, size_t) { FAIL(); });
}

}  // namespace
}  // namespace huygens::topology
