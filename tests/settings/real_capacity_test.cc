#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "settings/real_capacity_options.h"
#include "settings/yaml.h"
#include "tests/settings/text.h"

namespace huygens::settings {
namespace {

using testing::HasSubstr;

// A controller with this section.
std::string Section(std::string_view text) { return Concat("\ncontroller:\n  realCapacity:\n", text); }

constexpr char kShipped[] = R"(    mode: enforce
    objects: both
    interval: 10s
    period: 30s
    refresh: 1m
    writesPerSecond: 50
    withoutListMap: carryOver
    takeOver: true
    prometheus: {url: "http://prometheus:9090", timeout: 5s}
    queries:
    - {name: busy, query: 'sum by (node, zone) (busy)'}
    - {name: watts, url: 'http://racks/power?all', nodeLabel: host, zoneLabel: "", caFile: ca}
    attributes:
    - {name: offline_capacity, formula: 'max(0, allocatable - busy * 1.1)', step: 250m, maxRise: 4, maxFall: 0.5, vanishedAfter: 2}
    - {name: power_watts, formula: watts / 2, unit: number, atMost: 10000}
)";

TEST(RealCapacity, IsOffUnlessSomebodyAsks) {
  EXPECT_EQ(Good("").controller.real_capacity.mode, RealCapacityMode::kOff);
}

TEST(RealCapacity, EveryFieldIsUnderstood) {
  const RealCapacityFacts facts = Good(Section(kShipped)).controller.real_capacity;
  EXPECT_EQ(facts.mode, RealCapacityMode::kEnforce);
  EXPECT_EQ(facts.objects, ZoneObjects::kBoth);
  EXPECT_EQ(facts.without_list_map, WithoutListMap::kCarryOver);
  EXPECT_TRUE(facts.take_over);
  EXPECT_EQ(facts.queries.at(1).node_label, "host");
  EXPECT_EQ(facts.queries.at(1).zone_label, "");
  const real_capacity::Rules rules = RealCapacityRules(facts);
  EXPECT_EQ(rules.period, std::chrono::seconds(30));
  ASSERT_EQ(rules.attributes.size(), 2u);
  EXPECT_EQ(rules.attributes[0].step, 250);
  EXPECT_EQ(rules.attributes[0].rise, 4000);
  EXPECT_EQ(rules.attributes[0].fall, 500);
  EXPECT_FALSE(rules.attributes[0].most);
  EXPECT_EQ(rules.attributes[0].vanished_after, 2u);
  EXPECT_EQ(rules.attributes[0].formula.Evaluate(std::vector<double>{8, 10, 5, 0}).value(), 8 - 5 * 1.1);
  EXPECT_EQ(rules.attributes[1].unit, real_capacity::Unit::kNumber);
  EXPECT_EQ(rules.attributes[1].most, 10'000'000);
}

TEST(RealCapacity, IsReadAsItIsPrinted) {
  const Configuration c = Good(Section(kShipped));
  const auto again = Parse(ToYaml(c));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(ToYaml(*again), ToYaml(c));
}

// What is said of the shipped section with one thing in it replaced.
std::string FaultOf(std::string_view what, std::string_view by) {
  std::string text = kShipped;
  const size_t at = text.find(what);
  EXPECT_NE(at, text.npos) << what;
  text.replace(at, what.size(), by);
  return std::string(Message(Parse(kHead + Section(text)).status()));
}

TEST(RealCapacity, SaysWhatContradictsItself) {
  const std::string at = "controller.realCapacity.";
  EXPECT_THAT(FaultOf("busy * 1.1", "bussy * 1.1"),
              HasSubstr(at + "attributes[0].formula: character 22: there is no name bussy; did you mean busy?"));
  EXPECT_THAT(FaultOf("watts / 2", "capacity / 2"),
              HasSubstr("attributes[1].formula: names no query, so it is no fact"));
  EXPECT_THAT(FaultOf("name: busy", "name: 1busy"), HasSubstr("queries[0].name: must be letters, digits and _"));
  EXPECT_THAT(FaultOf("name: busy", "name: capacity"), HasSubstr("is what formulas call the zone's own CPUs"));
  EXPECT_THAT(FaultOf("name: watts", "name: busy"), HasSubstr("queries[1].name: busy is listed twice"));
  EXPECT_THAT(FaultOf("url: 'http://racks", "query: up, url: 'http://racks"),
              HasSubstr("exactly one of query and url, not both"));
  EXPECT_THAT(FaultOf("query: 'sum by (node, zone) (busy)'", "zoneLabel: zone"),
              HasSubstr("exactly one of query and url, not none"));
  EXPECT_THAT(FaultOf("    prometheus: {url: \"http://prometheus:9090\", timeout: 5s}\n", ""),
              HasSubstr("queries[0].query: is asked of Prometheus: needs controller.realCapacity.prometheus"));
  EXPECT_THAT(FaultOf("url: \"http://prometheus:9090\"", "username: a"),
              HasSubstr(at + "prometheus.username: needs passwordFile"));
  EXPECT_THAT(FaultOf("query: 'sum by (node, zone) (busy)'", "query: up, caFile: ca"),
              HasSubstr("queries[0].caFile: is for url"));
  EXPECT_THAT(FaultOf("nodeLabel: host, zoneLabel: \"\"", "nodeLabel: zone"),
              HasSubstr("zoneLabel: must differ from nodeLabel"));
  EXPECT_THAT(FaultOf("name: power_watts", "name: offline_capacity_updated"), HasSubstr("must not end with _updated"));
  EXPECT_THAT(FaultOf("name: power_watts", "name: memoryGroup"), HasSubstr("belongs to who publishes the machine"));
  EXPECT_THAT(FaultOf("name: power_watts", "name: offline_capacity"), HasSubstr("offline_capacity is listed twice"));
  EXPECT_THAT(FaultOf("step: 250m", "unit: number"), HasSubstr("attributes[0].unit: offline_capacity is in cpu"));
  EXPECT_THAT(FaultOf("maxRise: 4", "maxRise: 0"), HasSubstr("maxRise: must be above 0, or absent"));
  EXPECT_THAT(FaultOf("step: 250m", "step: lots"), HasSubstr("not an amount"));
  EXPECT_THAT(FaultOf("refresh: 1m", "refresh: 20s"), HasSubstr(at + "refresh: must be at least period (30s), or 0s"));
}

}  // namespace
}  // namespace huygens::settings
