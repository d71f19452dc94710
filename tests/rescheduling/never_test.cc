#include "rescheduling/never.h"

#include <gtest/gtest.h>

namespace huygens::rescheduling {
namespace {

const Time kNow{std::chrono::hours(24 * 365 * 56)};

NeverFacts Ordinary() {
  return {.owner_kind = "ReplicaSet", .created = kNow - std::chrono::hours(48), .history = std::chrono::hours(48)};
}

TEST(WhyNever, NothingSpeaksAgainstAnOrdinaryPod) { EXPECT_EQ(WhyNever(Ordinary(), {}, kNow), ""); }

TEST(WhyNever, PodsThatNobodyReplacesElsewhereStayWhateverTheySay) {
  for (const char* kind : {"", "DaemonSet", "Node"}) {
    NeverFacts pod = Ordinary();
    pod.owner_kind = kind;
    pod.move = "allow";
    EXPECT_NE(WhyNever(pod, {}, kNow), "") << kind;
  }
  NeverFacts pod = Ordinary();
  pod.move = "allow";
  pod.mirror = true;
  EXPECT_NE(WhyNever(pod, {}, kNow), "");
  pod = Ordinary();
  pod.move = "allow";
  pod.system_critical = true;
  EXPECT_NE(WhyNever(pod, {}, kNow), "");
  pod = Ordinary();
  pod.move = "allow";
  pod.local_volume = true;
  EXPECT_NE(WhyNever(pod, {}, kNow), "");
}

TEST(WhyNever, WhatAPodSaysIsHeard) {
  NeverFacts pod = Ordinary();
  pod.move = "never";
  EXPECT_EQ(WhyNever(pod, {}, kNow), "says huygens.dev/move: never");
  pod = Ordinary();
  pod.safe_to_evict = "false";
  EXPECT_NE(WhyNever(pod, {}, kNow), "");
  pod.safe_to_evict = "true";
  EXPECT_EQ(WhyNever(pod, {}, kNow), "");
  pod.prefer_no_eviction = true;
  EXPECT_NE(WhyNever(pod, {}, kNow), "");
  pod.move = "allow";
  EXPECT_EQ(WhyNever(pod, {}, kNow), "");
}

TEST(WhyNever, JobsAndTheYoungMoveOnlyIfTheySaySo) {
  NeverFacts job = Ordinary();
  job.owner_kind = "Job";
  EXPECT_NE(WhyNever(job, {}, kNow), "");
  EXPECT_EQ(WhyNever(job, {.allow_jobs = true}, kNow), "");
  NeverFacts young = Ordinary();
  young.created = kNow - std::chrono::minutes(59);
  EXPECT_EQ(WhyNever(young, {}, kNow), "is too young");
  young.created = kNow - std::chrono::minutes(60);
  EXPECT_EQ(WhyNever(young, {}, kNow), "");
  young.created.reset();
  EXPECT_EQ(WhyNever(young, {}, kNow), "is too young");
  NeverFacts unknown = Ordinary();
  unknown.history = std::chrono::hours(23);
  EXPECT_EQ(WhyNever(unknown, {}, kNow), "has too little history of use");
  for (NeverFacts each : {job, young, unknown}) {
    each.move = "allow";
    EXPECT_EQ(WhyNever(each, {}, kNow), "");
  }
}

}  // namespace
}  // namespace huygens::rescheduling
