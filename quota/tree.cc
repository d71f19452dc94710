#include "quota/tree.h"

#include <utility>

#include "base/text.h"
#include "quota/keys.h"

namespace huygens::quota {
namespace {

Verdict Refuse(Outcome outcome, std::string detail) { return {outcome, {}, std::move(detail)}; }

}  // namespace

Amounts Commitment(const cluster::BizGroupQuota& child) {
  Amounts held = child.hard;
  Max(held, Masked(CashOf(child.used), child.hard));
  return held;
}

const Quantity* Group::UsedOf(std::string_view key) const {
  static const Quantity kNone;
  if (IsCash(key) && !quota::Find(object->self_used, key)) return nullptr;
  const Quantity* found = quota::Find(used, key);
  return found ? found : &kNone;
}

void Tree::Set(cluster::BizGroupQuota object) {
  object.hard = NormalKeys(object.hard);
  object.used = NormalKeys(object.used);
  object.self_used = NormalKeys(object.self_used);
  Remove(object.name);
  Attach(object, true);
  std::string name = object.name;
  groups_[name].object = std::move(object);
}

void Tree::Remove(std::string_view name) {
  auto found = groups_.find(name);
  if (found == groups_.end() || !found->second.object) return;
  cluster::BizGroupQuota object = *std::exchange(found->second.object, std::nullopt);
  Attach(object, false);
  Tidy(name);
}

// With its parent, and its own hours, which no pod of the tree brings.
void Tree::Attach(const cluster::BizGroupQuota& object, bool attach) {
  auto change = [&](std::string_view group, const Amounts& amounts) {
    if (attach) {
      Change(group, amounts, {});
    } else {
      Change(group, {}, amounts);
    }
  };
  change(object.name, CashOf(object.self_used));
  if (object.parent.empty()) return;
  change(object.parent, Commitment(object));
  auto& siblings = groups_.find(object.parent)->second.children;
  if (attach) {
    siblings.insert(object.name);
  } else {
    siblings.erase(object.name);
    Tidy(object.parent);
  }
}

void Tree::Charge(std::string_view group, const Amounts& usage) {
  Change(group, usage, {});
  Group& charged = groups_.find(group)->second;
  Add(charged.charged, usage);
  RemoveZeros(charged.charged);
}

void Tree::Release(std::string_view group, const Amounts& usage) {
  Change(group, {}, usage);
  Group& charged = groups_.find(group)->second;
  Subtract(charged.charged, usage);
  RemoveZeros(charged.charged);
  Tidy(group);
}

void Tree::Change(std::string_view name, const Amounts& more, const Amounts& less) {
  Group& group = groups_.try_emplace(std::string(name)).first->second;
  Add(group.used, more);
  Subtract(group.used, less);
  RemoveZeros(group.used);
}

void Tree::Tidy(std::string_view name) {
  auto found = groups_.find(name);
  if (found == groups_.end()) return;
  const Group& group = found->second;
  if (!group.object && group.used.empty() && group.charged.empty() && group.children.empty()) groups_.erase(found);
}

const Group* Tree::Find(std::string_view name) const {
  auto found = groups_.find(name);
  return found == groups_.end() || !found->second.object ? nullptr : &found->second;
}

Verdict Tree::Standing(std::string_view name) const {
  const Group* group = Find(name);
  if (!group) return Refuse(Outcome::kNoGroup, "no such group");
  if (group->object->deleting) return Refuse(Outcome::kTerminating, "the group is being deleted");
  if (!group->object->defect.empty()) return Refuse(Outcome::kFrozen, group->object->defect);
  std::string_view parent = group->object->parent;
  for (size_t depth = 1; !parent.empty(); ++depth) {
    if (depth == kMaxDepth) return Refuse(Outcome::kFrozen, "more than 16 levels, or a circle");
    group = Find(parent);
    if (!group) return Refuse(Outcome::kFrozen, Concat("its parent ", parent, " does not exist"));
    parent = group->object->parent;
  }
  return {};
}

Verdict Tree::Check(std::string_view name, const Amounts& increase) const {
  if (Verdict standing = Standing(name); !standing.fits()) return standing;
  const Group& group = *Find(name);
  return CheckIncrease(group.object->hard, [&](std::string_view key) { return group.UsedOf(key); }, increase);
}

std::string Tree::Path(std::string_view name) const {
  std::string path(name);
  const Group* group = Find(name);
  for (size_t depth = 1; group && !group->object->parent.empty() && depth < kMaxDepth; ++depth) {
    path = Concat(group->object->parent, "/", path);
    group = Find(group->object->parent);
  }
  return path;
}

}  // namespace huygens::quota
