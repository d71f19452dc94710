// The community plugin's own answers (scheduler-plugins, pkg/noderesourcetopology, commit 903da7df: Filter), recorded
// by running it, against the whole way of a pod here. The plugin is not kubelet: where the two differ kubelet decides
// here, and the vectors that shows in are listed with kubelet's rule.
#include <gtest/gtest.h>

#include <map>

#include "placement/placement.h"
#include "tests/base/clock.h"
#include "tests/placement/documented.h"
#include "tests/placement/vectors.h"
#include "tests/wire/known_pod.h"
#include "wire/node.h"
#include "wire/topology.h"

namespace huygens::placement {
namespace {

namespace json = boost::json;

using test::kNow;

std::string Text(const json::value& text) { return text.is_null() ? "" : std::string(text.as_string()); }

bool Passes(const json::object& vector) {
  ResourceNames names;
  auto placement = std::move(*Placement::Create({}));
  cluster::Node node = *wire::DecodeNode(json::serialize(vector.at("node")), names);
  const std::string name = node.name;
  placement->Apply(cluster::NodeSet{std::move(node)});
  const bool fresh = vector.at("nrt_fresh").as_bool();
  cluster::NodeTopology topology;
  if (!vector.at("nrt").is_null()) {
    topology = *wire::DecodeCommunityTopology(json::serialize(vector.at("nrt")), names);
  }
  topology.source = cluster::TopologySource::kCommunity;
  topology.node_name = name;
  // The plugin's cache calls data stale that it cannot rely on.
  if (!fresh) topology.defect = "stale";
  if (!fresh || !vector.at("nrt").is_null()) placement->Apply(cluster::TopologySet{std::move(topology)});
  cluster::Pod pod = *test::DecodeKnownPod(vector.at("pod"), names);
  // The API server takes no extended resource whose limit is not its request; some vectors leave the limit out.
  for (auto* containers : {&pod.init_containers, &pod.containers}) {
    for (cluster::Container& container : *containers) {
      for (const auto& [resource, amount] : container.requests) {
        if (resource > kLastHugepages) container.limits.Set(resource, amount);
      }
    }
  }
  const std::string_view asked = name;
  return placement->Filter(pod, {&asked, 1}, kNow).reasons.at(0) == Reason::kFits;
}

struct Difference {
  std::string_view rule;  // kubelet's
  bool admits;            // kubelet, and so we do; the plugin does the opposite
  std::vector<int> vectors;
};
const std::vector<Difference> kDifferences = {
    {"Under every policy a manager that cannot allocate refuses the pod; the plugin looks at single-numa-node only.",
     false,
     {240, 326, 458, 480, 482, 524, 610, 614, 634, 666, 702, 726, 760, 762, 780, 822, 828, 890, 914, 986, 1056}},
    {"Policy restricted refuses what has no common preferred affinity; the plugin does not look at it.",
     false,
     {96, 218, 788, 812, 892, 1020}},
    {"CPUs that an init container leaves unused stay with the pod and bind later containers to their zones.",
     false,
     {66, 318, 496, 646, 720}},
    {"A sidecar's CPUs and memory stay with it; the plugin forgets them.", false, {464, 512, 850, 862, 882, 1064}},
    {"kubelet's zones have numbers, each its own: an object with two of one number describes no machine. The plugin "
     "takes "
     "either of the two.",
     false,
     {772, 796, 806, 1022}},
    {"kubelet's bit masks hold the zones 0 to 63.", false, {1058}},
    {"Only Guaranteed pods get CPUs, memory and hugepages of their own, whether or not zones list them.",
     true,
     {80, 94, 124, 130, 134, 192, 276, 372, 534, 644, 698, 708, 712, 804, 834, 908, 930, 968, 1010}},
    {"A container with a fraction of a CPU runs in the shared pool.",
     true,
     {92, 242, 522, 578, 608, 612, 784, 800, 912, 936}},
    {"Pods with pod-level resources run in the shared pool.", true, {270, 340, 344, 376, 786, 904}},
    {"Pod overhead is not pinned.", true, {84}},
    {"podresources lists no CPUs (memory) where the CPU (memory) manager does not pin.",
     true,
     {140, 188, 232, 310, 358, 374, 388, 420, 456, 486, 562, 576, 654, 672, 736, 744, 840, 870, 942, 1040}},
    {"kubelet aligns CPUs, memory, hugepages and devices of plugins, no other resource.", true, {72, 78, 808}},
    {"kubelet passes over extended resources that its node does not have: they may be those of the cluster.",
     true,
     {314, 378, 440, 446, 626, 632, 818, 874, 878, 1060}},
};

TEST(NrtFilterConformance, AnswersAsTheCommunityPluginUnlessKubeletDiffers) {
  const auto vectors = test::ReadVectors("nrt_filter.jsonl.gz");
  if (vectors.empty()) GTEST_SKIP() << "no vectors in " << test::VectorPath("nrt_filter.jsonl.gz");
  EXPECT_EQ(vectors.size(), 547u);
  std::map<std::string, const Difference*> differs;
  for (const Difference& difference : kDifferences) {
    for (int number : difference.vectors) {
      const std::string digits = std::to_string(number);
      differs["nrt-filter-" + std::string(5 - digits.size(), '0') + digits] = &difference;
    }
  }
  std::vector<int> panicking, stale;
  size_t same = 0, different = 0;
  for (const json::object& vector : vectors) {
    const std::string id = Text(vector.at("id"));
    SCOPED_TRACE(id);
    const std::string verdict = Text(vector.at("expect").at("verdict"));
    const bool passed = Passes(vector);
    if (!vector.at("nrt_fresh").as_bool()) stale.push_back(test::NumberOf(id));
    if (verdict == "panic") {
      panicking.push_back(test::NumberOf(id));
    } else if (auto found = differs.find(id); found != differs.end()) {
      ++different;
      EXPECT_EQ(passed, found->second->admits) << found->second->rule;
      EXPECT_NE(passed, verdict == "pass") << "no difference any more";
    } else {
      ++same;
      EXPECT_EQ(passed, verdict == "pass");
    }
  }
  EXPECT_EQ(different, differs.size());
  for (const Difference& each : kDifferences) EXPECT_TRUE(test::Documented(each.vectors)) << each.rule;
  EXPECT_TRUE(test::Documented(panicking));
  EXPECT_TRUE(test::Documented(stale));
  std::printf("nrt_filter: %zu as the plugin, %zu as kubelet, %zu on which the plugin panics\n", same, different,
              panicking.size());
}

}  // namespace
}  // namespace huygens::placement
