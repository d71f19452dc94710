#include "kubelet/shared_pods.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

namespace huygens::kubelet {
namespace {

Pod Asking(int cpus, ResourceVector memory = {}) {
  Pod pod;
  pod.containers.push_back({.cpus = cpus, .memory = memory, .devices = {}});
  pod.cpus = cpus;
  pod.memory = std::move(memory);
  return pod;
}

TEST(SharedPods, EqualOnesAreOne) {
  SharedPods pods;
  const auto two = pods.Share(Asking(2));
  EXPECT_EQ(*two, Asking(2));
  EXPECT_EQ(pods.Share(Asking(2)), two);
  const auto with_memory = pods.Share(Asking(2, {{kMemory, 1}}));
  EXPECT_NE(with_memory, two);
  EXPECT_EQ(*with_memory, Asking(2, {{kMemory, 1}}));
  EXPECT_EQ(pods.size(), 2u);
}

TEST(SharedPods, WhatNobodyHasIsForgottenInTime) {
  SharedPods pods;
  const auto kept = pods.Share(Asking(0));
  for (int cpus = 1; cpus < 1000; ++cpus) (void)pods.Share(Asking(cpus));
  EXPECT_LT(pods.size(), 100u);
  EXPECT_EQ(pods.Share(Asking(0)), kept);
}

TEST(SharedPods, WhatIsHeldStays) {
  SharedPods pods;
  std::vector<std::shared_ptr<const Pod>> held;
  held.reserve(1000);
  for (int cpus = 0; cpus < 1000; ++cpus) held.push_back(pods.Share(Asking(cpus)));
  EXPECT_EQ(pods.size(), 1000u);
  for (int cpus = 0; cpus < 1000; ++cpus) EXPECT_EQ(pods.Share(Asking(cpus)), held[static_cast<size_t>(cpus)]);
}

}  // namespace
}  // namespace huygens::kubelet
