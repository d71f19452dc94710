// What a rule is made of: what it may look at besides the cluster state, and how it is configured. All of it must
// outlive the rule.
#pragma once

#include <string_view>
#include <vector>

#include "kubelet/account.h"
#include "policy/rule_options.h"
#include "quota/account.h"
#include "topology/node_kinds.h"
#include "usage/account.h"

namespace huygens::policy {

// For a rule that learns of room which kube-scheduler cannot see coming: of what it keeps itself, say.
class Waker {
 public:
  virtual ~Waker() = default;
  // The node may take pods that it did not take before: those that wait are asked about it again, and those that fit
  // are tried again by kube-scheduler. Cheap, and many calls about one node are as one. Not to be called while an
  // account of the rule is told of pods that come or go: they may do so in thought alone.
  virtual void Gained(cluster::NodeIndex node) = 0;
};

// What a rule asks the core for. The core keeps, measures and watches only what a rule that is in use asks for.
struct Needs {
  // Of a check: that where it is on zones are chosen for the pods that it lets pass, and kept for nominated ones.
  bool zones = false;
  bool usage = false;  // Sources::usage, and a source that measures
  bool quota = false;  // Sources::quota; a check that needs it is asked before the others, for no victim cures a budget
  bool waker = false;  // Sources::waker
  // Of a check: that it holds pods to the ceilings of usage, to the budgets of their groups. What the core tells of
  // ceilings and budgets, and whom it wakes, goes by that. It takes `usage`, or `quota`, as well: a check without is
  // refused when it is switched on, since there would be nothing to tell.
  bool ceilings = false, budgets = false;
  // Of pods, whose other labels and annotations nobody keeps (cluster::LabelOf, cluster::AnnotationOf).
  std::vector<std::string_view> labels, annotations;
};

struct Sources {
  const topology::NodeKinds& nodes;
  const kubelet::Account& kubelet;  // for what only nodes have that kubelet pins
  // Null where the rule's entry does not ask for it.
  const usage::Account* usage = nullptr;
  const quota::Account* quota = nullptr;
  Waker* waker = nullptr;
  const RuleOptions* options = nullptr;

  // The options that the rule's entry made.
  template <typename T>
  const T& OptionsAs() const {
    return static_cast<const T&>(*options);
  }
};

}  // namespace huygens::policy
