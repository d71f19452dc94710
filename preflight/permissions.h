// What huygens has to be allowed to do with a given configuration: the one list that preflight asks about, and that a
// test compares with config/rbac. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "preflight/finding.h"
#include "settings/configuration.h"

namespace huygens::preflight {

struct Permission {
  std::string_view group;  // API group; empty: core
  std::string_view resource;
  std::string_view subresource;
  std::string_view verb;
  std::string namespace_name;  // empty: cluster-wide
  std::string object;          // the only object of that name; empty: any
  std::string_view what_for;
  Severity without = Severity::kError;  // how bad it is to lack it

  // "list pods", "create pods/binding", "update leases/huygens-bind in kube-system".
  std::string Text() const;
  std::string Object() const;  // without the verb
};
// `budgets_of_devices`: some group has one.
std::vector<Permission> PermissionsFor(const settings::Configuration& configuration, bool budgets_of_devices = false);

// What the API server said when asked about one.
struct Access {
  Permission permission;
  bool allowed = false;
  Status asked;  // not ok: nobody could say
};
// `account`: whom it was asked for.
Findings JudgePermissions(const std::vector<Access>& accesses, std::string_view account);

}  // namespace huygens::preflight
