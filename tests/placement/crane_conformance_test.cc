// crane-scheduler's own answers (pkg/plugins/noderesourcetopology, commit c2c05338), recorded by running it, against
// the whole way of a pod here: decoders, State, topology check, reservation, result text. Where crane's answer is a
// defect of its own, only a sound answer is demanded.
#include <gtest/gtest.h>

#include "placement/placement.h"
#include "tests/placement/documented.h"
#include "tests/placement/vectors.h"
#include "tests/wire/known_pod.h"
#include "wire/binding.h"
#include "wire/topology.h"

namespace huygens::placement {
namespace {

namespace json = boost::json;

constexpr std::string_view kNode = "node-under-test";
const Time kNow = Time(std::chrono::hours(24 * 365 * 50));

struct Answer {
  bool passed = false;
  std::string message;
  std::string result;  // empty: no annotation
  std::vector<ZoneShare> zones;
  double few_zones = 0;  // what the term FewestZones says; NaN = nothing
};

// crane's scheduler takes zones of any type for NUMA nodes (its agent does not), and results it remembers likewise.
// Zones of other types are skipped here; to compare all the rest they are made Node.
json::object AllOfTypeNode(json::object holder, std::string_view list) {
  if (!holder.contains(list) || !holder[list].is_array()) return holder;
  for (json::value& zone : holder[list].as_array()) zone.as_object()["type"] = "Node";
  return holder;
}

bool AnyOfOtherType(const json::object& holder, std::string_view list) { return holder != AllOfTypeNode(holder, list); }

bool Retyped(const json::object& vector) {
  if (!vector.at("nrt").is_null() && AnyOfOtherType(vector.at("nrt").as_object(), "zones")) return true;
  const json::array& assumed = vector.at("assumed").as_array();
  return std::any_of(assumed.begin(), assumed.end(),
                     [](const json::value& each) { return AnyOfOtherType(each.as_object(), "result"); });
}

bool HasAmounts(const json::object& topology) {
  const json::array& zones = topology.at("zones").as_array();
  return std::any_of(zones.begin(), zones.end(),
                     [](const json::value& zone) { return zone.as_object().contains("resources"); });
}

// Crane spares pods that any DaemonSet owns; here it has to be their controller.
json::value Controlled(json::value pod) {
  json::object& metadata = pod.as_object()["metadata"].as_object();
  if (!metadata.contains("ownerReferences") || !metadata["ownerReferences"].is_array()) return pod;
  for (json::value& owner : metadata["ownerReferences"].as_array()) {
    json::object& reference = owner.as_object();
    if (!reference.contains("kind") || reference["kind"] != "DaemonSet") continue;
    reference["apiVersion"] = "apps/v1";
    reference["controller"] = true;
  }
  return pod;
}

class Crane {
 public:
  explicit Crane(const json::object& vector) : vector_(vector) {
    Options options;
    options.topology.nodes_without_topology_pass = false;  // as crane
    options.topology.trust_unmarked_results = true;
    options.topology.managed_resources.clear();
    for (const json::value& name : vector.at("args").at("topologyAwareResources").as_array()) {
      options.topology.managed_resources.push_back(*names_.Intern(std::string_view(name.as_string())));
    }
    placement_ = std::move(*Placement::Create(std::move(options)));
    cluster::Node node;
    node.name = kNode;
    placement_->Apply(cluster::NodeSet{std::move(node)});
    if (!vector.at("nrt").is_null()) {
      topology_ =
          *wire::DecodeCraneTopology(json::serialize(AllOfTypeNode(vector.at("nrt").as_object(), "zones")), names_);
      topology_.node_name = kNode;
      placement_->Apply(cluster::TopologySet{topology_});
    }
    PlacePods();
  }

  Answer Ask() {
    auto pod = std::make_shared<cluster::Pod>(*test::DecodeKnownPod(Controlled(vector_.at("pod")), names_));
    Answer answer;
    Reason reason = placement_->Filter(*pod, {&kNode, 1}, kNow).reasons.at(0);
    answer.passed = reason == Reason::kFits;
    answer.message = policy::Text(reason);
    std::vector<TermScores> explain;
    placement_->Prioritize(*pod, {&kNode, 1}, kNow, &explain);
    answer.few_zones = explain.at(0).scores.at(0);
    auto reserved = placement_->Reserve(pod, kNode, kNow);
    EXPECT_TRUE(reserved.ok()) << reserved.status().ToString();
    if (!reserved.ok()) return answer;
    EXPECT_EQ(reserved->Accepted(), answer.passed);
    answer.zones = reserved->zones;
    if (const auto* placed = placement_->state().FindPlaced(pod->uid); placed && !placed->zones.empty()) {
      wire::AppendTopologyResult(answer.result, cluster::NameZones(placed->zones, &topology_), names_);
    }
    return answer;
  }

 private:
  void PlacePods() {
    for (const json::value& each : vector_.at("pods_on_node").as_array()) {
      auto pod = std::make_shared<cluster::Pod>(*test::DecodeKnownPod(each, names_));
      // What crane remembers of a pod whose annotation is not visible yet is a reservation here.
      const json::value* remembered = nullptr;
      for (const json::value& assumed : vector_.at("assumed").as_array()) {
        if (std::string_view(assumed.at("pod_uid").as_string()) == pod->uid) remembered = &assumed.at("result");
      }
      if (pod->topology_result.empty() && remembered) {
        json::object annotated = each.as_object();
        json::object result = AllOfTypeNode({{"result", *remembered}}, "result");
        annotated["metadata"].as_object()["annotations"] = {
            {wire::kTopologyResultAnnotation, json::serialize(result["result"])}};
        pod->topology_result = test::DecodeKnownPod(annotated, names_)->topology_result;
      }
      pod->node_name = kNode;
      placement_->Apply(cluster::PodSet{pod});
    }
  }

  const json::object& vector_;
  ResourceNames names_;
  cluster::NodeTopology topology_;
  std::unique_ptr<Placement> placement_;
};

int64_t Cpu(const Answer& answer) {
  int64_t cpu = 0;
  for (const ZoneShare& share : answer.zones) cpu += share.amount.Get(kCpu);
  return cpu;
}

std::string Text(const json::value& text) { return text.is_null() ? "" : std::string(text.as_string()); }

TEST(CraneConformance, AnswersAsCraneDoes) {
  const auto vectors = test::ReadVectors("crane.jsonl.gz");
  if (vectors.empty()) GTEST_SKIP() << "no vectors in " << test::VectorPath("crane.jsonl.gz");
  EXPECT_EQ(vectors.size(), 366u);
  size_t exact = 0, tied = 0;
  std::vector<int> sound, doubled, empty, retyped;
  for (const json::object& vector : vectors) {
    SCOPED_TRACE(Text(vector.at("id")));
    const json::object& expect = vector.at("expect").as_object();
    const int number = test::NumberOf(Text(vector.at("id")));
    if (Retyped(vector)) retyped.push_back(number);
    const int64_t requested = vector.at("derived").at("request_milli_cpu").to_number<int64_t>();
    Answer answer = Crane(vector).Ask();
    if (vector.contains("upstream_panics") || !vector.at("quirks").as_array().empty()) {
      sound.push_back(number);
      if (answer.passed) {
        EXPECT_EQ(Cpu(answer), requested);
      }
      continue;
    }
    EXPECT_EQ(answer.passed, Text(expect.at("verdict")) == "pass");
    // An object that names a zone twice, or says nothing of amounts, cannot be used here. crane counts the two apart,
    // or nothing as 0, and refuses for want of room.
    bool unusable = answer.message == policy::Text(Reason::kUnusableTopology);
    if (unusable) (HasAmounts(vector.at("nrt").as_object()) ? doubled : empty).push_back(number);
    EXPECT_EQ(unusable ? policy::Text(Reason::kInsufficientZones) : answer.message, Text(expect.at("message")));
    if (answer.passed && !answer.zones.empty()) {
      // crane's score is 100/zones; the term takes distance into account, but never so much that more zones beat fewer.
      auto count = static_cast<double>(answer.zones.size());
      EXPECT_LE(answer.few_zones, 1 / count + 1e-6);
      EXPECT_GE(answer.few_zones, 1 / (count + 1) - 1e-6);
    }
    if (const json::value* acceptable = vector.contains("acceptable") ? &vector.at("acceptable") : nullptr) {
      ++tied;
      bool found = false;
      for (const json::value& each : acceptable->as_array()) {
        found = found || (Text(each.at("result")) == answer.result &&
                          (answer.zones.empty() || each.at("score").to_number<size_t>() == 100 / answer.zones.size()));
      }
      EXPECT_TRUE(found) << answer.result;
      continue;
    }
    ++exact;
    EXPECT_EQ(answer.result, Text(expect.at("result")));
    if (answer.passed) {
      EXPECT_EQ(answer.zones.empty() ? 0 : 100 / answer.zones.size(), expect.at("score").to_number<size_t>());
    }
  }
  EXPECT_EQ(exact + tied + sound.size(), vectors.size());
  for (const std::vector<int>& special : {sound, doubled, empty, retyped}) EXPECT_TRUE(test::Documented(special));
  RecordProperty("exact", static_cast<int>(exact));
  RecordProperty("tied", static_cast<int>(tied));
  RecordProperty("sound", static_cast<int>(sound.size()));
  std::printf("crane: %zu exact, %zu of several acceptable, %zu sound where crane is not\n", exact, tied, sound.size());
}

}  // namespace
}  // namespace huygens::placement
