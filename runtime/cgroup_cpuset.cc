#include "runtime/cgroup_cpuset.h"

#include <sys/stat.h>

#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "base/read_file.h"

namespace huygens::runtime {

namespace {

bool Exists(const std::string& path) {
  struct stat ignored{};
  return ::stat(path.c_str(), &ignored) == 0;
}

// "kubepods-burstable-podX.slice" lies in kubepods.slice/kubepods-burstable.slice: systemd.slice(5).
std::string SliceFolder(std::string_view slice) {
  constexpr std::string_view kSuffix = ".slice";
  if (!slice.ends_with(kSuffix)) return slice.empty() ? "" : Concat("/", slice);
  const std::string_view name = slice.substr(0, slice.size() - kSuffix.size());
  if (name == "-") return "";
  std::string folder;
  for (size_t dash = name.find('-'); dash != std::string_view::npos; dash = name.find('-', dash + 1)) {
    folder += Concat("/", name.substr(0, dash), kSuffix);
  }
  return Concat(folder, "/", slice);
}

StatusOr<std::string> ReadList(const std::string& path) {
  HUYGENS_ASSIGN_OR_RETURN(std::string text, ReadFile(path, "CPU set"));
  return std::string(absl::StripAsciiWhitespace(text));
}

// What becomes of a container's path must stay below the hierarchy.
bool Climbs(std::string_view folder) {
  for (absl::string_view part : absl::StrSplit(ToAbsl(folder), '/')) {
    if (part == "..") return true;
  }
  return false;
}

}  // namespace

std::string CgroupFolder(std::string_view cgroups_path) {
  const std::vector<absl::string_view> parts = absl::StrSplit(ToAbsl(cgroups_path), ':');
  if (parts.size() != 3) return std::string(cgroups_path);
  const std::string_view slice = ToStd(parts[0]), prefix = ToStd(parts[1]), name = ToStd(parts[2]);
  // runc: system.slice where none is named; no scope around a slice.
  const std::string folder = SliceFolder(slice.empty() ? "system.slice" : slice);
  if (name.ends_with(".slice")) return Concat(folder, "/", name);
  return prefix.empty() ? Concat(folder, "/", name, ".scope") : Concat(folder, "/", prefix, "-", name, ".scope");
}

std::string CpusetFolderOfProcess(std::string_view proc_cgroup) {
  std::string unified;
  for (absl::string_view line : absl::StrSplit(ToAbsl(proc_cgroup), '\n')) {
    const std::vector<absl::string_view> parts = absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3) continue;
    if (parts[1].empty()) unified = std::string(parts[2]);
    for (absl::string_view controller : absl::StrSplit(parts[1], ',')) {
      if (controller == "cpuset") return std::string(parts[2]);
    }
  }
  return unified;
}

StatusOr<Cpuset> ReadCgroupCpuset(const CgroupRoots& roots, std::string_view cgroups_path, int64_t pid) {
  const std::string v1 = Concat(roots.cgroups, "/cpuset");
  const bool unified = Exists(Concat(roots.cgroups, "/cgroup.controllers"));
  if (!unified && !Exists(v1)) {
    return Refused(Concat("neither ", roots.cgroups, "/cgroup.controllers (cgroup v2) nor ", v1,
                          " (cgroup v1) is there: mount the node's /sys/fs/cgroup read-only into the agent's pod"));
  }
  const std::string& root = unified ? roots.cgroups : v1;
  std::string folder = CgroupFolder(cgroups_path);
  if (folder.empty() || Climbs(folder) || !Exists(Concat(root, "/", folder))) {
    if (pid > 0) {
      const StatusOr<std::string> process =
          ReadFile(Concat(roots.proc, "/", std::to_string(pid), "/cgroup"), "cgroups of a process");
      if (process.ok()) folder = CpusetFolderOfProcess(*process);
    }
    if (folder.empty() || folder == "/" || Climbs(folder) || !Exists(Concat(root, "/", folder))) {
      return NotFound(
          Concat("no cgroup \"", cgroups_path, "\" below ", root, ": the container does not run (any more)"));
    }
  }
  const std::string files = Concat(root, folder.starts_with('/') ? "" : "/", folder, "/cpuset.");
  if (unified && !Exists(Concat(files, "cpus.effective"))) {
    return Refused(Concat(files,
                          "cpus.effective is not there: the controller `cpuset` is not enabled for the cgroups of "
                          "pods; no CPU set can be given there"));
  }
  Cpuset cpuset;
  HUYGENS_ASSIGN_OR_RETURN(cpuset.cpus, ReadList(Concat(files, unified ? "cpus.effective" : "cpus")));
  HUYGENS_ASSIGN_OR_RETURN(cpuset.mems, ReadList(Concat(files, unified ? "mems.effective" : "mems")));
  return cpuset;
}

}  // namespace huygens::runtime
