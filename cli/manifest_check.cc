#include "cli/manifest_check.h"

#include <vector>

#include "base/text.h"
#include "json/document.h"
#include "kube/api_call.h"

namespace huygens::cli {

namespace {

// meta/v1 APIResourceList.
struct ResourceList {
  struct Resource {
    std::string name, kind;
    bool namespaced = false;

    static void Describe(auto& self, auto& fields) {
      fields.Always("name", self.name);
      fields.Always("kind", self.kind);
      fields.Always("namespaced", self.namespaced);
    }
  };
  std::vector<Resource> resources;

  static void Describe(auto& self, auto& fields) { fields.Always("resources", self.resources); }
};

// Server-side apply: a creation where there is no such object, else an update; of whoever owns which field nothing
// depends here.
constexpr std::string_view kApplyType = "application/apply-patch+yaml";
constexpr std::string_view kApplyQuery = "?dryRun=All&force=true&fieldManager=huygens-quota-check";

std::string RootOf(const std::string& api_version) {
  return Concat(api_version.find('/') == std::string::npos ? "/api/" : "/apis/", api_version);
}

}  // namespace

StatusOr<ManifestCheck::Resource> ManifestCheck::Find(const std::string& api_version, const std::string& kind) {
  const std::string key = Concat(api_version, " ", kind);
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  const auto json = GetObject(call_, RootOf(api_version));
  if (absl::IsNotFound(json.status())) return NotFound(Concat("the API server has no ", api_version));
  if (!json.ok()) return json.status();
  HUYGENS_ASSIGN_OR_RETURN(const ResourceList list, DecodeJson<ResourceList>(*json));
  for (const ResourceList::Resource& each : list.resources) {
    if (each.kind != kind || each.name.find('/') != std::string::npos) continue;
    return known_.emplace(key, Resource{each.name, each.namespaced}).first->second;
  }
  return NotFound(Concat("the API server has no ", kind, " in ", api_version));
}

StatusOr<std::string> ManifestCheck::Check(const wire::ObjectMeta& meta, const std::string& json) {
  const auto resource = Find(meta.api_version, meta.kind);
  if (!resource.ok() && !absl::IsNotFound(resource.status())) return resource.status();
  const std::string space = meta.namespace_name.empty() ? space_ : meta.namespace_name;
  const bool in_space = resource.ok() && resource->namespaced;
  const std::string name = Concat(in_space ? Concat(space, "/") : "", meta.kind, "/", meta.name);
  const auto refused = [&](std::string_view why) {
    ++refused_;
    return Concat("REFUSED  ", name, ": ", why, "\n");
  };
  if (!resource.ok()) return refused(Message(resource.status()));
  if (!kube::IsObjectName(meta.name)) return refused("it needs a name");
  if (!kube::IsObjectName(space)) return refused("its namespace is no name");
  const std::string path = Concat(RootOf(meta.api_version), in_space ? Concat("/namespaces/", space) : "", "/",
                                  resource->plural, "/", meta.name, kApplyQuery);
  HUYGENS_ASSIGN_OR_RETURN(const net::HttpReply reply, call_("PATCH", path, json, kApplyType));
  std::string lines = kube::Succeeded(reply) ? Concat("ok       ", name, "\n") : refused(kube::ExplainReply(reply));
  for (const std::string& each : reply.warnings) lines += Concat("warning  ", name, ": ", each, "\n");
  return lines;
}

}  // namespace huygens::cli
