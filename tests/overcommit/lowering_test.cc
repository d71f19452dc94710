// What becomes of pods as an API server shows them. The patches are applied here, as an API server would.
#include "overcommit/lowering.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "base/millionths.h"
#include "tests/overcommit/pods.h"

namespace huygens::overcommit {
namespace {

using recommend::Decision;
using recommend::Source;

constexpr const char* kBurstable = R"({"metadata":{"name":"web-1","annotations":{"a":"b"}},"spec":{"containers":[
  {"name":"app","resources":{"requests":{"cpu":"4","memory":"4Gi"},"limits":{"cpu":"4","memory":"8Gi"}}}]}})";

TEST(Lowering, AStaticFactorLowersCpuAloneAndRecordsIt) {
  const Lowered lowered = LowerText(kBurstable, StaticTerms("0.3"));
  EXPECT_EQ(lowered.result.reason, Decision::Reason::kApplied);
  EXPECT_EQ(lowered.result.source[0], Source::kStatic);
  EXPECT_EQ(lowered.result.source[1], Source::kNone);
  EXPECT_EQ(RequestIn(lowered.pod, 0, "cpu"), "1200m");
  EXPECT_EQ(RequestIn(lowered.pod, 0, "memory"), "4Gi");
  EXPECT_EQ(
      RecordIn(lowered.pod),
      R"({"pool":"shared","basis":"limit","containers":{"app":{"cpu":{"original":"4","applied":"1200m","limit":"4","source":"static"}}}})");
  EXPECT_EQ(lowered.pod.at("metadata").at("annotations").at("a").as_string(), "b");
  EXPECT_EQ(lowered.result.original[0], 4000);
  EXPECT_EQ(lowered.result.applied[0], 1200);
}

TEST(Lowering, APodWithoutAnnotationsGetsThem) {
  const Lowered lowered =
      LowerText(R"({"metadata":{},"spec":{"containers":[{"name":"a","resources":{"requests":{"cpu":"1"}}}]}})",
                StaticTerms("0.5"));
  EXPECT_EQ(RequestIn(lowered.pod, 0, "cpu"), "500m");
  EXPECT_FALSE(RecordIn(lowered.pod).empty());
}

TEST(Lowering, APatchOfAPatchedPodIsEmptyHoweverOften) {
  std::string pod = kBurstable;
  for (int redeploy = 0; redeploy < 10; ++redeploy) {
    const Lowered lowered = LowerText(pod, StaticTerms("0.3"));
    EXPECT_EQ(RequestIn(lowered.pod, 0, "cpu"), "1200m");
    EXPECT_EQ(lowered.result.patch.empty(), redeploy > 0);
    pod = boost::json::serialize(lowered.pod);
  }
}

TEST(Lowering, ARaisedRequestIsANewOriginal) {
  boost::json::value pod = LowerText(kBurstable, StaticTerms("0.3")).pod;
  SetRequest(pod, 0, "cpu", "6");
  const Lowered lowered = LowerText(boost::json::serialize(pod), StaticTerms("0.3"));
  EXPECT_EQ(RequestIn(lowered.pod, 0, "cpu"), "1800m");
  EXPECT_NE(RecordIn(lowered.pod).find(R"("original":"6")"), std::string::npos);
}

TEST(Lowering, AFactorThatChangesCountsFromTheOriginal) {
  const boost::json::value pod = LowerText(kBurstable, StaticTerms("0.3")).pod;
  EXPECT_EQ(RequestIn(LowerText(boost::json::serialize(pod), StaticTerms("0.5")).pod, 0, "cpu"), "2");
}

TEST(Lowering, ARecommendationIsInPlaceOfTheFactor) {
  PoolTerms terms = StaticTerms("0.5");
  terms.policy.type = recommend::PoolPolicy::Type::kBoth;
  terms.policy.expansion = {1'000'000, 1'000'000};
  recommend::Recommendation recommendation{
      .ready = true, .history = std::chrono::hours(48), .age = std::chrono::minutes(1), .model = {1.0, 1e9}};
  EXPECT_EQ(RequestIn(LowerText(kBurstable, terms, &recommendation).pod, 0, "cpu"), "1");
  recommendation.age = std::chrono::hours(2);
  const Lowered stale = LowerText(kBurstable, terms, &recommendation);
  EXPECT_EQ(RequestIn(stale.pod, 0, "cpu"), "2");
  EXPECT_EQ(stale.result.reason, Decision::Reason::kRecommendationNotEffective);
}

constexpr const char* kGuaranteed = R"({"metadata":{},"spec":{"containers":[
  {"name":"app","resources":{"requests":{"cpu":"2500m","memory":"4Gi"},"limits":{"cpu":"2500m","memory":"4Gi"}}}]}})";

TEST(Lowering, GuaranteedPodsStayUnlessThePoolLowersThem) {
  PoolTerms terms = StaticTerms("0.5");
  const Lowered kept = LowerText(kGuaranteed, terms);
  EXPECT_EQ(kept.result.reason, Decision::Reason::kGuaranteedKept);
  EXPECT_TRUE(kept.result.patch.empty());
  terms.policy.lower_guaranteed = true;
  EXPECT_EQ(RequestIn(LowerText(kGuaranteed, terms).pod, 0, "cpu"), "1250m");
}

TEST(Lowering, WholeCpusOfGuaranteedPodsAndZonesStay) {
  PoolTerms terms = StaticTerms("0.5");
  terms.policy.lower_guaranteed = true;
  boost::json::value pod = boost::json::parse(kGuaranteed);
  SetRequest(pod, 0, "cpu", "3");
  pod.at("spec").at("containers").at(0).at("resources").at("limits").at("cpu") = "3";
  EXPECT_EQ(LowerText(boost::json::serialize(pod), terms).result.reason, Decision::Reason::kGuaranteedKept);
  terms.keep_whole_cpus = false;
  EXPECT_EQ(RequestIn(LowerText(boost::json::serialize(pod), terms).pod, 0, "cpu"), "1500m");
  for (const char* annotation :
       {"topology.crane.io/cpu-policy", "huygens.dev/smt", "topology.crane.io/topology-awareness"}) {
    boost::json::value pinned = pod;
    const std::string_view key = annotation;
    pinned.at("metadata").as_object()["annotations"] = {{annotation, key.ends_with("policy") ? "exclusive"
                                                                     : key.ends_with("smt")  ? "spread"
                                                                                             : "true"}};
    EXPECT_EQ(LowerText(boost::json::serialize(pinned), terms).result.reason, Decision::Reason::kGuaranteedKept) << key;
  }
}

TEST(Lowering, WhoOptsOutStaysAsWritten) {
  boost::json::value pod = boost::json::parse(kBurstable);
  pod.at("metadata").at("annotations").as_object()["huygens.dev/overcommit-allowed"] = "false";
  const Lowered lowered = LowerText(boost::json::serialize(pod), StaticTerms("0.3"));
  EXPECT_EQ(lowered.result.reason, Decision::Reason::kOptedOut);
  EXPECT_TRUE(lowered.result.patch.empty());
}

TEST(Lowering, SidecarsAreLoweredAndPlainInitContainersAreNot) {
  const Lowered lowered = LowerText(R"({"metadata":{},"spec":{"initContainers":[
    {"name":"prepare","resources":{"requests":{"cpu":"1"}}},
    {"name":"proxy","restartPolicy":"Always","resources":{"requests":{"cpu":"200m"}}}],
    "containers":[{"name":"app","resources":{"requests":{"cpu":"2"}}}]}})",
                                    StaticTerms("0.5"));
  EXPECT_EQ(RequestIn(lowered.pod, 0, "cpu"), "1");
  EXPECT_EQ(RequestIn(lowered.pod, 0, "cpu", "initContainers"), "1");
  EXPECT_EQ(RequestIn(lowered.pod, 1, "cpu", "initContainers"), "100m");
}

TEST(Lowering, RequestsOfThePodAsAWholeGoDownWithItsContainersAndNotBelowThem) {
  const Lowered lowered =
      LowerText(R"({"metadata":{},"spec":{"resources":{"requests":{"cpu":"8"},"limits":{"cpu":"10"}},
    "initContainers":[{"name":"prepare","resources":{"requests":{"cpu":"5"}}}],
    "containers":[{"name":"app","resources":{"requests":{"cpu":"2"}}}]}})",
                StaticTerms("0.5"));
  EXPECT_EQ(RequestIn(lowered.pod, 0, "cpu"), "1");
  EXPECT_EQ(lowered.pod.at("spec").at("resources").at("requests").at("cpu").as_string(), "5");
  EXPECT_TRUE(LowerText(boost::json::serialize(lowered.pod), StaticTerms("0.5")).result.patch.empty());
  EXPECT_EQ(lowered.result.original[0], 8000);
  EXPECT_EQ(lowered.result.applied[0], 5000);
}

TEST(Lowering, LimitsWithoutRequestsAreRequests) {
  const Lowered lowered = LowerText(
      R"({"metadata":{},"spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":"2","memory":"1Gi"}}},
        {"name":"b"}]}})",
      [] {
        PoolTerms terms = StaticTerms("0.5");
        terms.policy.lower_guaranteed = true;
        terms.keep_whole_cpus = false;
        return terms;
      }());
  EXPECT_EQ(RequestIn(lowered.pod, 0, "cpu"), "1");
  EXPECT_EQ(RequestIn(lowered.pod, 0, "memory"), "1Gi");
}

TEST(Lowering, AFalseRecordDoesNotRaiseARequestAboveTheLimit) {
  boost::json::value pod = boost::json::parse(kBurstable);
  pod.at("metadata").at("annotations").as_object()["huygens.dev/overcommit"] =
      R"({"containers":{"app":{"cpu":{"original":"400","applied":"4","source":"static"}}}})";
  EXPECT_EQ(RequestIn(LowerText(boost::json::serialize(pod), StaticTerms("0.9")).pod, 0, "cpu"), "3600m");
}

TEST(Lowering, ARecordThatCannotBeReadIsNone) {
  boost::json::value pod = boost::json::parse(kBurstable);
  pod.at("metadata").at("annotations").as_object()["huygens.dev/overcommit"] = R"({"containers":7})";
  const AdmittedPod admitted = *DecodeAdmittedPod(boost::json::serialize(pod), ResourceNames());
  EXPECT_FALSE(admitted.record_fault.empty());
  EXPECT_EQ(RequestIn(LowerText(boost::json::serialize(pod), StaticTerms("0.3")).pod, 0, "cpu"), "1200m");
}

TEST(Lowering, WhatIsRecordedOfMemoryStaysWhereCpuAloneIsDecided) {
  PoolTerms both = StaticTerms("0.5");
  both.policy.memory = true;
  both.policy.static_factor[1] = 500'000;
  const boost::json::value pod = LowerText(kBurstable, both).pod;
  EXPECT_EQ(RequestIn(pod, 0, "memory"), "2Gi");
  const Lowered lowered = LowerText(boost::json::serialize(pod), StaticTerms("0.5"));
  EXPECT_TRUE(lowered.result.patch.empty());
  EXPECT_NE(RecordIn(lowered.pod).find(R"("memory":{"original":"4Gi")"), std::string::npos);
}

TEST(AdmittedPod, TheWorkloadIsSeenFromThePod) {
  const auto workload = [](const std::string& labels, const std::string& owner) {
    const std::string text = Concat(R"({"metadata":{"labels":{)", labels,
                                    R"(},"ownerReferences":[{"apiVersion":"v1","kind":"Other","name":"o"},)", owner,
                                    R"(]},"spec":{"containers":[]}})");
    const auto found = WorkloadOf(*DecodeAdmittedPod(text, ResourceNames()));
    return found ? Concat(found->group, "/", found->kind, "/", found->name) : std::string();
  };
  constexpr const char* kReplicaSet =
      R"({"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web-5c6","uid":"u","controller":true})";
  EXPECT_EQ(workload(R"("pod-template-hash":"5c6")", kReplicaSet), "apps/Deployment/web");
  EXPECT_EQ(workload(R"("rollouts-pod-template-hash":"5c6")", kReplicaSet), "argoproj.io/Rollout/web");
  EXPECT_EQ(workload(R"("pod-template-hash":"7d7")", kReplicaSet), "apps/ReplicaSet/web-5c6");
  EXPECT_EQ(workload("", R"({"apiVersion":"apps.kruise.io/v1alpha1","kind":"CloneSet","name":"c","controller":true})"),
            "apps.kruise.io/CloneSet/c");
  const auto job = [&](std::string_view name) {
    return workload("", Concat(R"({"apiVersion":"batch/v1","kind":"Job","name":")", name, R"(","controller":true})"));
  };
  EXPECT_EQ(job("nightly-29541240"), "batch/CronJob/nightly");
  EXPECT_EQ(job("nightly-7"), "batch/Job/nightly-7");
  EXPECT_EQ(job("-29541240"), "batch/Job/-29541240");
  EXPECT_EQ(workload("", R"({"apiVersion":"v1","kind":"Other","name":"p"})"), "");
}

}  // namespace
}  // namespace huygens::overcommit
