#include "controller/known_groups.h"

#include <utility>

#include "wire/object_meta.h"

namespace huygens::controller {

using cluster::BizGroupQuota;

bool KnownGroups::Set(BizGroupQuota group) {
  BizGroupQuota& known = groups_[group.name];
  const uint64_t version = wire::ParseResourceVersion(group.resource_version);
  if (version != 0 && version <= wire::ParseResourceVersion(known.resource_version)) return false;
  known = group;
  tree_.Set(std::move(group));
  return true;
}

void KnownGroups::Remove(std::string_view name) {
  tree_.Remove(name);
  if (const auto found = groups_.find(name); found != groups_.end()) groups_.erase(found);
}

const BizGroupQuota* KnownGroups::Find(std::string_view name) const {
  const auto found = groups_.find(name);
  return found == groups_.end() ? nullptr : &found->second;
}

void KnownGroups::ForEach(absl::FunctionRef<void(const BizGroupQuota&)> visit) const {
  for (const auto& [name, group] : groups_) visit(group);
}

std::vector<const BizGroupQuota*> KnownGroups::ChildrenOf(std::string_view name) const {
  std::vector<const BizGroupQuota*> children;
  const auto found = tree_.groups().find(name);
  if (found == tree_.groups().end()) return children;
  for (const std::string& each : found->second.children) {
    if (const BizGroupQuota* child = Find(each)) children.push_back(child);
  }
  return children;
}

quota::Amounts KnownGroups::Commitment(std::string_view name) const {
  const auto found = tree_.groups().find(name);
  return found == tree_.groups().end() ? quota::Amounts() : found->second.committed;
}

}  // namespace huygens::controller
