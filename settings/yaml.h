// Reads and prints the configuration file. Strict: a field that does not exist, exists twice, or has a value of the
// wrong kind is an error, and so is what contradicts itself. Any thread; nothing is kept.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "settings/configuration.h"

namespace huygens::settings {

// `file` is the name to use in messages. Fails (InvalidArgument) with every fault at once, one line each, in the order
// of the file:
//   extender.yaml:12:3: filter.narowTo: no such field; did you mean narrowTo?
StatusOr<Configuration> ParseConfiguration(std::string_view yaml, std::string_view file);
// Reads at most 1 MiB. NotFound or PermissionDenied if the file cannot be read.
StatusOr<Configuration> LoadConfiguration(const std::string& path);

// Every field with its value and a comment; optional sections that are absent are commented out. Parses to the same
// configuration.
std::string ToYaml(Configuration configuration);
std::string DefaultsYaml();
// The same as the tables of docs/configuration.md.
std::string ReferenceMarkdown();

}  // namespace huygens::settings
