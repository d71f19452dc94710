// v1 Secret, both ways. `data` is what the Secret holds, not its base64. Errors hold none of it. Safe on any thread.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/status.h"

namespace huygens::certificates {

using SecretData = std::map<std::string, std::string, std::less<>>;

struct Secret {
  std::string name;
  std::string namespace_name;
  std::string uid;
  std::string resource_version;  // sent back in a patch, so that of two writers one gets 409; empty in a create
  std::string type;              // cannot be changed
  std::string managed_by;        // the label app.kubernetes.io/managed-by
  SecretData data;
};

StatusOr<Secret> DecodeSecret(std::string_view json);
// The object to be created, or as a merge patch: what it does not name stays.
std::string EncodeSecret(const Secret& secret);

}  // namespace huygens::certificates
