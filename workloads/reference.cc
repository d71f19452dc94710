#include "workloads/reference.h"

namespace huygens::workloads {

Status ReadReference(JsonReader& in, std::string& group, std::string& kind, std::string& name) {
  return in.Fields("kind", kind, "name", name, "apiVersion", [&]() -> Status {
    std::string version;
    HUYGENS_RETURN_IF_ERROR(in.Read(version));
    group = GroupOfVersion(version);
    return absl::OkStatus();
  });
}

std::string_view GroupOfVersion(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

}  // namespace huygens::workloads
