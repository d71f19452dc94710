// Every field by its path, for hints and for the reference: "filter.narrowTo", "prioritize.terms[].weight".
#pragma once

#include <string>
#include <vector>

namespace huygens::settings {

struct FieldEntry {
  std::string path;
  std::string kind;           // "section" and "list" for what has fields of its own
  std::string default_value;  // as YAML; empty: none
  std::string comment;
};

// In the order of the description.
std::vector<FieldEntry> AllFields();

}  // namespace huygens::settings
