// What every Kubernetes object says of itself, read without looking at the rest. Absent fields are empty. Safe on any
// thread.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace huygens::wire {

struct ObjectMeta {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string namespace_name;
  std::string uid;
  std::string resource_version;  // opaque: compare for equality only
};

StatusOr<ObjectMeta> DecodeObjectMeta(std::string_view json);

}  // namespace huygens::wire
