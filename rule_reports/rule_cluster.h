// Rules and the objects that they are for, as an API server has them now: for commands that ask it once. One thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/label_selector.h"
#include "base/status.h"
#include "rule_reports/api_call.h"
#include "rules/rule_set.h"
#include "rules/tree.h"

namespace huygens::rule_reports {

// Calls `take` for each object of a list, in pages. `path`: "/api/v1/pods".
Status ForEachStored(const ApiCall& api, const std::string& path,
                     const std::function<Status(const rules::Tree& object)>& take);

// Every rule, those that cannot be used with their defects.
StatusOr<std::vector<rules::SchedulingRule>> StoredRules(const ApiCall& api);
// Labels of all namespaces by name.
StatusOr<std::map<std::string, Labels>> StoredNamespaces(const ApiCall& api);

// An object as kubectl users name it: "pod/cart-0", "deploy/cart", "node/n1", or "cart-0" for a pod.
struct ObjectName {
  std::string group, kind, space, name, path;
  std::string Title() const;
};
// Errors say which kinds there are.
StatusOr<ObjectName> ReadObjectName(std::string_view text, const std::string& space);

}  // namespace huygens::rule_reports
