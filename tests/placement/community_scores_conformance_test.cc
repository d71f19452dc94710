// The community's scheduler plugin (kubernetes-sigs/scheduler-plugins, pkg/noderesourcetopology, Score), recorded by
// running it: the same objects must get the same numbers from the terms.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "base/quantity.h"
#include "kubelet/published.h"
#include "scoring/community_terms.h"
#include "scoring/registry.h"
#include "tests/placement/documented.h"
#include "tests/placement/vectors.h"
#include "tests/policy/sources.h"
#include "tests/wire/known_pod.h"
#include "topology/mask_search.h"
#include "wire/node.h"
#include "wire/topology.h"

namespace huygens::scoring {
namespace {

namespace json = boost::json;

// Where huygens answers otherwise, and on purpose.
const std::map<std::string, std::string> kDeviations = {
    // Upstream's quirk: it counts both zones of one number. Such an object describes no machine; its node gets 0.
    {"nrt-score-00058", "two zones of one number"}, {"nrt-score-00232", "two zones of one number"},
    {"nrt-score-00248", "two zones of one number"}, {"nrt-score-00308", "two zones of one number"},
    {"nrt-score-00638", "two zones of one number"}, {"nrt-score-00726", "two zones of one number"},
    {"nrt-score-00848", "two zones of one number"},
};

bool Flag(const json::object& of, const char* name) { return of.contains(name) && of.at(name).as_bool(); }
std::string Text(const json::value& value) { return std::string(value.as_string()); }

class CommunityScores : public testing::Test {
 protected:
  void SetUp() override {
    vectors_ = test::ReadVectors("nrt_score.jsonl.gz");
    if (vectors_.empty()) GTEST_SKIP() << "no vectors in " << test::VectorPath("nrt_score.jsonl.gz");
  }

  template <typename Check>
  size_t ForEach(std::string_view kind, Check check) {
    size_t count = 0;
    for (const json::object& vector : vectors_) {
      if (Text(vector.at("kind")) != kind) continue;
      SCOPED_TRACE(Text(vector.at("id")));
      check(vector);
      ++count;
    }
    return count;
  }

  template <typename Decoded>
  Decoded Good(StatusOr<Decoded> decoded) {
    EXPECT_TRUE(decoded.ok()) << decoded.status();
    return decoded.ok() ? *std::move(decoded) : Decoded();
  }

  std::unique_ptr<Term> Make(const json::object& strategy) {
    ResourceVector weights;
    for (const json::value& each : strategy.at("resources").as_array()) {
      auto weight = each.at("weight").to_number<int64_t>();  // below 1: as if it were absent
      if (weight >= 1) weights.Set(*names_.Intern(Text(each.at("name"))), weight);
    }
    const TermEntry* entry = FindTerm(Text(strategy.at("type")));
    return entry->make({sources_.For(entry->needs), weights});
  }

  // What the term says of one node, times 100.
  double Score(const json::object& vector, const json::object& on) {
    const cluster::Pod pod = Good(test::DecodeKnownPod(vector.at("pod"), names_));
    const cluster::Node node = Good(wire::DecodeNode(json::serialize(on.at("node")), names_));
    cluster::State state;
    state.AddAccount(kinds_.all);
    state.Apply(cluster::NodeSet{node});
    if (!on.at("nrt").is_null()) {
      state.Apply(cluster::TopologySet{Good(wire::DecodeCommunityTopology(json::serialize(on.at("nrt")), names_))});
    }
    const NodeIndex index = *state.FindNode(node.name);
    float score = kNoOpinion;
    Make(vector.at("args").at("scoringStrategy").as_object())
        ->Ask(PodQuery(pod, Time()), state, std::span(&index, 1), std::span(&score, 1));
    state.Apply(cluster::TopologyGone{cluster::TopologySource::kCommunity, node.name});
    state.Apply(cluster::NodeGone{node.name});
    return score * 100.0;
  }

  cluster::NodeTopology Topology(const json::value& zones) {
    return Good(wire::DecodeCommunityTopology(
        json::serialize(json::object{{"metadata", {{"name", "n"}}}, {"zones", zones}}), names_));
  }
  CommunityZones Zones(const cluster::NodeTopology& topology, std::span<const ResourceId> resources) {
    machine_ = kubelet::PublishedMachine(topology, {});
    CommunityZones zones;
    zones.Fill(topology, machine_, machine_, resources);
    return zones;
  }

  std::vector<json::object> vectors_;
  ResourceNames names_;
  kubelet::Machine machine_;  // that zones refer to
  policy::test::SourcesOfAll sources_;
  kubelet::test::NodeKinds& kinds_ = sources_.kinds;
};

TEST_F(CommunityScores, AreUpstreams) {
  size_t equal = 0;
  std::set<std::string> deviations;
  std::map<std::string, std::set<int>> incomparable;  // by why
  ForEach("score", [&](const json::object& vector) {
    for (const json::value& each : vector.at("nodes").as_array()) {
      const json::object& on = each.as_object();
      const double score = Score(vector, on);
      EXPECT_GE(score, 0);
      EXPECT_LE(score, 100.0001);
      const int number = test::NumberOf(Text(vector.at("id")));
      bool comparable = true;
      for (const char* failure : {"upstream_panics", "upstream_nan", "outside_0_100"}) {
        if (!Flag(on, failure)) continue;
        incomparable[failure].insert(number);
        comparable = false;
      }
      // huygens' account always knows what was bound since, so no object is ever stale.
      if (!Flag(on, "nrt_fresh")) {
        incomparable["stale"].insert(number);
        comparable = false;
      }
      if (!comparable) continue;
      const auto upstream = on.at("expect").at("score").to_number<double>();
      if (std::abs(upstream - score) < 0.001) {
        ++equal;
      } else if (kDeviations.contains(Text(vector.at("id")))) {
        deviations.insert(Text(vector.at("id")));
      } else {
        ADD_FAILURE() << score << ", upstream " << upstream;
      }
    }
  });
  std::printf("community scores: %zu equal, %zu deviate on purpose\n", equal, deviations.size());
  EXPECT_EQ(deviations.size(), kDeviations.size()) << "a deviation that is none any more";
  EXPECT_GT(equal, 400u);
  EXPECT_EQ(incomparable.size(), 4u);
  for (const auto& [why, numbers] : incomparable) {
    EXPECT_TRUE(test::Documented({numbers.begin(), numbers.end()})) << why;
  }
  std::vector<int> numbers;
  for (const std::string& id : deviations) numbers.push_back(test::NumberOf(id));
  EXPECT_TRUE(test::Documented(numbers));
}

TEST_F(CommunityScores, ZonesNeededAreUpstreams) {
  size_t count = ForEach("least_numa_required", [&](const json::object& vector) {
    const json::object pod = {
        {"spec", {{"containers", {{{"name", "c"}, {"resources", {{"requests", vector.at("requests")}}}}}}}},
        {"status", {{"qosClass", vector.at("qos")}}}};
    const CommunityPod view = CommunityPodOf(Good(test::DecodeKnownPod(pod, names_)));
    const cluster::NodeTopology topology = Topology(vector.at("zones"));
    const CommunityZones zones = Zones(topology, view.resources);
    auto need = NumaSearch(zones).Need(view.pod);
    const json::object& expect = vector.at("expect").as_object();
    ASSERT_EQ(need.has_value(), Flag(expect, "fits"));
    if (!need) return;
    std::vector<int64_t> ids, expected;
    for (size_t zone : topology::ZonesIn{need->zones}) ids.push_back(topology.zones[zone].id);
    for (const json::value& id : expect.at("numa_ids").as_array()) expected.push_back(id.to_number<int64_t>());
    EXPECT_EQ(ids, expected);
    EXPECT_EQ(need->nearest, Flag(expect, "min_distance"));
  });
  EXPECT_EQ(count, 65u);
}

TEST_F(CommunityScores, ScoresOfNumbersAndDistancesAreUpstreams) {
  size_t count = ForEach("normalize_score", [&](const json::object& vector) {
    EXPECT_EQ(LeastNumaStep(vector.at("numa_count").to_number<int>(), Flag(vector, "min_distance"),
                            vector.at("max_numa_nodes").to_number<int>()),
              vector.at("expect").at("score").to_number<int>());
  });
  count += ForEach("min_distance", [&](const json::object& vector) {
    const CommunityZones zones = Zones(Topology(vector.at("zones")), {});
    double least = 255;
    for (const json::value& combination : vector.at("combinations").as_array()) {
      topology::ZoneMask mask = 0;
      for (const json::value& position : combination.as_array())
        mask |= topology::ZoneBit(position.to_number<size_t>());
      const auto sum = static_cast<double>(topology::DistanceWithin(zones.Distance(), zones.size(), mask));
      least = std::min(least, sum / std::pow(topology::CountZones(mask), 2));
    }
    EXPECT_NEAR(least, vector.at("expect").at("distance").to_number<double>(), 1e-5);
  });
  EXPECT_EQ(count, 5u);
}

}  // namespace
}  // namespace huygens::scoring
