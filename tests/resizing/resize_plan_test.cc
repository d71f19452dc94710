#include "resizing/resize_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"

namespace huygens::resizing {
namespace {

using overcommit::PoolTerms;
using recommend::PoolPolicy;
using testing::HasSubstr;
using testing::Not;

// A running pod with one container, app, and what else is to be in its parts.
struct Written {
  std::string cpu = "4", memory = "1Gi", limit_cpu = "8";
  std::string annotations;  // members of an object
  std::string container;    // members of the container, each with a comma in front
  std::string spec;         // members of spec, likewise
  std::string status = R"("phase":"Running")";
};

std::string PodText(const Written& pod) {
  return Concat(R"({"metadata":{"name":"web-0","namespace":"shop","uid":"u1","resourceVersion":"7","annotations":{)",
                pod.annotations, R"(}},"spec":{"containers":[{"name":"app","resources":{"requests":{"cpu":")", pod.cpu,
                R"(","memory":")", pod.memory, R"("},"limits":{"cpu":")", pod.limit_cpu, R"(","memory":"2Gi"}})",
                pod.container, "}]", pod.spec, R"(},"status":{)", pod.status, "}}");
}

RunningPod Decoded(const Written& pod) {
  const ResourceNames names;
  StatusOr<RunningPod> decoded = DecodeRunningPod(PodText(pod), names);
  EXPECT_TRUE(decoded.ok()) << decoded.status();
  return decoded.ok() ? *std::move(decoded) : RunningPod();
}

PoolTerms Halved() {
  PoolTerms terms;
  terms.name = "shared";
  terms.policy.enabled = terms.policy.auto_apply = true;
  terms.policy.type = PoolPolicy::Type::kStatic;
  terms.policy.static_factor[0] = 500'000;
  return terms;
}

Verdict VerdictOf(const Written& pod, const PoolTerms& terms = Halved()) {
  return PlanResize(Decoded(pod), terms, nullptr).verdict;
}

TEST(ResizePlan, LowersRequestsAloneAndRecordsWhatWasBefore) {
  const RunningPod pod = Decoded({});
  const ResizePlan plan = PlanResize(pod, Halved(), nullptr);
  ASSERT_EQ(plan.verdict, Verdict::kLower);
  EXPECT_EQ(plan.requests, R"({"containers":[{"name":"app","resources":{"requests":{"cpu":"2"}}}]})");
  EXPECT_EQ(
      AnnotationPatch(pod, plan.record),
      R"({"metadata":{"uid":"u1","resourceVersion":"7","annotations":{"huygens.dev/overcommit":)"
      R"("{\"pool\":\"shared\",\"containers\":{\"app\":{\"cpu\":{\"original\":\"4\",\"applied\":\"2\",\"limit\":\"8\",)"
      R"(\"source\":\"static\",\"before\":\"4\"}}}}"}}})");
  EXPECT_EQ(
      ResizePatch("u1", "8", plan.requests),
      R"({"metadata":{"uid":"u1","resourceVersion":"8"},"spec":{"containers":[{"name":"app","resources":{"requests":{"cpu":"2"}}}]}})");
}

// The record is written first: whatever becomes of the resize, the same original is known.
TEST(ResizePlan, TheOriginalIsKnownWhetherOrNotTheResizeCameAbout) {
  PoolTerms further = Halved();
  further.policy.static_factor[0] = 250'000;
  const ResizePlan first = PlanResize(Decoded({}), Halved(), nullptr);
  for (const char* cpu : {"2", "4"}) {  // resized, and not
    Written pod{.cpu = cpu};
    pod.annotations = AnnotationPatch(Decoded(pod), first.record);
    pod.annotations = pod.annotations.substr(pod.annotations.find("\"huygens.dev"));
    pod.annotations.resize(pod.annotations.size() - 3);
    const ResizePlan second = PlanResize(Decoded(pod), further, nullptr);
    ASSERT_EQ(second.verdict, Verdict::kLower) << cpu;
    const overcommit::RecordedAmounts* recorded = FindContainer(second.record, "app");
    ASSERT_NE(recorded, nullptr);
    EXPECT_EQ((*recorded)[0]->original, 4000) << cpu;
    EXPECT_EQ((*recorded)[0]->applied, 1000) << cpu;
  }
}

TEST(ResizePlan, RaisesNothing) {
  const char* const lowered =
      R"("huygens.dev/overcommit":"{\"containers\":{\"app\":{\"cpu\":{\"original\":\"4\",\"applied\":\"1\",\"source\":\"static\"}}}}")";
  EXPECT_EQ(VerdictOf({.cpu = "1", .annotations = lowered}), Verdict::kNothingToLower);
}

TEST(ResizePlan, SmallStepsAreLeftForTheNextReplica) {
  PoolTerms terms = Halved();
  terms.policy.static_factor[0] = 950'000;
  EXPECT_EQ(VerdictOf({}, terms), Verdict::kNothingToLower);
  terms.policy.static_factor[0] = 900'000;
  EXPECT_EQ(VerdictOf({}, terms), Verdict::kLower);
}

TEST(ResizePlan, GuaranteedPodsStayWhateverThePoolSays) {
  PoolTerms terms = Halved();
  terms.policy.lower_guaranteed = true;
  terms.keep_whole_cpus = false;
  EXPECT_EQ(VerdictOf({.memory = "2Gi", .limit_cpu = "4"}, terms), Verdict::kNotBurstable);
}

TEST(ResizePlan, WhoOptsOutOrAsksForZonesStays) {
  EXPECT_EQ(VerdictOf({.annotations = R"("huygens.dev/overcommit-allowed":"false")"}), Verdict::kNotApplied);
  EXPECT_EQ(VerdictOf({.annotations = R"("topology.crane.io/topology-awareness":"true")"}), Verdict::kNotApplied);
  PoolTerms asks = Halved();
  asks.policy.auto_apply = false;
  EXPECT_EQ(VerdictOf({}, asks), Verdict::kNotApplied);
}

TEST(ResizePlan, NoContainerIsRestarted) {
  const char* const restarts = R"(,"resizePolicy":[{"resourceName":"cpu","restartPolicy":"RestartContainer"}])";
  EXPECT_EQ(VerdictOf({.container = restarts}), Verdict::kWouldRestart);
  const char* const of_memory = R"(,"resizePolicy":[{"resourceName":"cpu","restartPolicy":"NotRequired"},
                                   {"resourceName":"memory","restartPolicy":"RestartContainer"}])";
  EXPECT_EQ(VerdictOf({.container = of_memory}), Verdict::kLower);  // memory stays as it is
}

TEST(ResizePlan, PodsThatAreNotAtRestStay) {
  EXPECT_EQ(VerdictOf({.status = R"("phase":"Pending")"}), Verdict::kNotRunning);
  EXPECT_EQ(VerdictOf({.status = R"("phase":"Running","conditions":[{"type":"PodResizeInProgress","status":"True"}])"}),
            Verdict::kBeingResized);
  EXPECT_EQ(VerdictOf({.status = R"("phase":"Running","conditions":[{"type":"PodResizePending","status":"False"}])"}),
            Verdict::kLower);
  EXPECT_EQ(VerdictOf({.spec = R"(,"resources":{"requests":{"cpu":"6"}})"}), Verdict::kPodAsAWhole);
}

TEST(ResizePlan, SidecarsAreLoweredAndInitContainersThatEndAreNot) {
  const char* const init = R"(,"initContainers":[
      {"name":"migrate","resources":{"requests":{"cpu":"2"}}},
      {"name":"proxy","restartPolicy":"Always","resources":{"requests":{"cpu":"1"},"limits":{"cpu":"2"}}}])";
  const ResizePlan plan = PlanResize(Decoded({.spec = init}), Halved(), nullptr);
  EXPECT_THAT(plan.requests,
              HasSubstr(R"("initContainers":[{"name":"proxy","resources":{"requests":{"cpu":"500m"}}}])"));
  EXPECT_THAT(plan.requests, Not(HasSubstr("migrate")));
}

TEST(ResizePlan, WhatIsNoPodIsRefused) {
  const ResourceNames names;
  for (const char* text :
       {"", "[]", R"({"spec":{"containers":[{"resizePolicy":{}}]}})", R"({"status":{"conditions":[1]}})"}) {
    EXPECT_FALSE(DecodeRunningPod(text, names).ok()) << text;
  }
}

}  // namespace
}  // namespace huygens::resizing
