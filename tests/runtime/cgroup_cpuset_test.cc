#include "runtime/cgroup_cpuset.h"

#include <gtest/gtest.h>

#include "tests/fake/temporary_directory.h"

namespace huygens::runtime {
namespace {

TEST(CgroupFolder, OfBothDrivers) {
  EXPECT_EQ(CgroupFolder("/kubepods/burstable/podX/abc"), "/kubepods/burstable/podX/abc");
  EXPECT_EQ(CgroupFolder("kubepods-burstable-podX.slice:cri-containerd:abc"),
            "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podX.slice/cri-containerd-abc.scope");
  EXPECT_EQ(CgroupFolder("kubepods.slice:crio:abc"), "/kubepods.slice/crio-abc.scope");
  EXPECT_EQ(CgroupFolder(":cri:abc"), "/system.slice/cri-abc.scope");
  EXPECT_EQ(CgroupFolder("-.slice::abc"), "/abc.scope");
  EXPECT_EQ(CgroupFolder("a.slice:x:a-b.slice"), "/a.slice/a-b.slice");
}

TEST(CpusetFolderOfProcess, OfBothVersions) {
  EXPECT_EQ(CpusetFolderOfProcess("12:pids:/p\n5:cpu,cpuset:/kubepods/x\n1:name=systemd:/s\n0::/unified\n"),
            "/kubepods/x");
  EXPECT_EQ(CpusetFolderOfProcess("0::/kubepods.slice/a:b\n"), "/kubepods.slice/a:b");
  EXPECT_EQ(CpusetFolderOfProcess("nonsense\n\n"), "");
}

class ReadCgroupCpusetTest : public testing::Test {
 protected:
  StatusOr<Cpuset> Read(std::string_view path, int64_t pid = 0) const {
    return ReadCgroupCpuset({.cgroups = directory_.File("cgroup"), .proc = directory_.File("proc")}, path, pid);
  }
  fake::TemporaryDirectory directory_;
};

TEST_F(ReadCgroupCpusetTest, OfVersion1) {
  directory_.Write("cgroup/cpuset/kubepods/podX/abc/cpuset.cpus", "0-1,4\n");
  directory_.Write("cgroup/cpuset/kubepods/podX/abc/cpuset.mems", "0\n");
  const StatusOr<Cpuset> read = Read("/kubepods/podX/abc");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, (Cpuset{.cpus = "0-1,4", .mems = "0"}));
}

TEST_F(ReadCgroupCpusetTest, OfVersion2IsWhatIsInEffect) {
  directory_.Write("cgroup/cgroup.controllers", "cpuset cpu\n");
  const std::string folder = "cgroup/kubepods.slice/kubepods-podX.slice/cri-containerd-abc.scope/";
  directory_.Write(folder + "cpuset.cpus", "64-127\n");
  directory_.Write(folder + "cpuset.cpus.effective", "0-63\n");
  directory_.Write(folder + "cpuset.mems.effective", "0-1\n");
  const StatusOr<Cpuset> read = Read("kubepods-podX.slice:cri-containerd:abc");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, (Cpuset{.cpus = "0-63", .mems = "0-1"}));
}

TEST_F(ReadCgroupCpusetTest, AsksTheProcessWhereTheRuntimesPathIsNotOurs) {
  directory_.Write("cgroup/cpuset/docker/node/kubepods/abc/cpuset.cpus", "1\n");
  directory_.Write("cgroup/cpuset/docker/node/kubepods/abc/cpuset.mems", "0\n");
  directory_.Write("proc/4711/cgroup", "5:cpuset:/docker/node/kubepods/abc\n");
  const StatusOr<Cpuset> read = Read("/kubepods/abc", 4711);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->cpus, "1");
}

TEST_F(ReadCgroupCpusetTest, ErrorsSayWhatIsMissing) {
  EXPECT_TRUE(absl::IsFailedPrecondition(Read("/kubepods/abc").status()));
  directory_.Write("cgroup/cpuset/cpuset.cpus", "0-1\n");
  EXPECT_TRUE(absl::IsNotFound(Read("/kubepods/abc").status()));
  EXPECT_TRUE(absl::IsNotFound(Read("").status()));
  // Never the whole machine's, and nothing outside the hierarchy.
  directory_.Write("proc/4711/cgroup", "5:cpuset:/\n");
  EXPECT_TRUE(absl::IsNotFound(Read("/kubepods/abc", 4711).status()));
  directory_.Write("cgroup/elsewhere/cpuset.cpus", "0-1\n");
  EXPECT_TRUE(absl::IsNotFound(Read("/../elsewhere").status()));
  // cgroup v2 without the controller.
  directory_.Write("cgroup/cgroup.controllers", "cpu\n");
  directory_.Write("cgroup/kubepods/abc/cgroup.procs", "");
  EXPECT_TRUE(absl::IsFailedPrecondition(Read("/kubepods/abc").status()));
}

}  // namespace
}  // namespace huygens::runtime
