// The CPU set that the kernel has for a container, read from its cgroup. Blocking; any thread; nothing is kept.
// Sources: Linux, Documentation/admin-guide/cgroup-v1/cpusets.rst and cgroup-v2.rst; runc, libcontainer/cgroups.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "runtime/container_runtime.h"

namespace huygens::runtime {

// The folder of a cgroup below its hierarchy: of "/kubepods/podX/ID" that very text, of systemd's form
// "kubepods-podX.slice:cri-containerd:ID" the folder "/kubepods.slice/kubepods-podX.slice/cri-containerd-ID.scope".
std::string CgroupFolder(std::string_view cgroups_path);

// The path of the cpuset (v1) or the only (v2) hierarchy in a text of /proc/PID/cgroup; "" if it has none.
std::string CpusetFolderOfProcess(std::string_view proc_cgroup);

struct CgroupRoots {
  std::string cgroups = "/sys/fs/cgroup";
  // Where the agent sees the node's processes (hostPID); else the numbers in it are of others, and no folder is found.
  std::string proc = "/proc";
};

// v1: cpuset.cpus and cpuset.mems; v2: the effective ones, since a set that cannot be had there is replaced by the
// parent's without an error. `pid` may be 0; it is asked where the folder of `cgroups_path` is not there, as where the
// runtime itself runs in a cgroup namespace. NotFound: no such cgroup. FailedPrecondition: the hierarchy is not there.
StatusOr<Cpuset> ReadCgroupCpuset(const CgroupRoots& roots, std::string_view cgroups_path, int64_t pid);

}  // namespace huygens::runtime
