// SchedulingRules and the objects they are for, from files of YAML or JSON.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/label_selector.h"
#include "base/status.h"
#include "kube/manifest_files.h"
#include "rules/rule_set.h"

namespace huygens::rule_reports {

struct RuleFiles {
  rules::RuleSet rules;
  size_t broken = 0;
  std::string faults;  // a line each
};
// NotFound where there is no rule. Errors say which file and line.
StatusOr<RuleFiles> ReadRuleFiles(const std::string& path);

struct ObjectFiles {
  std::vector<kube::ManifestObject> objects;
  std::map<std::string, Labels> namespaces;
};
// NotFound where there is no object that rules could be for.
StatusOr<ObjectFiles> ReadObjectFiles(const std::string& path);

}  // namespace huygens::rule_reports
