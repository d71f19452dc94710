#include "admin/quota_page.h"

#include <utility>

#include "admin/quota_json.h"
#include "json/document.h"

namespace huygens::admin {

namespace {

using admin_api::QuotaTreeDocument;

constexpr size_t kGroupsPerStep = 10;
}  // namespace

QuotaPage::QuotaPage(std::string_view enforcement, std::string group, std::shared_ptr<const QuotaPackages> packages)
    : group_(std::move(group)), packages_(std::move(packages)) {
  QuotaTreeDocument document{.enforcement = std::string(enforcement)};
  if (packages_) document.packages = packages_->Rooms();
  head_ = EncodeJsonUpToItems(document);
}

bool QuotaPage::Step(const quota::Tree* tree, std::string& out) {
  out += std::exchange(head_, {});
  if (tree != nullptr) {
    auto at = tree->groups().lower_bound(next_);
    for (size_t i = 0; i < kGroupsPerStep && at != tree->groups().end(); ++i, ++at) {
      if (!Listed(*tree, at->first)) continue;
      if (!std::exchange(first_, false)) out += ',';
      QuotaTreeDocument::Group group = DescribeGroup(*tree, at->first);
      if (packages_) group.packages = packages_->FitsOf(*tree, at->first);
      AppendJson(out, group);
    }
    if (at != tree->groups().end()) {
      next_ = at->first;
      return true;
    }
  }
  out += "]}\n";
  return false;
}

bool QuotaPage::Listed(const quota::Tree& tree, std::string_view name) const {
  if (group_.empty()) return true;
  for (size_t depth = 0; depth < quota::kMaxDepth; ++depth) {
    if (name == group_) return true;
    const quota::Group* group = tree.Find(name);
    if (!group) return false;
    name = group->object->parent;
  }
  return false;
}

}  // namespace huygens::admin
