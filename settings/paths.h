// Every field by its path, for hints and for the reference: "filter.narrowTo", "prioritize.terms[].weight".
#pragma once

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"

namespace huygens::settings {

class Walk;

struct FieldEntry {
  std::string path;
  std::string kind;           // "section" and "list" for what has fields of its own
  std::string default_value;  // as YAML; empty: none
  std::string comment;
};

// Of any configuration, in the order of its description: `describe` walks one that is thrown away.
std::vector<FieldEntry> FieldsOf(absl::FunctionRef<void(Walk&)> describe);
// Of the extender's.
std::vector<FieldEntry> AllFields();

}  // namespace huygens::settings
