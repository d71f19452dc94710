// What every Kubernetes object says of itself, read without looking at the rest. Absent fields are empty. Safe on any
// thread.
#pragma once

#include <cstdint>
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
  std::string resource_version;
};

StatusOr<ObjectMeta> DecodeObjectMeta(std::string_view json);

// A resource version as a number; 0 for what is none: it then says nothing about order, nor whether anything changed.
uint64_t ParseResourceVersion(std::string_view text);
}  // namespace huygens::wire
