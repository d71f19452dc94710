// Requests recorded from kube-scheduler, and objects and results of the upstream plugins, from the folder of vectors;
// skipped where it is absent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "extender/extender_answer.h"
#include "extender/extender_args.h"
#include "tests/json/mutation.h"
#include "wire/binding.h"
#include "wire/node.h"
#include "wire/pod.h"
#include "wire/topology.h"

namespace huygens::extender {
namespace {

using testing::ElementsAre;

const std::filesystem::path kData = HUYGENS_SHARED_DATA;

class Golden : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kData)) GTEST_SKIP() << "no folder of vectors at " << kData;
  }
  static std::string Read(std::string_view name) {
    std::ifstream file(kData / "wire" / name, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    EXPECT_FALSE(text.str().empty()) << name;
    return text.str();
  }
  // Each line of a gzip-compressed file of vectors.
  static std::vector<boost::json::value> Vectors(std::string_view name) {
    std::string text;
    gzFile file = gzopen((kData / "conformance" / name).c_str(), "rb");
    EXPECT_NE(file, nullptr) << name;
    if (file == nullptr) return {};
    char buffer[65536];
    for (int length = 0; (length = gzread(file, buffer, sizeof buffer)) > 0;)
      text.append(buffer, static_cast<size_t>(length));
    gzclose(file);
    std::vector<boost::json::value> out;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) out.push_back(boost::json::parse(line));
    EXPECT_FALSE(out.empty()) << name;
    return out;
  }
  // Of `body`, from behind `before` up to `after`.
  static std::string Between(const std::string& body, std::string_view before, std::string_view after) {
    size_t begin = body.find(before) + before.size();
    return body.substr(begin, body.rfind(after) - begin);
  }
  ResourceNames names_;
};

TEST_F(Golden, FilterAndPrioritizeWithNames) {
  for (std::string_view name : {"filter-names.json", "prioritize-names.json"}) {
    std::string body = Read(name);
    auto args = DecodeExtenderArgs(body);
    ASSERT_TRUE(args.ok()) << args.status();
    EXPECT_FALSE(args->nodes.has_value());
    EXPECT_EQ(args->pod, Between(body, R"({"Pod":)", R"(,"Nodes")"));
    ASSERT_THAT(*args->node_names, ElementsAre("worker-0", "worker-1", "worker-2", "worker-3"));
    auto pod = wire::DecodePod(args->pod, names_);
    ASSERT_TRUE(pod.ok()) << pod.status();
    EXPECT_EQ(pod->Key(), "default/web-0");
    EXPECT_EQ(pod->topology_awareness, true);
    EXPECT_EQ(pod->priority, 100000);
    ASSERT_EQ(pod->init_containers.size(), 2u);
    EXPECT_TRUE(pod->init_containers[1].restartable);
    EXPECT_EQ(pod->containers.at(0).requests, ResourceVector({{kCpu, 1000}, {kMemory, int64_t{4} << 30}}));
    std::string out;
    AppendFilterNames(out, *args->node_names, {}, {});
    EXPECT_EQ(out, Concat(R"({"Nodes":null,"NodeNames":)", Between(body, R"("NodeNames":)", "}"),
                          R"(,"FailedNodes":{},"FailedAndUnresolvableNodes":{},"Error":""})"));
    out.clear();
    AppendHostPriorities(out, *args->node_names, std::vector<int64_t>(args->node_names->size(), 10));
    EXPECT_EQ(
        out,
        R"([{"Host":"worker-0","Score":10},{"Host":"worker-1","Score":10},{"Host":"worker-2","Score":10},{"Host":"worker-3","Score":10}])");
  }
}

TEST_F(Golden, FilterAndPrioritizeWithNodes) {
  for (std::string_view name : {"filter-nodes.json", "prioritize-nodes.json"}) {
    std::string body = Read(name);
    auto args = DecodeExtenderArgs(body);
    ASSERT_TRUE(args.ok()) << args.status();
    EXPECT_FALSE(args->node_names.has_value());
    ASSERT_EQ(args->nodes->items.size(), 4u);
    for (const RequestNode& item : args->nodes->items) {
      auto node = wire::DecodeNode(item.json, names_);
      ASSERT_TRUE(node.ok()) << node.status();
      EXPECT_EQ(node->name, item.name);
      EXPECT_EQ(node->allocatable.Get(kCpu), 8000);
      EXPECT_GE(node->capacity.Get(kCpu), 8000);
    }
    std::string out;
    std::vector<uint32_t> all = {0, 1, 2, 3};
    AppendFilterNodes(out, *args->nodes, all, {}, {});
    EXPECT_EQ(out, Concat(R"({"Nodes":)", Between(body, R"("Nodes":)", R"(,"NodeNames")"),
                          R"(,"NodeNames":null,"FailedNodes":{},"FailedAndUnresolvableNodes":{},"Error":""})"));
  }
}

TEST_F(Golden, PreemptGivesTheVictimsBack) {
  std::string body = Read("preempt-meta.json");
  auto args = DecodePreemptArgs(body);
  ASSERT_TRUE(args.ok()) << args.status();
  std::string out;
  AppendPreemptVictims(out, args->nodes);
  EXPECT_EQ(out, Concat("{", body.substr(body.find(R"("NodeNameToMetaVictims")"))));

  body = Read("preempt-full.json");
  args = DecodePreemptArgs(body);
  ASSERT_TRUE(args.ok()) << args.status();
  out.clear();
  AppendPreemptVictims(out, args->nodes);
  EXPECT_EQ(
      out,
      R"({"NodeNameToMetaVictims":{"worker-1":{"Pods":[{"UID":"1c889bc5-3c02-46d9-af83-5a52cc62226d"}],"NumPDBViolations":0}}})");

  body = Read("preempt-full-2.json");
  args = DecodePreemptArgs(body);
  ASSERT_TRUE(args.ok()) << args.status();
  EXPECT_GE(args->nodes.size(), 2u);
  for (const NodeVictims& node : args->nodes) {
    for (const Victim& victim : node.pods) {
      auto pod = wire::DecodePod(victim.pod, names_);
      ASSERT_TRUE(pod.ok()) << pod.status();
      EXPECT_EQ(pod->uid, victim.uid);
      EXPECT_EQ(pod->node_name, node.node);
    }
  }
}

TEST_F(Golden, Bind) {
  auto args = DecodeBindArgs(Read("bind.json"));
  ASSERT_TRUE(args.ok()) << args.status();
  EXPECT_EQ(args->pod_name, "web-0");
  EXPECT_EQ(args->pod_namespace, "default");
  EXPECT_EQ(args->pod_uid, "d5677970-b10d-44de-bd3d-f134b241994a");
  EXPECT_EQ(args->node, "worker-2");
}

TEST_F(Golden, ChangedRequestsAreAValueOrAnError) {
  size_t count = 0;
  for (std::string_view name :
       {"filter-names.json", "filter-nodes.json", "preempt-meta.json", "preempt-full-2.json", "bind.json"}) {
    Mutator(Read(name)).ForEach([&](Mutation, const std::string& text) {
      ++count;
      auto args = DecodeExtenderArgs(text);
      auto preempt = DecodePreemptArgs(text);
      auto bind = DecodeBindArgs(text);
      for (const Status& status : {args.status(), preempt.status(), bind.status()})
        EXPECT_TRUE(status.ok() || !Message(status).empty()) << text;
      if (args.ok() && !args->pod.empty()) {
        Status status = wire::DecodePod(args->pod, names_).status();
        EXPECT_TRUE(status.ok() || !Message(status).empty()) << text;
      }
    });
  }
  EXPECT_GT(count, 5000u);
}

// What crane-scheduler wrote, for the zones that it chose.
TEST_F(Golden, TopologyResultsOfCraneByteForByte) {
  size_t compared = 0;
  for (const boost::json::value& vector : Vectors("crane.jsonl.gz")) {
    const auto* result = vector.at("expect").at("result").if_string();
    if (result == nullptr || !vector.at("nrt").is_object()) continue;
    auto topology = wire::DecodeCraneTopology(boost::json::serialize(vector.at("nrt")), names_);
    ASSERT_TRUE(topology.ok()) << topology.status();
    std::vector<cluster::ZoneAmount> zones;
    bool usable = topology->defect.empty();
    for (const boost::json::value& zone : vector.at("expect").at("zones").as_array()) {
      int64_t milli = zone.at("milli_cpu").as_int64();
      auto id = cluster::ParseZoneId(zone.at("name").as_string().c_str());
      usable = usable && milli > 0 && id.has_value() &&
               std::any_of(topology->zones.begin(), topology->zones.end(),
                           [&](const cluster::Zone& known) { return known.id == *id; });
      zones.push_back({id.value_or(-1), {{kCpu, milli}}});
    }
    // Upstream also chooses zones that are not NUMA nodes, and writes amounts of a memory that it mixed up with CPU.
    if (!usable || result->find("memory") != boost::json::string::npos) continue;
    std::string out;
    wire::AppendTopologyResult(out, cluster::NameZones(zones, &*topology), names_);
    EXPECT_EQ(out, std::string_view(result->data(), result->size())) << vector.at("id");
    std::string pod = Concat(R"({"metadata":{"annotations":{"topology.crane.io/topology-result":)",
                             boost::json::serialize(vector.at("expect").at("result")), "}}}");
    std::sort(zones.begin(), zones.end(), [](const auto& a, const auto& b) { return a.zone < b.zone; });
    EXPECT_EQ(wire::DecodePod(pod, names_)->topology_result, zones) << vector.at("id");
    ++compared;
  }
  EXPECT_GT(compared, 100u);
}

TEST_F(Golden, ObjectsOfTheUpstreamTestsDecode) {
  size_t topologies = 0, pods = 0;
  auto pod = [&](const boost::json::value& value) {
    auto decoded = wire::DecodePod(boost::json::serialize(value), names_);
    EXPECT_TRUE(decoded.ok()) << decoded.status() << value;
    ++pods;
  };
  for (const boost::json::value& vector : Vectors("crane.jsonl.gz")) {
    pod(vector.at("pod"));
    for (const boost::json::value& other : vector.at("pods_on_node").as_array()) pod(other);
  }
  for (const boost::json::value& vector : Vectors("nrt_filter.jsonl.gz")) {
    pod(vector.at("pod"));
    EXPECT_TRUE(wire::DecodeNode(boost::json::serialize(vector.at("node")), names_).ok());
    if (!vector.at("nrt").is_object()) continue;
    auto topology = wire::DecodeCommunityTopology(boost::json::serialize(vector.at("nrt")), names_);
    EXPECT_TRUE(topology.ok()) << topology.status();
    ++topologies;
  }
  EXPECT_GT(topologies, 400u);
  EXPECT_GT(pods, 900u);
}

}  // namespace
}  // namespace huygens::extender
