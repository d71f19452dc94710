// What kubelet 1.36.3 did with 1500 pods, recorded by running its own managers, against the whole way of a pod here:
// decoders, State, account, check. Only what objects carry is told: per zone the figures, the cores and the memory
// group, the Node's allocatable, and the pods on the node. Which CPUs are free, and which devices are in which zones,
// nobody says; tests/kubelet/admission_conformance_test.cc does, and compares the zones as well.
#include <gtest/gtest.h>

#include "kubelet/request.h"
#include "placement/placement.h"
#include "tests/base/clock.h"
#include "tests/kubelet/predictions.h"
#include "tests/kubelet/vector_objects.h"
#include "tests/wire/known_pod.h"
#include "wire/node.h"
#include "wire/topology.h"

namespace huygens::placement {
namespace {

namespace json = boost::json;

using test::kNow;

template <typename T>
T Good(StatusOr<T> decoded) {
  EXPECT_TRUE(decoded.ok()) << decoded.status().ToString();
  return decoded.ok() ? *std::move(decoded) : T();
}

template <typename Receiver>
void Tell(Receiver& receiver, const json::object& vector, ResourceNames& names) {
  receiver.Apply(cluster::NodeSet{Good(wire::DecodeNode(json::serialize(kubelet::test::NodeObjectOf(vector)), names))});
  cluster::NodeTopology object =
      Good(wire::DecodeCommunityTopology(json::serialize(kubelet::test::TopologyObjectOf(vector)), names));
  EXPECT_EQ(object.defect, "");
  receiver.Apply(cluster::TopologySet{std::move(object)});
  for (const json::value& each : vector.at("pods").as_array()) {
    cluster::Pod pod = Good(test::DecodeKnownPod(kubelet::test::HolderOf(each.as_object()), names));
    receiver.Apply(cluster::PodSet{std::make_shared<cluster::Pod>(std::move(pod))});
  }
}

std::string Recorded(const json::object& expect) {
  if (expect.at("admitted").as_bool()) return "admitted";
  std::string container = expect.contains("failed_container") ? kubelet::test::Str(expect.at("failed_container")) : "";
  return Concat(kubelet::test::Str(expect.at("reason")), " ", kubelet::test::Str(expect.at("failed_at")), " ",
                container);
}

std::string Predicted(const kubelet::Prediction& prediction, const cluster::Pod& pod) {
  if (prediction.Admitted()) return "admitted";
  std::string container;
  if (prediction.container >= 0) {
    const auto index = static_cast<size_t>(prediction.container);
    const size_t inits = pod.init_containers.size();
    container = index < inits ? pod.init_containers[index].name : pod.containers[index - inits].name;
  }
  return Concat(kubelet::Text(prediction.admission), prediction.at_merge ? " merge " : " allocate ", container);
}

TEST(KubeletObjectsConformance, EveryOutcomeFollowsFromTheObjectsOfTheCluster) {
  constexpr char kFile[] = "kubelet_topology.jsonl.gz";
  const auto vectors = test::ReadVectors(kFile);
  if (vectors.empty()) GTEST_SKIP() << "no vectors in " << test::VectorPath(kFile);
  EXPECT_EQ(vectors.size(), 1500u);
  for (const json::object& vector : vectors) {
    SCOPED_TRACE(
        Concat("vector ", std::to_string(vector.at("id").to_number<int>()), " ", json::serialize(vector.at("tags"))));
    ResourceNames names;
    const std::string_view node = kubelet::test::kVectorNode;
    const cluster::Pod pod =
        Good(test::DecodeKnownPod(kubelet::test::PodObjectOf(vector.at("pod").as_object()), names));

    kubelet::Account account{kubelet::Defaults()};
    cluster::State state;
    state.AddAccount(account);
    Tell(state, vector, names);
    const kubelet::Request request = kubelet::RequestOf(pod);
    const NodeIndex index = *state.FindNode(node);
    ASSERT_TRUE(account.Predicts(index));
    const kubelet::Prediction prediction = account.Predict(index, request);
    EXPECT_FALSE(prediction.bounded);
    EXPECT_EQ(Predicted(prediction, pod), Recorded(vector.at("expect").as_object()));

    auto placement = std::move(*Placement::Create({}));
    Tell(*placement, vector, names);
    EXPECT_EQ(placement->Filter(pod, {&node, 1}, kNow).reasons.at(0) == Reason::kFits,
              vector.at("expect").at("admitted").as_bool());
  }
}

}  // namespace
}  // namespace huygens::placement
