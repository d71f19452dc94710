#include "runtime/container_info.h"

#include <gtest/gtest.h>

namespace huygens::runtime {
namespace {

TEST(ContainerInfo, ReadsWhatContainerdSays) {
  // As containerd 1.6.20 writes it, without what is not read.
  const StatusOr<ContainerInfo> info = ParseContainerInfo(
      R"({"sandboxID":"s","pid":4711,"removing":false,"runtimeOptions":null,"config":{"metadata":{"name":"c"}},"runtimeSpec":{"ociVersion":"1.0.2","linux":{)"
      R"("cgroupsPath":"/kubepods/podX/abc","resources":{"devices":[{"allow":false}],"memory":{"limit":1073741824},)"
      R"("cpu":{"shares":2048,"quota":200000,"period":100000,"cpus":"0-1","mems":"0"}}}}})");
  ASSERT_TRUE(info.ok()) << info.status();
  EXPECT_EQ(info->pid, 4711);
  EXPECT_EQ(info->cgroups_path, "/kubepods/podX/abc");
  EXPECT_EQ(info->resources.cpuset, (Cpuset{.cpus = "0-1", .mems = "0"}));
  EXPECT_EQ(info->resources.cpu_shares, 2048);
  EXPECT_EQ(info->resources.cpu_quota, 200000);
  EXPECT_EQ(info->resources.cpu_period, 100000);
  EXPECT_EQ(info->resources.memory, 1073741824);
}

TEST(ContainerInfo, WhatIsNotThereIsUnset) {
  const StatusOr<ContainerInfo> info =
      ParseContainerInfo(R"({"pid":0,"runtimeSpec":{"linux":{"resources":{"cpu":{"quota":null}}}}})");
  ASSERT_TRUE(info.ok()) << info.status();
  EXPECT_EQ(info->cgroups_path, "");
  EXPECT_FALSE(info->resources.cpu_quota.has_value());
  EXPECT_FALSE(info->resources.memory.has_value());
}

TEST(ContainerInfo, RefusesWhatIsNoDescription) {
  EXPECT_FALSE(ParseContainerInfo("").ok());
  EXPECT_FALSE(ParseContainerInfo("[1]").ok());
  EXPECT_EQ(
      Message(ParseContainerInfo(R"({"runtimeSpec":{"linux":{"resources":{"cpu":{"shares":"many"}}}}})").status()),
      "runtimeSpec.linux.resources.cpu.shares: expected a whole number, found a string");
}

}  // namespace
}  // namespace huygens::runtime
