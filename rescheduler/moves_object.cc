#include "rescheduler/moves_object.h"

#include "json/reader.h"
#include "kube/object_call.h"

namespace huygens::rescheduler {

StatusOr<std::string> StopReasonOf(std::string_view json) {
  return DecodeObject<std::string>(json, [](JsonReader& in, std::string& out) {
    const auto annotations = [&] {
      return in.Members([&](const JsonKey& key) -> Status {
        if (key.text != kStopAnnotation) return absl::OkStatus();
        HUYGENS_RETURN_IF_ERROR(in.Read(out));
        if (out.empty()) out = "no reason given";
        return absl::OkStatus();
      });
    };
    return in.Fields("metadata", [&] { return in.Fields("annotations", annotations); });
  });
}

namespace {

std::string PathIn(std::string_view namespace_name) {
  return Concat("/api/v1/namespaces/", namespace_name, "/configmaps/", kMovesObject);
}

constexpr Duration kTimeout = std::chrono::seconds(5);

}  // namespace

StatusOr<std::string> ReadReport(net::Client& client, std::string_view namespace_name, const std::string& day) {
  const std::string wanted = day + ".json";
  const auto report_of = [&](std::string_view json) {
    return DecodeObject<std::string>(json, [&](JsonReader& in, std::string& out) {
      return in.Fields("data", [&] {
        return in.Members([&](const JsonKey& key) { return key.text == wanted ? in.Read(out) : absl::OkStatus(); });
      });
    });
  };
  auto read = kube::CallForObject(report_of, client, "GET", PathIn(namespace_name), "", kTimeout);
  if (absl::IsNotFound(read.status())) return std::string();
  return read;
}

Status PatchMoves(net::Client& client, std::string_view namespace_name, std::string_view patch) {
  return kube::CallForObject(client, "PATCH", PathIn(namespace_name), patch, kTimeout, kube::PatchHeaders("merge"))
      .status();
}

StatusOr<std::string> StopReason(net::Client& client, std::string_view namespace_name) {
  auto read = kube::CallForObject(StopReasonOf, client, "GET", PathIn(namespace_name), "", kTimeout);
  if (absl::IsNotFound(read.status())) return std::string();
  return read;
}

}  // namespace huygens::rescheduler
