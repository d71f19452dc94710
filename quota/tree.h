// The business groups and what each has used: what its own pods take, plus what it handed out to its children, counted
// as their budgets and not as what they use. A group's own budget is therefore all that a pod must fit into, as long as
// no group above it has given away more than it has: until that is mended, what it gave is worth nothing, and pods that
// touch such a key are refused. Every group may have pods, not only leaves.
//
// Groups may come late and in any order, and pods before their group: nothing is lost. A group whose chain of parents
// has a gap, a circle or more than kMaxDepth levels is frozen: it takes no new pod, and loses none.
//
// Of a budget of hours (cash/KEY) a child holds the larger of its budget and what was consumed of it: what its own
// status says it consumed itself, plus what its children hold. Of groups in a circle the children do not count. What
// was consumed counts so that a budget that shrinks does not give back what was spent. Where the status does not say
// (any more), the budget alone counts: all figures follow from the objects as they are, so that every instance has the
// same.
//
// An object that cannot be read changes nothing but that its group is frozen: what it holds of its parent stays. Owned
// by one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/biz_group_quota.h"
#include "quota/amounts.h"
#include "quota/check.h"

namespace huygens::quota {

inline constexpr size_t kMaxDepth = 16;

struct Group {
  std::optional<cluster::BizGroupQuota> object;  // absent: only children or pods name it
  Amounts charged;                               // by its own pods
  Amounts used;                                  // all in all; keys without use are absent
  Amounts committed;                             // what it takes of its parent
  std::set<std::string, std::less<>> children;
  bool limits_models = false;               // a key of its budget can be of a model
  mutable uint64_t stood_at = 0;            // the tree's revision at which Standing last found nothing amiss
  mutable std::vector<const Group*> above;  // as of then: its parent first
  mutable std::optional<std::vector<std::string>> given_away;  // Tree::GivenAway, until something changes

  // What is used of a key: the figure above, and 0 where there is none, except hours, which only the status knows.
  // Null if it does not say.
  const Quantity* UsedOf(std::string_view key) const;
  // Whether more of a budget is used than there is; hours are spent, not exceeded.
  bool OverBudget() const;
  // Whether `increase` fits beside what is used; `hard` is the budget or a part of it.
  Verdict Check(const Amounts& hard, const Amounts& increase) const;
};

// What a group with this object takes of its parent, while all in all `used` is used of it. Of groups in a circle what
// they consumed does not count.
Amounts Commitment(const cluster::BizGroupQuota& object, const Amounts& used, bool in_circle = false);

class Tree {
 public:
  // Takes the group in, or as it is now. Keys of `hard` are normalised (quota/keys.h). Of an object with a defect only
  // the defect is taken, if the group is known.
  void Set(cluster::BizGroupQuota object);
  void Remove(std::string_view name);

  // A pod's usage, from bind to end. Release takes back exactly what Charge added.
  void Charge(std::string_view group, const Amounts& usage);
  void Release(std::string_view group, const Amounts& usage);

  // Null for a group that is not there.
  const Group* Find(std::string_view name) const;
  // All groups by name, those too that only children or pods name.
  const std::map<std::string, Group, std::less<>>& groups() const { return groups_; }
  // Grows when an object changes or a name comes or goes: as long as it stays the same, so does what Standing says.
  uint64_t revision() const { return revision_; }

  // Whether the group may take anything new, else why not; null stands for one that is not there.
  Verdict Standing(const Group* group) const;
  Verdict Standing(std::string_view name) const { return Standing(Find(name)); }
  // The keys of which the group has given away more than it has: by budgets of its children and, but for hours, by its
  // own pods, too. Hours that run on past a budget are no gift: pods that run are not stopped.
  const std::vector<std::string>& GivenAway(const Group& group) const;
  // Whether the increase touches a key of which a group above this one, which stands, has given away more than it has;
  // the nearest such group is told.
  Verdict CheckAbove(const Group& group, const Amounts& increase, bool only_hours) const;
  // Whether it or a group above it may have a budget of a model.
  static bool MindsModels(const Group& group);

  // "org/dept/team", from the root; of a circle each group once.
  std::string Path(std::string_view name) const;

 private:
  Quantity Given(const Group& group, std::string_view key) const;
  void Change(std::string_view name, const Amounts& more, const Amounts& less);
  void Tidy(std::string_view name);
  void Recommit(std::string_view name);
  // The group, its parent and so on: up to a root, a parent that is not there, or kMaxDepth of them; each once.
  std::vector<std::string_view> Upwards(std::string_view name) const;

  std::map<std::string, Group, std::less<>> groups_;
  uint64_t revision_ = 0;
};

}  // namespace huygens::quota
