// The groups as they were last seen or written, and the tree that they form. Owned by one thread.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "cluster/biz_group_quota.h"
#include "quota/amounts.h"
#include "quota/tree.h"

namespace huygens::controller {

class KnownGroups {
 public:
  // False: it is as old as the one that is known, or older, and was passed over.
  bool Set(cluster::BizGroupQuota group);
  void Remove(std::string_view name);

  // As the API server has it; null: there is none. Valid until the next change.
  const cluster::BizGroupQuota* Find(std::string_view name) const;
  void ForEach(absl::FunctionRef<void(const cluster::BizGroupQuota&)> visit) const;
  // Those that name it as their parent.
  std::vector<const cluster::BizGroupQuota*> ChildrenOf(std::string_view name) const;
  // What it takes of its parent.
  quota::Amounts Commitment(std::string_view name) const;
  bool empty() const { return groups_.empty(); }
  // Without what pods take.
  const quota::Tree& tree() const { return tree_; }

 private:
  std::map<std::string, cluster::BizGroupQuota, std::less<>> groups_;
  quota::Tree tree_;
};

}  // namespace huygens::controller
