// Every sample with every member changed in every way: always a value or an error that says something, never a crash.
#include "tests/json/mutation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "extender/extender_answer.h"
#include "extender/extender_args.h"
#include "tests/wire/samples.h"
#include "wire/api_status.h"
#include "wire/biz_group_quota.h"
#include "wire/device_claim.h"
#include "wire/lease.h"
#include "wire/list.h"
#include "wire/metrics_api.h"
#include "wire/node.h"
#include "wire/object_meta.h"
#include "wire/pod.h"
#include "wire/quota_transfer.h"
#include "wire/server_version.h"
#include "wire/topology.h"
#include "wire/usage_history.h"
#include "wire/watch.h"

namespace huygens::extender {
namespace {

constexpr std::string_view kSamples[] = {
    wire::samples::kPod,          wire::samples::kNode,          wire::samples::kFilterNames,
    wire::samples::kFilterNodes,  wire::samples::kPreemptMeta,   wire::samples::kPreemptFull,
    wire::samples::kBind,         wire::samples::kCraneTopology, wire::samples::kPodList,
    wire::samples::kWatchAdded,   wire::samples::kWatchBookmark, wire::samples::kCommunityTopology,
    wire::samples::kStatusGone,   wire::samples::kLease,         wire::samples::kPodMetrics,
    wire::samples::kUsageHistory, wire::samples::kBizGroupQuota, wire::samples::kResourceClaim,
    wire::samples::kDeviceClass,  wire::samples::kQuotaTransfer};

void Check(const Status& status, const std::string& text) {
  if (status.ok()) return;
  EXPECT_FALSE(Message(status).empty()) << text;
  EXPECT_TRUE(absl::IsInvalidArgument(status) || absl::IsOutOfRange(status)) << status << " for " << text;
  EXPECT_FALSE(Message(status).starts_with('.') || Message(status).starts_with("not JSON"))
      << status << " for " << text;
}

// Everything that reads from outside, on one text.
void CheckAll(const std::string& text) {
  ResourceNames names;
  Check(wire::DecodePod(text, names).status(), text);
  Check(wire::DecodeNode(text, names).status(), text);
  Check(wire::DecodeQuotaTransfer(text).status(), text);
  for (const auto& topology : {wire::DecodeCraneTopology(text, names), wire::DecodeCommunityTopology(text, names)}) {
    Check(topology.status(), text);
    if (!topology.ok()) continue;
    EXPECT_FALSE(topology->node_name.empty());
    EXPECT_LE(topology->zones.size(), 64u);
    for (size_t i = 1; i < topology->zones.size(); ++i) EXPECT_LT(topology->zones[i - 1].id, topology->zones[i].id);
    EXPECT_TRUE(topology->defect.empty() || topology->zones.empty());
  }
  auto args = DecodeExtenderArgs(text);
  Check(args.status(), text);
  if (args.ok() && args->nodes) {
    std::vector<uint32_t> all;
    for (uint32_t i = 0; i < args->nodes->items.size(); ++i) all.push_back(i);
    std::string answer;
    AppendFilterNodes(answer, *args->nodes, all, {}, {});
    auto again = DecodeExtenderArgs(answer);
    ASSERT_TRUE(again.ok()) << again.status() << " for " << answer;
    EXPECT_EQ(again->nodes->items.size(), args->nodes->items.size());
  }
  auto preempt = DecodePreemptArgs(text);
  Check(preempt.status(), text);
  if (preempt.ok()) {
    std::string answer;
    AppendPreemptVictims(answer, preempt->nodes);
    EXPECT_TRUE(DecodePreemptArgs(answer).ok()) << answer;
  }
  Check(DecodeBindArgs(text).status(), text);
  Check(wire::DecodeList(text).status(), text);
  Check(wire::DecodeWatchLine(text).status(), text);
  Check(wire::DecodeApiStatus(text).status(), text);
  Check(wire::DecodeServerVersion(text).status(), text);
  Check(wire::DecodeObjectMeta(text).status(), text);
  Check(wire::DecodeLease(text).status(), text);
  Check(wire::DecodeResourceMetrics(text, names).status(), text);
  Check(wire::DecodeUsageHistory(text).status(), text);
  const auto group = wire::DecodeBizGroupQuota(text);
  Check(group.status(), text);
  if (group.ok()) {
    EXPECT_FALSE(group->name.empty()) << text;
    EXPECT_TRUE(group->defect.empty() || group->hard.empty()) << text;
  }
  Check(wire::DecodeResourceClaim(text).status(), text);
  Check(wire::DecodeDeviceClass(text).status(), text);
}

TEST(Mutation, OneMemberChangedIsAValueOrAClearError) {
  size_t count = 0;
  for (std::string_view sample : kSamples) {
    Mutator(sample).ForEach([&](Mutation, const std::string& text) {
      CheckAll(text);
      ++count;
    });
  }
  EXPECT_GT(count, 3000u);
  RecordProperty("mutations", static_cast<int>(count));
}

TEST(Mutation, WhatTheMutatorDoes) {
  std::vector<std::string> seen;
  Mutator(R"({"a":{"b":[1]}})").ForEach([&](Mutation mutation, const std::string& text) {
    if (mutation == Mutation::kMissing || mutation == Mutation::kDoubled || mutation == Mutation::kUpper)
      seen.push_back(text);
  });
  EXPECT_THAT(seen, testing::ElementsAre("{}", R"({"a":{}})", R"({"a":{"b":[]}})", R"({"a":{"b":[1]},"a":{"b":[1]}})",
                                         R"({"a":{"b":[1],"b":[1]}})", R"({"a":{"b":[1,1]}})", R"({"A":{"b":[1]}})",
                                         R"({"a":{"B":[1]}})", R"({"a":{"b":[1]}})"));
}

std::string Describe(const ResourceVector& amounts) {
  std::string out;
  for (const auto& [id, amount] : amounts) out += Concat(std::to_string(id), "=", std::to_string(amount), " ");
  return out;
}

std::string Describe(const cluster::Pod& pod) {
  std::string out = Concat(pod.name, "|", pod.namespace_name, "|", pod.uid, "|", pod.node_name, "|",
                           std::to_string(pod.priority), "|", std::to_string(static_cast<int>(pod.phase)),
                           pod.owned_by_daemon_set ? "D" : "", Describe(pod.overhead));
  for (const auto* list : {&pod.init_containers, &pod.containers}) {
    for (const cluster::Container& container : *list) {
      out += Concat("|", container.name, container.restartable ? "R " : " ", Describe(container.requests), "/",
                    Describe(container.limits));
    }
  }
  if (pod.pod_level) out += Concat("|", Describe(pod.pod_level->requests), "/", Describe(pod.pod_level->limits));
  out += Concat("|", std::to_string(static_cast<int>(pod.cpu_policy)),
                std::to_string(pod.topology_awareness.value_or(false)));
  for (const cluster::ZoneAmount& zone : pod.topology_result)
    out += Concat("|", std::to_string(zone.zone), ":", Describe(zone.amount));
  if (pod.quota) out += Concat("|", pod.quota->group, "/", pod.quota->cpu_model, "/", pod.quota->gpu_model);
  for (const auto& mark : {pod.placement_mark, pod.observed_mark}) {
    if (mark) out += Concat("|", mark->uid, "@", mark->node);
  }
  return out;
}

bool IsField(std::string_view parent) {
  for (std::string_view map : {"labels", "annotations", "requests", "limits", "overhead", "capacity", "allocatable",
                               "NodeNameToVictims", "NodeNameToMetaVictims"}) {
    if (parent == map) return false;
  }
  return true;
}

TEST(Mutation, TheCaseOfFieldNamesChangesNothing) {
  for (Mutation mutation : {Mutation::kUpper, Mutation::kLower}) {
    ResourceNames names;
    auto pod = wire::DecodePod(Mutator(wire::samples::kPod).InCase(mutation, IsField), names);
    ASSERT_TRUE(pod.ok()) << pod.status();
    EXPECT_EQ(Describe(*pod), Describe(*wire::DecodePod(wire::samples::kPod, names)));

    auto node = wire::DecodeNode(Mutator(wire::samples::kNode).InCase(mutation, IsField), names);
    ASSERT_TRUE(node.ok()) << node.status();
    EXPECT_EQ(node->name, "worker-0");
    EXPECT_EQ(node->labels, wire::DecodeNode(wire::samples::kNode, names)->labels);
    EXPECT_EQ(node->allocatable, wire::DecodeNode(wire::samples::kNode, names)->allocatable);

    auto crane = wire::DecodeCraneTopology(
        Mutator(wire::samples::kCraneTopology)
            .InCase(mutation, [](std::string_view parent) { return IsField(parent) && parent != "attributes"; }),
        names);
    ASSERT_TRUE(crane.ok()) << crane.status();
    EXPECT_EQ(crane->zones, wire::DecodeCraneTopology(wire::samples::kCraneTopology, names)->zones);
    EXPECT_TRUE(crane->pinned_by_agent && crane->single_numa);

    auto community = wire::DecodeCommunityTopology(
        Mutator(wire::samples::kCommunityTopology).InCase(mutation, [](std::string_view) { return true; }), names);
    ASSERT_TRUE(community.ok()) << community.status();
    EXPECT_EQ(community->zones, wire::DecodeCommunityTopology(wire::samples::kCommunityTopology, names)->zones);
    EXPECT_EQ(community->attributes,
              wire::DecodeCommunityTopology(wire::samples::kCommunityTopology, names)->attributes);

    std::string filter = Mutator(wire::samples::kFilterNames).InCase(mutation, IsField);
    auto args = DecodeExtenderArgs(filter);
    ASSERT_TRUE(args.ok()) << args.status();
    EXPECT_EQ(*args->node_names, *DecodeExtenderArgs(wire::samples::kFilterNames)->node_names);
    EXPECT_EQ(Describe(*wire::DecodePod(args->pod, names)),
              Describe(*wire::DecodePod(DecodeExtenderArgs(wire::samples::kFilterNames)->pod, names)));

    std::string preempt = Mutator(wire::samples::kPreemptFull).InCase(mutation, IsField);
    auto victims = DecodePreemptArgs(preempt);
    ASSERT_TRUE(victims.ok()) << victims.status();
    ASSERT_EQ(victims->nodes.size(), 1u);
    EXPECT_EQ(victims->nodes[0].node, "worker-1");
    EXPECT_EQ(victims->nodes[0].pods.at(0).uid, "u1");
    EXPECT_EQ(victims->nodes[0].pdb_violations, 2);

    auto bind = DecodeBindArgs(Mutator(wire::samples::kBind).InCase(mutation, IsField));
    ASSERT_TRUE(bind.ok());
    EXPECT_EQ(bind->pod_name + bind->pod_namespace + bind->pod_uid + bind->node, "web-0shopuid-web-0worker-2");
  }
}

// A field that is given twice alike means what it means once.
TEST(Mutation, AFieldGivenTwiceAlikeChangesNothing) {
  ResourceNames names;
  std::string expected = Describe(*wire::DecodePod(wire::samples::kPod, names));
  boost::json::value document = boost::json::parse({wire::samples::kPod.data(), wire::samples::kPod.size()});
  Mutator(wire::samples::kPod).ForEach([&](Mutation mutation, const std::string& text) {
    bool same_tree =
        mutation == Mutation::kDoubled && boost::json::parse(text) == document;  // else an array element was doubled
    if (!same_tree) return;
    EXPECT_EQ(Describe(*wire::DecodePod(text, names)), expected) << text;
  });
}

TEST(Mutation, TruncatedAnywhereEverySampleIsRefused) {
  ResourceNames names;
  for (std::string_view sample : kSamples) {
    for (size_t length = 0; length < sample.size(); ++length) {
      std::string part(sample.substr(0, length));
      ASSERT_FALSE(wire::DecodePod(part, names).ok());
      ASSERT_FALSE(wire::DecodeCraneTopology(part, names).ok());
      ASSERT_FALSE(DecodeExtenderArgs(part).ok());
      ASSERT_FALSE(wire::DecodeBizGroupQuota(part).ok());
      ASSERT_FALSE(wire::DecodeWatchLine(part).ok());
    }
  }
}

TEST(Mutation, OneByteChangedNeverCrashes) {
  ResourceNames names;
  for (std::string_view sample : kSamples) {
    std::string text(sample);
    for (size_t i = 0; i < text.size(); ++i) {
      for (char c : {'"', '\\', '{', ']', ',', '\0', '\xFF', '0'}) {
        std::swap(text[i], c);
        (void)wire::DecodePod(text, names);
        (void)wire::DecodeCraneTopology(text, names);
        (void)DecodeExtenderArgs(text);
        (void)wire::DecodeBizGroupQuota(text);
        (void)DecodePreemptArgs(text);
        (void)wire::DecodeList(text);
        (void)wire::DecodeWatchLine(text);
        std::swap(text[i], c);
      }
    }
  }
}

}  // namespace
}  // namespace huygens::extender
