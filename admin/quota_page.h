// /debug/quotas[?group=NAME][&package=cpu=4,memory=16Gi...]: the tree of business groups, or one group and those below
// it, ordered by name (admin_api/quota_document.h), and how many more pods of each size fit. Decision thread only, in
// steps: a group that comes or goes meanwhile may or may not be listed.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "admin/quota_packages.h"
#include "quota/tree.h"

namespace huygens::admin {

class QuotaPage {
 public:
  // `group` empty: all. `packages`, which have looked at all nodes, may be null.
  QuotaPage(std::string_view enforcement, std::string group, std::shared_ptr<const QuotaPackages> packages = nullptr);

  // Appends the next groups to `out`; false once it has looked at all, and then the end is there. No tree: no groups.
  bool Step(const quota::Tree* tree, std::string& out);

 private:
  bool Listed(const quota::Tree& tree, std::string_view name) const;

  std::string group_;
  std::shared_ptr<const QuotaPackages> packages_;
  std::string next_;  // the first name that was not looked at
  std::string head_;  // not written yet
  bool first_ = true;
};

}  // namespace huygens::admin
