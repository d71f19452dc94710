// What a topology object of the community says of its node's Topology Manager, said several times, wrongly, and in the
// old place: huygens must understand what upstream's own walk over the attributes does, written down here once more.
// Source: kubernetes-sigs/scheduler-plugins, pkg/noderesourcetopology/nodeconfig/topologymanager.go
// (TopologyManagerFromNodeResourceTopology).
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <optional>
#include <random>

#include "kubelet/settings.h"
#include "scoring/community_terms.h"
#include "wire/topology.h"

namespace huygens::placement {
namespace {

namespace json = boost::json;

struct Walked {
  std::string policy = "none", scope = "container";
  int64_t max_numa_nodes = 8;
  friend bool operator==(const Walked&, const Walked&) = default;
};
void PrintTo(const Walked& walked, std::ostream* out) {
  *out << walked.policy << " " << walked.scope << " " << walked.max_numa_nodes;
}

// Go's strconv.Atoi, of 64 bits.
std::optional<int64_t> Atoi(const std::string& text) {
  const size_t sign = text.starts_with('+') || text.starts_with('-') ? 1 : 0;
  if (text.size() == sign || text.find_first_not_of("0123456789", sign) != std::string::npos) return std::nullopt;
  try {
    return std::stoll(text);
  } catch (const std::out_of_range&) {
    return std::nullopt;
  }
}

Walked Walk(const json::object& object) {
  Walked walked;
  const json::array& policies = object.at("topologyPolicies").as_array();
  const std::string deprecated = policies.empty() ? "" : std::string(policies[0].as_string());
  for (const auto& [name, policy] :
       {std::pair("SingleNUMANode", "single-numa-node"), {"Restricted", "restricted"}, {"BestEffort", "best-effort"}}) {
    for (const auto& [level, scope] : {std::pair("PodLevel", "pod"), {"ContainerLevel", "container"}}) {
      if (deprecated != std::string(name) + level) continue;
      walked.policy = policy;
      walked.scope = scope;
    }
  }
  for (const json::value& attribute : object.at("attributes").as_array()) {
    const std::string_view name = attribute.at("name").as_string();
    const std::string value(attribute.at("value").as_string());
    if (name == "topologyManagerScope" && (value == "container" || value == "pod")) walked.scope = value;
    if (name == "topologyManagerPolicy" &&
        (value == "none" || value == "best-effort" || value == "restricted" || value == "single-numa-node")) {
      walked.policy = value;
    }
    if (name != "topologyManagerMaxNUMANodes") continue;
    if (const auto count = Atoi(value); count && *count > 1) walked.max_numa_nodes = std::min<int64_t>(*count, 1024);
  }
  return walked;
}

json::object RandomObject(std::mt19937_64& random) {
  auto pick = [&](std::initializer_list<const char*> from) {
    return json::string(*(from.begin() + random() % from.size()));
  };
  json::array policies, attributes;
  for (size_t i = random() % 3; i > 0; --i) {
    policies.push_back(pick({"SingleNUMANodePodLevel", "SingleNUMANodeContainerLevel", "RestrictedPodLevel",
                             "BestEffort", "BestEffortContainerLevel", "None", "bogus", ""}));
  }
  for (size_t i = random() % 6; i > 0; --i) {
    json::object attribute;
    switch (random() % 4) {
      case 0:
        attribute = {{"name", "topologyManagerPolicy"},
                     {"value", pick({"none", "best-effort", "restricted", "single-numa-node", "bogus", "",
                                     "SingleNUMANode", "Restricted"})}};
        break;
      case 1:
        attribute = {{"name", "topologyManagerScope"}, {"value", pick({"container", "pod", "Pod", "node", ""})}};
        break;
      case 2:
        attribute = {
            {"name", "topologyManagerMaxNUMANodes"},
            {"value", pick({"abc", "0", "-1", "1", "2", "+5", "06", "16", " 7", "7.0", "", "1024", "2000", "+-3",
                            "99999999999", "-99999999999", "9223372036854775807", "9223372036854775808"})}};
        break;
      default:  // another name, however like
        attribute = {{"name", pick({"TopologyManagerPolicy", "topologyManagerPolicies", "other"})},
                     {"value", pick({"single-numa-node", "4"})}};
    }
    attributes.push_back(attribute);
  }
  return {{"metadata", {{"name", "n"}}},
          {"topologyPolicies", policies},
          {"attributes", attributes},
          {"zones", json::array()}};
}

TEST(CommunityAttributesProperty, AreUnderstoodAsUpstreamDoes) {
  std::mt19937_64 random(15);
  for (int i = 0; i < 20'000 && !testing::Test::HasFailure(); ++i) {
    const json::object object = RandomObject(random);
    const std::string text = json::serialize(object);
    SCOPED_TRACE(text);
    ResourceNames names;
    const auto topology = wire::DecodeCommunityTopology(text, names);
    ASSERT_TRUE(topology.ok());
    const kubelet::Options options = kubelet::OptionsOf(*topology, nullptr, kubelet::Defaults());
    const Walked understood{std::string(kubelet::kTopologyManagerPolicies[static_cast<size_t>(options.policy)]),
                            std::string(kubelet::kTopologyManagerScopes[static_cast<size_t>(options.scope)]),
                            scoring::MaxNumaNodes(*topology)};
    EXPECT_EQ(understood, Walk(object));
  }
}

}  // namespace
}  // namespace huygens::placement
