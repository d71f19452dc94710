#include "kubelet_api/state_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "kubelet_api/held.h"
#include "tests/kubelet_api/recordings.h"

namespace huygens::kubelet_api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

std::vector<Pod> PodsOf(const char* configuration) {
  StatusOr<std::vector<Pod>> pods = DecodePods(testing::Recorded(configuration, "pods.json"));
  EXPECT_TRUE(pods.ok()) << pods.status();
  return std::move(pods).value_or(std::vector<Pod>());
}

TEST(StateFiles, OfRealKubeletsHaveTheChecksumThatIsCountedHere) {
  HUYGENS_SKIP_WITHOUT_RECORDINGS();
  for (const char* each : testing::kRecordings) {
    EXPECT_TRUE(DecodeCpuManagerState(testing::Recorded(each, kCpuManagerState)).ok()) << each;
    EXPECT_TRUE(DecodeMemoryManagerState(testing::Recorded(each, kMemoryManagerState)).ok()) << each;
  }
}

TEST(StateFiles, OfWhichAByteHasChangedAreToBeReadAgain) {
  HUYGENS_SKIP_WITHOUT_RECORDINGS();
  const auto changed = [](std::string text, std::string_view from, std::string_view to) {
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  const std::string cpus = testing::Recorded("static-single-numa-pod", kCpuManagerState);
  const Status cpu_status = DecodeCpuManagerState(changed(cpus, "\"1,9\"", "\"1,8\"")).status();
  EXPECT_TRUE(absl::IsUnavailable(cpu_status)) << cpu_status;
  const std::string memory = testing::Recorded("static-single-numa-pod", kMemoryManagerState);
  const Status memory_status = DecodeMemoryManagerState(changed(memory, "134217728", "134217729")).status();
  EXPECT_TRUE(absl::IsUnavailable(memory_status)) << memory_status;
}

TEST(StateFiles, AreCheckedByTheRuleOfKubelet) {
  const auto state = DecodeCpuManagerState(
      R"({"policyName":"static","defaultCpuSet":"0-3","entries":{"b":{"x":"5-6","y":"4"},"a":{"z":"7"}},"checksum":3899454485})");
  ASSERT_TRUE(state.ok()) << state.status();
  EXPECT_THAT(state->shared, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(state->owned.at("b"), ElementsAre(Pair("x", ElementsAre(5, 6)), Pair("y", ElementsAre(4))));
  EXPECT_TRUE(DecodeCpuManagerState(R"({"policyName":"none","defaultCpuSet":"","checksum":1353318690})").ok());
  // 0 is not checked, and what is not known cannot be.
  EXPECT_TRUE(DecodeCpuManagerState(R"({"policyName":"static","defaultCpuSet":"0","checksum":0})").ok());
  EXPECT_TRUE(
      DecodeCpuManagerState(R"({"policyName":"static","defaultCpuSet":"0","podEntries":{},"checksum":5})").ok());
}

TEST(StateFiles, ThatAreNoneAreRefused) {
  for (const char* text : {"", "[]", "{}", R"({"policyName":"static","defaultCpuSet":"x","checksum":0})",
                           R"({"policyName":"static","entries":{"a":3},"checksum":0})"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(DecodeCpuManagerState(text).status())) << text;
  }
  for (const char* text :
       {R"({"policyName":"Static","machineState":{"zero":{}},"checksum":0})",
        R"({"policyName":"Static","machineState":{"-1":{}},"checksum":0})",
        R"({"policyName":"Static","machineState":{"0":{"numberOfAssignments":-1}},"checksum":0})",
        R"({"policyName":"Static","machineState":{"0":{"memoryMap":{"memory":{"free":9223372036854775807}}}}})"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(DecodeMemoryManagerState(text).status())) << text;
  }
}

TEST(OwnedCpus, AreThoseOfPodsThatHaveNotEndedWithTheirInitContainers) {
  HUYGENS_SKIP_WITHOUT_RECORDINGS();
  const auto state = DecodeCpuManagerState(testing::Recorded("static-single-numa-pod", kCpuManagerState));
  ASSERT_TRUE(state.ok());
  EXPECT_THAT(OwnedCpus(*state, PodsOf("static-single-numa-pod")),
              ElementsAre(Pair("b3899a17-7baa-4a8c-82c3-cb32c078fa5e", ElementsAre(1, 2, 9, 10))));
  EXPECT_THAT(OwnedCpus(*state, {}), IsEmpty());
}

TEST(WithoutEnded, GivesBackTheMemoryOfPodsThatHave) {
  HUYGENS_SKIP_WITHOUT_RECORDINGS();
  const auto state = DecodeMemoryManagerState(testing::Recorded("static-single-numa-pod", kMemoryManagerState));
  ASSERT_TRUE(state.ok());
  const auto free = [](const MemoryManagerState& of) { return of.zones.at(0).amounts.at("memory").free; };
  const MemoryManagerState live = WithoutEnded(*state, PodsOf("static-single-numa-pod"));
  EXPECT_EQ(free(live), free(*state) + (128 << 20));  // of the pod `ended`
  EXPECT_EQ(live.zones.at(0).assignments, 3);
  const MemoryManagerState none = WithoutEnded(*state, {});
  EXPECT_EQ(free(none), none.zones.at(0).amounts.at("memory").allocatable);
}

TEST(WithoutEnded, EndsTheGroupOfZonesWithTheirLastBlock) {
  MemoryManagerState state;
  for (const int zone : {0, 1}) {
    state.zones[zone] = {
        .assignments = 1, .amounts = {{"memory", {.allocatable = 10, .reserved = 10}}}, .group = {0, 1}};
  }
  state.zones[1].amounts["memory"] = {.allocatable = 10, .reserved = 3, .free = 7};
  state.owned["u"]["c"] = {{.zones = {0, 1}, .resource = "memory", .bytes = 13}};
  const MemoryManagerState after = WithoutEnded(state, {});
  for (const auto& [id, zone] : after.zones) {
    EXPECT_THAT(zone.group, ElementsAre(id));
    EXPECT_EQ(zone.amounts.at("memory").free, 10);
  }
  EXPECT_EQ(WithoutEnded(state, {{.uid = "u"}}), state);
}

TEST(Pods, AreReadAsKubeletKnowsThem) {
  HUYGENS_SKIP_WITHOUT_RECORDINGS();
  const std::vector<Pod> pods = PodsOf("static-restricted-options");
  ASSERT_EQ(pods.size(), 5U);
  EXPECT_TRUE(std::ranges::is_sorted(pods, {}, &Pod::uid));
  std::vector<std::string> ended;
  for (const Pod& pod : pods) {
    if (pod.terminal) ended.push_back(pod.name);
    if (pod.name != "guaranteed") continue;
    EXPECT_TRUE(pod.guaranteed);
    std::vector<std::pair<std::string, ContainerKind>> kinds;
    for (const Container& container : pod.containers) kinds.emplace_back(container.name, container.kind);
    EXPECT_THAT(kinds, ElementsAre(Pair("side", ContainerKind::kSidecar), Pair("first", ContainerKind::kInit),
                                   Pair("a", ContainerKind::kApp), Pair("fraction", ContainerKind::kApp)));
    EXPECT_THAT(std::string(pod.Annotation("topology.crane.io/topology-result")), HasSubstr("node0"));
    EXPECT_EQ(pod.Annotation("kubernetes.io/config.source"), "");
  }
  EXPECT_THAT(ended, UnorderedElementsAre("ended", "too-wide"));
  EXPECT_FALSE(DecodePods("{}").ok());
  EXPECT_FALSE(DecodePods(R"({"kind":"Status"})").ok());
  EXPECT_TRUE(DecodePods(R"({"kind":"PodList","items":null})").ok());
}

}  // namespace
}  // namespace huygens::kubelet_api
