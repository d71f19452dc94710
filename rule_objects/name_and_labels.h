// What rules go by of objects that they are not for: of namespaces and PriorityClasses. A plain value; any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/label_selector.h"
#include "base/status.h"

namespace huygens::rule_objects {

struct NameAndLabels {
  std::string uid, name;
  Labels labels;
};
// Errors say which field cannot be read; an object without a name cannot be.
StatusOr<NameAndLabels> DecodeNameAndLabels(std::string_view json);

}  // namespace huygens::rule_objects
