// A YAML file that holds no Kubernetes objects but settings of a program, as JSON. Blocking; any thread.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace huygens::kube {

// Each document of the file, at most 1 MiB. Errors name the file and, where there is one, the line.
StatusOr<std::vector<std::string>> ReadYamlAsJson(const std::string& path);

}  // namespace huygens::kube
