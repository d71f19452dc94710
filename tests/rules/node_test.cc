// Nodes whose allocatable is over-sold, over the writes of a kubelet.
#include <gtest/gtest.h>

#include "tests/rules/writes.h"

namespace huygens::rules {
namespace {

constexpr std::string_view kNode = R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n0","labels":{"pool":"a"}},
  "spec":{},"status":{"allocatable":{"cpu":"64","memory":"256Gi","pods":"250"},"capacity":{"cpu":"64"}}})";

// A node as it is stored; whoever writes it is asked about.
class Stored {
 public:
  explicit Stored(std::vector<std::string> rules) : rules_(std::move(rules)) { Put(kNode, "", Operation::kCreate); }

  void SetRules(std::vector<std::string> rules) { rules_ = std::move(rules); }
  // A status with this amount of CPUs; all else as it is stored.
  std::string WriteStatus(std::string_view cpu) {
    boost::json::value node = node_;
    node.at("status").at("allocatable").as_object()["cpu"] = boost::json::string_view(cpu.data(), cpu.size());
    Put(boost::json::serialize(node), "status", Operation::kUpdate);
    return cpu_now();
  }
  std::string Heartbeat() {
    Put(boost::json::serialize(node_), "status", Operation::kUpdate);
    return cpu_now();
  }
  void WriteNode(const boost::json::value& node) { Put(boost::json::serialize(node), "", Operation::kUpdate); }

  boost::json::value node() const { return node_; }
  std::string cpu_now() const { return At(node_, "/status/allocatable/cpu"); }

 private:
  void Put(std::string_view node, std::string_view subresource, Operation operation) {
    const std::string old = boost::json::serialize(node_);
    const ObjectWrite write{.operation = operation,
                            .group = "",
                            .kind = "Node",
                            .subresource = subresource,
                            .namespace_name = {},
                            .object = node,
                            .old_object = operation == Operation::kUpdate ? std::string_view(old) : std::string_view()};
    node_ = WriteWith(write, Rules(rules_)).object;
  }

  std::vector<std::string> rules_;
  boost::json::value node_;
};

const std::string kOversell = NodeRule("oversell", R"({"allocatable":{"cpu":{"factor":1.5}}})");

TEST(OversoldNode, DoesNotGrowWithHeartbeats) {
  Stored node({kOversell});
  EXPECT_EQ(node.cpu_now(), "96");
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(node.Heartbeat(), "96");
}

TEST(OversoldNode, FollowsWhatKubeletSays) {
  Stored node({kOversell});
  EXPECT_EQ(node.WriteStatus("63"), "94500m");
  EXPECT_EQ(node.Heartbeat(), "94500m");
  // Whoever writes back what he read changes nothing, however he writes it.
  EXPECT_EQ(node.WriteStatus("94500m"), "94500m");
  EXPECT_EQ(node.WriteStatus("94.5"), "94500m");
  EXPECT_EQ(node.WriteStatus("64"), "96");
}

TEST(OversoldNode, FollowsTheRule) {
  Stored node({kOversell});
  node.SetRules({NodeRule("oversell", R"({"allocatable":{"cpu":{"factor":2,"max":"100"}}})")});
  EXPECT_EQ(node.Heartbeat(), "100");
  node.SetRules({});
  EXPECT_EQ(node.Heartbeat(), "64");
  EXPECT_EQ(At(node.node(), "/metadata/annotations/rules.huygens.dev~1before"), "");
  EXPECT_EQ(At(node.node(), "/metadata/annotations/rules.huygens.dev~1applied"), "");
}

TEST(OversoldNode, RemembersThoughTheAnnotationsAreOverwritten) {
  Stored node({kOversell});
  boost::json::value without = node.node();
  without.at("metadata").as_object().erase("annotations");
  node.WriteNode(without);
  EXPECT_EQ(node.Heartbeat(), "96");
  node.WriteNode(without);
  EXPECT_EQ(node.WriteStatus("96"), "96");
  EXPECT_EQ(node.WriteStatus("60"), "90");
}

TEST(OversoldNode, IsLeftWhereItSaysSo) {
  Stored node({kOversell});
  boost::json::value skipping = node.node();
  skipping.at("metadata").at("annotations").as_object()["rules.huygens.dev/skip"] = "true";
  node.WriteNode(skipping);
  EXPECT_EQ(node.Heartbeat(), "64");
}

TEST(OversoldNode, HasWholeAmountsAndNoneThatItDidNotHave) {
  Stored node({NodeRule("oversell", R"({"allocatable":{"pods":{"factor":1.003},"memory":{"factor":1.1},
                                         "nvidia.com/gpu":{"factor":2}}})")});
  EXPECT_EQ(At(node.node(), "/status/allocatable/pods"), "250");
  // 256 GiB times 1.1 is 302365697638.4 bytes.
  EXPECT_EQ(At(node.node(), "/status/allocatable/memory"), "302365697638");
  EXPECT_EQ(At(node.node(), "/status/allocatable/nvidia.com~1gpu"), "");
}

TEST(LabelledNode, GivesBackWhatARuleSetWhenTheRuleGoes) {
  const std::string rule = NodeRule(
      "pool", R"({"labels":{"pool":"b","zone":"z"},"taints":[{"key":"pool","value":"b","effect":"NoSchedule"}]})",
      R"(,"onConflict":"override")");
  Stored node({rule});
  EXPECT_EQ(At(node.node(), "/metadata/labels/pool"), "b");
  EXPECT_EQ(At(node.node(), "/spec/taints/0/value"), "b");
  // What somebody else sets afterwards is his.
  boost::json::value relabelled = node.node();
  relabelled.at("metadata").at("labels").as_object()["zone"] = "mine";
  node.SetRules({});
  node.WriteNode(relabelled);
  EXPECT_EQ(At(node.node(), "/metadata/labels/pool"), "a");
  EXPECT_EQ(At(node.node(), "/metadata/labels/zone"), "mine");
  EXPECT_EQ(At(node.node(), "/spec/taints/0"), "");
}

}  // namespace
}  // namespace huygens::rules
