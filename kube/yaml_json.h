// YAML documents as JSON text, so that manifests go through the same decoders as the API server's answers. For the
// files of kube/ only: the one header here that shows yaml-cpp.
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>

#include "base/status.h"

namespace huygens::kube {

// Appends `node` as JSON. Plain scalars follow YAML's core schema (null, true, 12, 1.5), everything else is a string,
// as is a number that JSON cannot write. Merge keys ("<<") are resolved. Errors name the line: a key twice, a key that
// is no scalar, too large a text (aliases).
Status AppendYamlAsJson(std::string& out, const YAML::Node& node);

// Lines count from 1.
int LineOf(const YAML::Node& node);

}  // namespace huygens::kube
