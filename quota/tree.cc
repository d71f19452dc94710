#include "quota/tree.h"

#include <algorithm>
#include <span>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "base/text.h"
#include "quota/keys.h"

namespace huygens::quota {
namespace {

Verdict Refuse(Outcome outcome, std::string detail) { return {outcome, {}, std::move(detail)}; }

std::string Joined(std::span<const std::string_view> names, std::string_view separator) {
  std::string text;
  for (std::string_view name : names) text += Concat(text.empty() ? "" : separator, name);
  return text;
}

}  // namespace

Amounts Commitment(const cluster::BizGroupQuota& object, const Amounts& used, bool in_circle) {
  Amounts held = object.hard;
  Max(held, CashOf(object.self_used));
  if (!in_circle) Max(held, Masked(CashOf(used), object.hard));
  return held;
}

const Quantity* Group::UsedOf(std::string_view key) const {
  static const Quantity kNone;
  if (IsCash(key) && !quota::Find(object->self_used, key)) return nullptr;
  const Quantity* found = quota::Find(used, key);
  return found ? found : &kNone;
}

bool Group::OverBudget() const {
  return object && std::any_of(object->hard.begin(), object->hard.end(), [this](const auto& budget) {
           const Quantity* used = IsCash(budget.first) ? nullptr : UsedOf(budget.first);
           return used != nullptr && *used > budget.second;
         });
}

Verdict Group::Check(const Amounts& hard, const Amounts& increase) const {
  return CheckIncrease(hard, [this](std::string_view key) { return UsedOf(key); }, increase);
}

void Tree::Set(cluster::BizGroupQuota object) {
  auto known = groups_.find(object.name);
  if (!object.defect.empty() && known != groups_.end() && known->second.object) {
    known->second.object->defect = std::move(object.defect);
    ++revision_;
    return;
  }
  object.hard = NormalKeys(object.hard);
  object.used = NormalKeys(object.used);
  object.self_used = NormalKeys(object.self_used);
  object.carried_hours = NormalKeys(object.carried_hours);
  Remove(object.name);
  const std::string name = object.name;
  const std::string parent = object.parent;
  Change(name, CashOf(object.self_used), {});  // which no pod of the tree brings
  Group& group = groups_.find(name)->second;
  group.limits_models =
      std::any_of(object.hard.begin(), object.hard.end(), [](const auto& each) { return MayBeOfModel(each.first); });
  group.object = std::move(object);
  group.given_away.reset();
  ++revision_;
  if (parent.empty()) return;
  Change(parent, {}, {});
  Group& of_parent = groups_.find(parent)->second;
  of_parent.children.insert(name);
  of_parent.given_away.reset();
  Recommit(name);
}

void Tree::Remove(std::string_view name) {
  auto found = groups_.find(name);
  if (found == groups_.end() || !found->second.object) return;
  const cluster::BizGroupQuota object = *std::exchange(found->second.object, std::nullopt);
  const Amounts committed = std::exchange(found->second.committed, {});
  ++revision_;
  Change(object.name, {}, CashOf(object.self_used));
  if (!object.parent.empty()) {
    Change(object.parent, {}, committed);
    Group& parent = groups_.find(object.parent)->second;
    parent.children.erase(object.name);
    parent.given_away.reset();
    Recommit(object.parent);
    Tidy(object.parent);
  }
  Tidy(object.name);
}

// What the group and those above it take of their parents, from below.
void Tree::Recommit(std::string_view name) {
  std::vector<Group*> chain;
  absl::flat_hash_set<const Group*> seen;
  auto at = groups_.find(name);
  while (at != groups_.end() && at->second.object && !at->second.object->parent.empty() &&
         seen.insert(&at->second).second) {
    chain.push_back(&at->second);
    at = groups_.find(at->second.object->parent);
  }
  const Group* circle = at != groups_.end() && seen.contains(&at->second) ? &at->second : nullptr;
  bool in_circle = false;
  for (Group* group : chain) {
    in_circle = in_circle || group == circle;
    Amounts now = Commitment(*group->object, group->used, in_circle);
    if (now == group->committed) continue;
    Change(group->object->parent, now, group->committed);
    group->committed = std::move(now);
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
  auto [found, is_new] = groups_.try_emplace(std::string(name));
  if (is_new) ++revision_;
  Group& group = found->second;
  Add(group.used, more);
  Subtract(group.used, less);
  RemoveZeros(group.used);
  group.given_away.reset();
}

void Tree::Tidy(std::string_view name) {
  auto found = groups_.find(name);
  if (found == groups_.end()) return;
  const Group& group = found->second;
  if (group.object || !group.used.empty() || !group.charged.empty() || !group.children.empty()) return;
  groups_.erase(found);
  ++revision_;
}

const Group* Tree::Find(std::string_view name) const {
  auto found = groups_.find(name);
  return found == groups_.end() || !found->second.object ? nullptr : &found->second;
}

std::vector<std::string_view> Tree::Upwards(std::string_view name) const {
  std::vector<std::string_view> chain = {name};
  while (chain.size() < kMaxDepth) {
    const Group* group = Find(chain.back());
    if (!group || group->object->parent.empty()) break;
    if (std::find(chain.begin(), chain.end(), group->object->parent) != chain.end()) break;
    chain.push_back(group->object->parent);
  }
  return chain;
}

Verdict Tree::Standing(const Group* group) const {
  if (!group) return Refuse(Outcome::kNoGroup, "no such group");
  if (group->stood_at == revision_) return {};
  if (group->object->deleting) return Refuse(Outcome::kTerminating, "the group is being deleted");
  if (!group->object->defect.empty()) return Refuse(Outcome::kFrozen, group->object->defect);
  const std::vector<std::string_view> chain = Upwards(group->object->name);
  const Group* top = Find(chain.back());
  if (!top) return Refuse(Outcome::kFrozen, Concat("its parent ", chain.back(), " does not exist"));
  const std::string& beyond = top->object->parent;
  if (const auto circle = std::find(chain.begin(), chain.end(), beyond); circle != chain.end()) {
    return Refuse(Outcome::kFrozen, Concat("its parents form a circle: ", Joined({circle, chain.end()}, ", "),
                                           "; delete one of them and create it under another parent"));
  }
  if (!beyond.empty()) return Refuse(Outcome::kFrozen, "more than 16 levels, or a circle of more than 16 groups");
  group->above.clear();
  for (size_t i = 1; i < chain.size(); ++i) group->above.push_back(Find(chain[i]));
  group->stood_at = revision_;
  return {};
}

const std::vector<std::string>& Tree::GivenAway(const Group& group) const {
  if (group.given_away) return *group.given_away;
  std::vector<std::string>& keys = group.given_away.emplace();
  if (!group.object) return keys;
  for (const auto& [key, hard] : group.object->hard) {
    if (Given(group, key) > hard) keys.push_back(key);
  }
  return keys;
}

Quantity Tree::Given(const Group& group, std::string_view key) const {
  if (!IsCash(key)) return Get(group.used, key);
  Quantity handed_out;
  for (const std::string& child : group.children) {
    if (const Group* each = Find(child)) handed_out.Add(Get(each->object->hard, key));
  }
  return handed_out;
}

Verdict Tree::CheckAbove(const Group& group, const Amounts& increase, bool only_hours) const {
  Verdict verdict;
  for (const Group* above : group.above) {
    for (const std::string& key : GivenAway(*above)) {
      const Quantity* requested = Grown(increase, key);
      if (!requested || (only_hours && !IsCash(key))) continue;
      verdict.shortages.push_back({key, *requested, Given(*above, key), Get(above->object->hard, key)});
    }
    if (verdict.shortages.empty()) continue;
    verdict.outcome = Outcome::kAncestorOver;
    verdict.detail = above->object->name;
    return verdict;
  }
  return verdict;
}

bool Tree::MindsModels(const Group& group) {
  return group.limits_models ||
         std::any_of(group.above.begin(), group.above.end(), [](const Group* above) { return above->limits_models; });
}

std::string Tree::Path(std::string_view name) const {
  std::vector<std::string_view> chain = Upwards(name);
  std::reverse(chain.begin(), chain.end());
  return Joined(chain, "/");
}

}  // namespace huygens::quota
