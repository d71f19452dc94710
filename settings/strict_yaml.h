// Reads a configuration file by the description of its fields, whosever configuration it is: a field that does not
// exist, exists twice, or has a value of the wrong kind is an error, and so is what contradicts itself. Any thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "base/status.h"
#include "settings/paths.h"
#include "settings/walk.h"

namespace huygens::settings {

// Gets the path of the field to blame ("server.tls.keyFile") and what is wrong with it.
using ReportFault = std::function<void(std::string_view path, std::string message)>;

struct StrictFile {
  std::string_view kind;                              // its field of that name: "ExtenderConfiguration"
  absl::FunctionRef<void(Walk&)> describe;            // walks the fields that are to be filled in
  absl::FunctionRef<void(const ReportFault&)> check;  // what no single field can be judged by; called after that
  std::vector<FieldEntry> (*all_fields)();            // for hints
};

// The names of the top-level fields that the file has. Fails (InvalidArgument) with every fault at once, one line each,
// in the order of the file: "extender.yaml:12:3: filter.narowTo: no such field; did you mean narrowTo?"; what was
// filled in by then is of no use. `file` is the name to use in messages.
StatusOr<std::vector<std::string>> ReadStrictly(std::string_view yaml, std::string_view file, const StrictFile& what);

}  // namespace huygens::settings
