// huygens quota check: shows each object of manifests to the API server as a dry run, and so to the webhooks that it
// asks. Nothing is stored. One thread.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/status.h"
#include "cli/api_server.h"
#include "wire/object_meta.h"

namespace huygens::cli {

class ManifestCheck {
 public:
  // `space`: the namespace of objects that name none.
  ManifestCheck(ApiCall call, std::string space) : call_(std::move(call)), space_(std::move(space)) {}

  // The line of one object: "ok       shop/Deployment/web" or "REFUSED  shop/Deployment/web: quota bizrq/team: ...". A
  // line more, "warning  shop/Deployment/web: ...", for each warning. An error: nobody answered.
  StatusOr<std::string> Check(const wire::ObjectMeta& meta, const std::string& json);

  // So many were not accepted.
  int refused() const { return refused_; }

 private:
  struct Resource {
    std::string plural;
    bool namespaced = false;
  };

  StatusOr<Resource> Find(const std::string& api_version, const std::string& kind);

  const ApiCall call_;
  const std::string space_;
  std::map<std::string, Resource> known_;  // by apiVersion and kind
  int refused_ = 0;
};

}  // namespace huygens::cli
