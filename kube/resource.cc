#include "kube/resource.h"

#include "kube/list_path.h"

namespace huygens::kube {

Resource ResourceOf(cluster::Kind kind, ResourceNames& names) {
  Resource resource;
  resource.kind = kind;
  for (const std::string_view path : ListPaths(kind)) resource.paths.emplace_back(path);
  resource.optional = IsOptional(kind);
  resource.why_absent = WhyAbsent(kind);
  if (IsOfDevices(kind)) {
    resource.why_forbidden = [kind](const net::HttpReply& reply) { return WhyForbidden(kind, reply); };
  }
  resource.present = [kind, &names](std::string_view json, uint64_t resource_version) {
    return DecodePresent(kind, json, names, resource_version);
  };
  resource.deleted = [kind](std::string_view json) { return DecodeDeleted(kind, json); };
  return resource;
}

}  // namespace huygens::kube
