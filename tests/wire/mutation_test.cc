// Every sample with every member changed in every way: always a value or an error that says something, never a crash.
#include "tests/json/mutation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/wire/samples.h"
#include "wire/api_status.h"
#include "wire/biz_group_quota.h"
#include "wire/device_claim.h"
#include "wire/extender_answer.h"
#include "wire/extender_args.h"
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

namespace huygens::wire {
namespace {

constexpr std::string_view kSamples[] = {
    samples::kPod,           samples::kNode,          samples::kFilterNames,   samples::kFilterNodes,
    samples::kPreemptMeta,   samples::kPreemptFull,   samples::kBind,          samples::kCraneTopology,
    samples::kPodList,       samples::kWatchAdded,    samples::kWatchBookmark, samples::kCommunityTopology,
    samples::kStatusGone,    samples::kLease,         samples::kPodMetrics,    samples::kUsageHistory,
    samples::kBizGroupQuota, samples::kResourceClaim, samples::kDeviceClass,   samples::kQuotaTransfer};

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
  Check(DecodePod(text, names).status(), text);
  Check(DecodeNode(text, names).status(), text);
  Check(DecodeQuotaTransfer(text).status(), text);
  for (const auto& topology : {DecodeCraneTopology(text, names), DecodeCommunityTopology(text, names)}) {
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
  Check(DecodeList(text).status(), text);
  Check(DecodeWatchLine(text).status(), text);
  Check(DecodeApiStatus(text).status(), text);
  Check(DecodeServerVersion(text).status(), text);
  Check(DecodeObjectMeta(text).status(), text);
  Check(DecodeLease(text).status(), text);
  Check(DecodeResourceMetrics(text, names).status(), text);
  Check(DecodeUsageHistory(text).status(), text);
  const auto group = DecodeBizGroupQuota(text);
  Check(group.status(), text);
  if (group.ok()) {
    EXPECT_FALSE(group->name.empty()) << text;
    EXPECT_TRUE(group->defect.empty() || group->hard.empty()) << text;
  }
  Check(DecodeResourceClaim(text).status(), text);
  Check(DecodeDeviceClass(text).status(), text);
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
    auto pod = DecodePod(Mutator(samples::kPod).InCase(mutation, IsField), names);
    ASSERT_TRUE(pod.ok()) << pod.status();
    EXPECT_EQ(Describe(*pod), Describe(*DecodePod(samples::kPod, names)));

    auto node = DecodeNode(Mutator(samples::kNode).InCase(mutation, IsField), names);
    ASSERT_TRUE(node.ok()) << node.status();
    EXPECT_EQ(node->name, "worker-0");
    EXPECT_EQ(node->labels, DecodeNode(samples::kNode, names)->labels);
    EXPECT_EQ(node->allocatable, DecodeNode(samples::kNode, names)->allocatable);

    auto crane = DecodeCraneTopology(
        Mutator(samples::kCraneTopology)
            .InCase(mutation, [](std::string_view parent) { return IsField(parent) && parent != "attributes"; }),
        names);
    ASSERT_TRUE(crane.ok()) << crane.status();
    EXPECT_EQ(crane->zones, DecodeCraneTopology(samples::kCraneTopology, names)->zones);
    EXPECT_TRUE(crane->pinned_by_agent && crane->single_numa);

    auto community = DecodeCommunityTopology(
        Mutator(samples::kCommunityTopology).InCase(mutation, [](std::string_view) { return true; }), names);
    ASSERT_TRUE(community.ok()) << community.status();
    EXPECT_EQ(community->zones, DecodeCommunityTopology(samples::kCommunityTopology, names)->zones);
    EXPECT_EQ(community->attributes, DecodeCommunityTopology(samples::kCommunityTopology, names)->attributes);

    std::string filter = Mutator(samples::kFilterNames).InCase(mutation, IsField);
    auto args = DecodeExtenderArgs(filter);
    ASSERT_TRUE(args.ok()) << args.status();
    EXPECT_EQ(*args->node_names, *DecodeExtenderArgs(samples::kFilterNames)->node_names);
    EXPECT_EQ(Describe(*DecodePod(args->pod, names)),
              Describe(*DecodePod(DecodeExtenderArgs(samples::kFilterNames)->pod, names)));

    std::string preempt = Mutator(samples::kPreemptFull).InCase(mutation, IsField);
    auto victims = DecodePreemptArgs(preempt);
    ASSERT_TRUE(victims.ok()) << victims.status();
    ASSERT_EQ(victims->nodes.size(), 1u);
    EXPECT_EQ(victims->nodes[0].node, "worker-1");
    EXPECT_EQ(victims->nodes[0].pods.at(0).uid, "u1");
    EXPECT_EQ(victims->nodes[0].pdb_violations, 2);

    auto bind = DecodeBindArgs(Mutator(samples::kBind).InCase(mutation, IsField));
    ASSERT_TRUE(bind.ok());
    EXPECT_EQ(bind->pod_name + bind->pod_namespace + bind->pod_uid + bind->node, "web-0shopuid-web-0worker-2");
  }
}

// A field that is given twice alike means what it means once.
TEST(Mutation, AFieldGivenTwiceAlikeChangesNothing) {
  ResourceNames names;
  std::string expected = Describe(*DecodePod(samples::kPod, names));
  boost::json::value document = boost::json::parse({samples::kPod.data(), samples::kPod.size()});
  Mutator(samples::kPod).ForEach([&](Mutation mutation, const std::string& text) {
    bool same_tree =
        mutation == Mutation::kDoubled && boost::json::parse(text) == document;  // else an array element was doubled
    if (!same_tree) return;
    EXPECT_EQ(Describe(*DecodePod(text, names)), expected) << text;
  });
}

TEST(Mutation, TruncatedAnywhereEverySampleIsRefused) {
  ResourceNames names;
  for (std::string_view sample : kSamples) {
    for (size_t length = 0; length < sample.size(); ++length) {
      std::string part(sample.substr(0, length));
      ASSERT_FALSE(DecodePod(part, names).ok());
      ASSERT_FALSE(DecodeCraneTopology(part, names).ok());
      ASSERT_FALSE(DecodeExtenderArgs(part).ok());
      ASSERT_FALSE(DecodeBizGroupQuota(part).ok());
      ASSERT_FALSE(DecodeWatchLine(part).ok());
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
        (void)DecodePod(text, names);
        (void)DecodeCraneTopology(text, names);
        (void)DecodeExtenderArgs(text);
        (void)DecodeBizGroupQuota(text);
        (void)DecodePreemptArgs(text);
        (void)DecodeList(text);
        (void)DecodeWatchLine(text);
        std::swap(text[i], c);
      }
    }
  }
}

}  // namespace
}  // namespace huygens::wire
