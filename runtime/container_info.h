// What containerd and CRI-O tell of a container beyond CRI: the JSON text `info` of a verbose ContainerStatus. Pure.
// Source: containerd, internal/cri/server/container_status.go (ContainerInfo); CRI-O, server/container_status.go; the
// OCI runtime specification, config-linux.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "runtime/container_runtime.h"

namespace huygens::runtime {

struct ContainerInfo {
  int64_t pid = 0;           // of its first process, as the runtime sees it; 0: it does not run
  std::string cgroups_path;  // as the OCI runtime is given it: "/kubepods/podX/ID" or "slice:prefix:name"
  Resources resources;       // of the spec
};

// Fields that are not there stay unset. InvalidArgument: no JSON, or a field of another type.
StatusOr<ContainerInfo> ParseContainerInfo(std::string_view json);

}  // namespace huygens::runtime
