#include "informer/watch_readiness.h"

#include <gtest/gtest.h>

namespace huygens::informer {
namespace {

TEST(WaitingText, SaysACauseThatAllShareOnce) {
  const Missing missing[] = {{"nodes", "GET https://10.0.0.1:6443/api/v1/nodes: Connection refused"},
                             {"pods", "GET https://10.0.0.1:6443/api/v1/pods: Connection refused"},
                             {"as", "GET https://10.0.0.1:6443/apis/a: Connection refused"},
                             {"bs", "GET https://10.0.0.1:6443/apis/b: Connection refused"}};
  EXPECT_EQ(WaitingText(missing),
            "waiting for the first list of nodes, pods and 2 more (GET https://10.0.0.1:6443/...: Connection refused)");
  EXPECT_EQ(WaitingText({missing, 3}),
            "waiting for the first list of nodes, pods and as (GET https://10.0.0.1:6443/...: Connection refused)");
}

TEST(WaitingText, KeepsCausesApart) {
  const Missing missing[] = {
      {"nodes", ""}, {"pods", "GET http://h/pods: no answer in time"}, {"as", ""}, {"bs", "HTTP 403"}};
  EXPECT_EQ(
      WaitingText(missing),
      "waiting for the first list of nodes and as; of pods (GET http://h/...: no answer in time); of bs (HTTP 403)");
  EXPECT_EQ(WaitingText({}), "");
}

// "[+]pods synced", as /readyz?verbose has it.
std::string Line(cluster::Kind kind, kube::WatchState state, bool listed, Duration silence) {
  const observe::Readiness::Item item =
      DescribeWatch({kind, state, state == kube::WatchState::kBroken ? "cut" : ""}, listed, silence);
  return Concat(item.warning ? "[!]" : item.ok ? "[+]" : "[-]", item.name, " ", item.detail);
}

TEST(DescribeWatch, WhatMayNotBeReadIsNoReasonToWait) {
  using kube::WatchState;
  for (const bool listed : {false, true}) {
    EXPECT_EQ(Line(cluster::Kind::kResourceClaim, WatchState::kForbidden, listed, Duration::zero()),
              "[!]resourceclaims.resource.k8s.io forbidden");
  }
  EXPECT_EQ(Line(cluster::Kind::kResourceClaim, WatchState::kBroken, false, Duration::zero()),
            "[-]resourceclaims.resource.k8s.io broken: cut");
}

TEST(DescribeWatch, SaysThatNothingWasHeardOfAKind) {
  using kube::WatchState;
  using std::chrono::seconds;
  EXPECT_EQ(Line(cluster::Kind::kPod, WatchState::kSynced, true, seconds(60)), "[+]pods synced");
  EXPECT_EQ(Line(cluster::Kind::kPod, WatchState::kBroken, true, seconds(60)), "[!]pods broken: cut");
  EXPECT_EQ(Line(cluster::Kind::kPod, WatchState::kSynced, true, seconds(181)),
            "[!]pods synced; not heard of for 181 s: decisions go on with what was last seen")
      << "a watch may be open and say nothing";
  EXPECT_EQ(Line(cluster::Kind::kNode, WatchState::kBroken, true, seconds(600)),
            "[!]nodes broken: cut; not heard of for 600 s: decisions go on with what was last seen");
  EXPECT_EQ(Line(cluster::Kind::kNode, WatchState::kBroken, true, seconds(601)),
            "[-]nodes broken: cut; not heard of for 601 s: decisions go on with what was last seen");
  EXPECT_EQ(Line(cluster::Kind::kCraneTopology, WatchState::kBroken, true, seconds(6000)).substr(0, 3), "[!]")
      << "only what every decision needs makes huygens unready";
  EXPECT_EQ(Line(cluster::Kind::kPod, WatchState::kListing, false, seconds(0)), "[-]pods listing");
}

}  // namespace
}  // namespace huygens::informer
