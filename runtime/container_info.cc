#include "runtime/container_info.h"

#include <optional>

#include "json/reader.h"

namespace huygens::runtime {

namespace {

Status ReadInto(JsonReader& in, std::optional<int64_t>& out) {
  if (in.SkipNull()) return absl::OkStatus();
  int64_t number = 0;
  HUYGENS_RETURN_IF_ERROR(in.Read(number));
  out = number;
  return absl::OkStatus();
}

Status ReadResources(JsonReader& in, Resources& out) {
  return in.Fields(
      "cpu",
      [&] {
        return in.Fields(
            "shares", [&] { return ReadInto(in, out.cpu_shares); }, "quota",
            [&] { return ReadInto(in, out.cpu_quota); }, "period", [&] { return ReadInto(in, out.cpu_period); }, "cpus",
            out.cpuset.cpus, "mems", out.cpuset.mems);
      },
      "memory", [&] { return in.Fields("limit", [&] { return ReadInto(in, out.memory); }); });
}

}  // namespace

StatusOr<ContainerInfo> ParseContainerInfo(std::string_view json) {
  return DecodeObject<ContainerInfo>(json, [](JsonReader& in, ContainerInfo& out) {
    return in.Fields("pid", out.pid, "runtimeSpec", [&] {
      return in.Fields("linux", [&] {
        return in.Fields("cgroupsPath", out.cgroups_path, "resources",
                         [&] { return ReadResources(in, out.resources); });
      });
    });
  });
}

}  // namespace huygens::runtime
