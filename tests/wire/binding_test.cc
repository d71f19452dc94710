#include "wire/binding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "json/append.h"
#include "json/reader.h"
#include "tests/wire/samples.h"
#include "wire/event_object.h"
#include "wire/lease.h"
#include "wire/object_meta.h"
#include "wire/pod.h"
#include "wire/topology.h"

namespace huygens::wire {
namespace {

using cluster::ZoneAmount;

Time At(std::string_view text) { return ParseRfc3339(text).value(); }

TEST(Binding, IsTheObjectOfTheBindingSubresource) {
  std::vector<std::pair<std::string_view, std::string_view>> annotations = {{"a", "1"}, {"b", "\"x\""}};
  std::string out;
  AppendBinding(
      out,
      {.pod_name = "web-0", .namespace_name = "shop", .pod_uid = "u", .node = "worker-2", .annotations = annotations});
  EXPECT_EQ(
      out,
      R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":"web-0","namespace":"shop","uid":"u","annotations":{"a":"1","b":"\"x\""}},)"
      R"("target":{"kind":"Node","name":"worker-2"}})");
  out.clear();
  AppendBinding(out, {.pod_name = "p", .namespace_name = "n", .pod_uid = "", .node = "w", .annotations = {}});
  EXPECT_EQ(
      out,
      R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":"p","namespace":"n"},"target":{"kind":"Node","name":"w"}})");
  EXPECT_TRUE(JsonReader::Open(out).ok());
}

class ResultTest : public testing::Test {
 protected:
  ResultTest() : topology_(DecodeCraneTopology(samples::kCraneTopology, names_).value()) {}
  std::string Result(const std::vector<ZoneAmount>& zones) {
    std::string out;
    AppendTopologyResult(out, cluster::NameZones(zones, &topology_), names_);
    return out;
  }
  // A pod with both annotations.
  static std::string PodWith(std::string_view result, std::string_view placement) {
    std::string pod = R"({"metadata":{"annotations":{"topology.crane.io/topology-result":)";
    AppendJsonString(pod, result);
    pod += R"(,"huygens.dev/placement":)";
    AppendJsonString(pod, placement);
    return pod + "}}}";
  }
  ResourceNames names_;
  cluster::NodeTopology topology_;
};

TEST_F(ResultTest, IsCranesTextWithZonesOrderedAsText) {
  EXPECT_EQ(
      Result({{2, {{kCpu, 2000}}}, {10, {{kCpu, 1500}}}}),
      R"([{"name":"node10","type":"Node","resources":{"capacity":{"cpu":"1500m"}}},{"name":"node2","type":"Node","resources":{"capacity":{"cpu":"2"}}}])");
  EXPECT_EQ(Result({}), "[]");
}

TEST_F(ResultTest, AmountsAreCanonicalOrderedByNameAndZerosLeftOut) {
  ResourceId gpu = names_.Intern("example.com/gpu").value(), huge = names_.Intern("hugepages-2Mi").value();
  EXPECT_EQ(
      Result({{2, {{kCpu, 0}, {kMemory, int64_t{3} << 30}, {gpu, 2000}, {huge, 4 << 20}}}, {10, {{kCpu, 0}}}}),
      R"([{"name":"node2","type":"Node","resources":{"capacity":{"example.com/gpu":"2k","hugepages-2Mi":"4Mi","memory":"3Gi"}}}])");
}

TEST_F(ResultTest, AZoneTheTopologyDoesNotKnowHasCranesName) {
  EXPECT_EQ(Result({{5, {{kCpu, 1000}}}}), R"([{"name":"node5","type":"Node","resources":{"capacity":{"cpu":"1"}}}])");
}

TEST_F(ResultTest, BothAnnotationsAreReadBackFromThePod) {
  std::vector<ZoneAmount> zones = {{2, {{kCpu, 2000}, {kMemory, 5 << 20}}}, {10, {{kCpu, 1001}}}};
  const std::vector<cluster::ZoneShare> named = {{"node2", 2, zones[0].amount}, {"node10", 10, zones[1].amount}};
  std::string placement;
  AppendPlacementAnnotation(
      placement, {.uid = "u", .node = "worker-0", .zones = named, .by = "huygens-0", .at = At("2026-11-21T11:36:17Z")},
      names_);
  EXPECT_EQ(
      placement,
      R"({"uid":"u","node":"worker-0","zones":[{"name":"node2","cpu":"2","memory":"5Mi"},{"name":"node10","cpu":"1001m"}],)"
      R"("by":"huygens-0","at":"2026-11-21T11:36:17Z"})");
  auto decoded = DecodePod(PodWith(Result(zones), placement), names_);
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  ASSERT_TRUE(decoded->placement_mark.has_value());
  EXPECT_EQ(decoded->placement_mark->uid, "u");
  EXPECT_EQ(decoded->placement_mark->node, "worker-0");
  EXPECT_EQ(decoded->placement_mark->zones, zones);
  EXPECT_TRUE(decoded->topology_result.empty());  // says nothing that the other does not

  const std::vector<ZoneAmount> others = {{2, {{kCpu, 1000}}}};
  decoded = DecodePod(PodWith(Result(others), placement), names_);
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->topology_result, others);
  EXPECT_EQ(decoded->placement_mark->zones, zones);
}

TEST_F(ResultTest, TheGroupThatAPodIsBoundWithIsReadBack) {
  const cluster::QuotaLabels labels{"team-a", "A4", "", "DDR5"};
  using Zones = std::optional<std::span<const cluster::ZoneShare>>;
  const Zones none, empty = Zones::value_type();
  const auto written = [&](const cluster::QuotaLabels& quota, const Zones& zones) {
    std::string text;
    AppendPlacementAnnotation(text, {.uid = "u", .node = "n", .quota = &quota, .zones = zones, .by = "h", .at = Time()},
                              names_);
    return text;
  };
  const auto read = [&](const std::string& text) {
    auto pod = DecodePod(PodWith("[]", text), names_);
    EXPECT_TRUE(pod.ok() && pod->placement_mark) << text;
    return *pod->placement_mark;
  };
  const std::string of_group = written(labels, none);
  EXPECT_EQ(of_group, R"({"uid":"u","node":"n","group":"team-a","models":{"cpu":"A4","memory":"DDR5"},"by":"h",)"
                      R"("at":"1970-01-01T00:00:00Z"})");
  EXPECT_EQ(*read(of_group).quota, labels);
  EXPECT_FALSE(read(of_group).of_zones);
  EXPECT_TRUE(read(written(labels, empty)).of_zones);
  EXPECT_EQ(*read(written(labels, empty)).quota, labels);
  EXPECT_EQ(*read(written({"b", "", "", ""}, none)).quota, (cluster::QuotaLabels{"b", "", "", ""}));
  EXPECT_EQ(read(written({}, empty)).quota, nullptr);
  EXPECT_FALSE(read(R"({"uid":"u","node":"n"})").of_zones);
  // Who writes such a mark is not the API server's word on labels.
  for (const std::string& text :
       {std::string(64, 'a'), std::string("a b"), std::string("-a"), std::string("a."), std::string("\u00e4")}) {
    EXPECT_EQ(read(written({text, "", "", ""}, none)).quota, nullptr) << text;
    EXPECT_EQ(read(written({"team", "", text, ""}, none)).quota, nullptr) << text;
  }
  EXPECT_NE(read(written({std::string(63, 'a'), "A_4.b-c", "", ""}, none)).quota, nullptr);
}

TEST(Lease, IsReadAndWrittenByteForByte) {
  auto lease = DecodeLease(samples::kLease);
  ASSERT_TRUE(lease.ok()) << lease.status();
  EXPECT_EQ(lease->name, "huygens-bind");
  EXPECT_EQ(lease->holder, "host-1");
  EXPECT_EQ(lease->duration_seconds, 10);
  EXPECT_EQ(lease->acquired, At("2026-11-21T11:36:17.000001Z"));
  EXPECT_EQ(lease->renewed, At("2026-11-21T11:36:20.5Z"));
  EXPECT_EQ(lease->transitions, 3);
  EXPECT_EQ(lease->resource_version, "77");
  std::string out;
  AppendLease(out, *lease);
  EXPECT_EQ(out, samples::kLease);
}

TEST(Lease, WhoWaitsIsAnAnnotation) {
  auto lease =
      DecodeLease(R"({"metadata":{"name":"l","annotations":{"other":"x","huygens.dev/waiting":"host-2"}},"spec":{}})");
  ASSERT_TRUE(lease.ok()) << lease.status();
  EXPECT_EQ(lease->waiting, "host-2");
  std::string out;
  AppendLease(out, *lease);
  EXPECT_NE(out.find(R"("metadata":{"name":"l","annotations":{"huygens.dev/waiting":"host-2"}},"spec":{)"), out.npos)
      << out;
  lease = DecodeLease(R"({"metadata":{"name":"l","annotations":null},"spec":{}})");
  ASSERT_TRUE(lease.ok()) << lease.status();
  EXPECT_EQ(lease->waiting, "");
}

TEST(Lease, AFreeLeaseHasNeitherHolderNorTimes) {
  auto lease =
      DecodeLease(R"({"metadata":{"name":"l"},"spec":{"holderIdentity":null,"acquireTime":null,"renewTime":null}})");
  ASSERT_TRUE(lease.ok()) << lease.status();
  EXPECT_EQ(lease->holder, "");
  EXPECT_FALSE(lease->renewed.has_value());
  std::string out;
  AppendLease(out, *lease);
  EXPECT_EQ(
      out,
      R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"l"},"spec":{"leaseTransitions":0}})");
  EXPECT_FALSE(DecodeLease(R"({"spec":{"renewTime":"soon"}})").ok());
  EXPECT_EQ(Message(DecodeLease(R"({"spec":{"leaseDurationSeconds":"10"}})").status()),
            "spec.leaseDurationSeconds: expected a whole number, found a string");
}

TEST(ObjectEvent, NamesThePodAndCutsItsMessageAtACharacter) {
  std::string message = std::string(1023, 'x') + "中";
  std::string out;
  AppendObjectEvent(out, {.name = "web-0.1",
                          .subject = {"v1", "Pod", "shop", "web-0", "u"},
                          .reason = "BindFailed",
                          .message = message,
                          .reporter = "huygens",
                          .instance = "host-1",
                          .at = At("2026-11-21T11:36:17Z")});
  EXPECT_EQ(
      out,
      Concat(
          R"({"apiVersion":"v1","kind":"Event","metadata":{"name":"web-0.1","namespace":"shop"},"involvedObject":{"apiVersion":"v1","kind":"Pod",)"
          R"("name":"web-0","namespace":"shop","uid":"u"},"reason":"BindFailed","message":")",
          std::string(1023, 'x'),
          R"(","type":"Warning","source":{"component":"huygens"},"reportingComponent":"huygens","reportingInstance":"host-1",)"
          R"("firstTimestamp":"2026-11-21T11:36:17Z","lastTimestamp":"2026-11-21T11:36:17Z","count":1})"));
  EXPECT_EQ(DecodeObjectMeta(out)->name, "web-0.1");
}

}  // namespace
}  // namespace huygens::wire
