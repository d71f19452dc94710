#include "reports/quota_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_join.h"
#include "base/quantity.h"
#include "base/text.h"
#include "cluster/biz_group_quota.h"
#include "quota/keys.h"
#include "reports/not_heard_of.h"
#include "reports/table.h"
#include "reports/when.h"

namespace huygens::reports {

namespace {

using admin_api::PodQuotaDocument;
using admin_api::QuotaTreeDocument;

constexpr int kBarLength = 10;
constexpr std::string_view kOff =
    "Budgets are not enforced. To enforce them add quota to filter.checks of the configuration (checks: [topology, "
    "usage, quota]), and see that\nquota.enforcement is not off; huygens reads it at its start.\n";

// "███████░░░  70 %"; whatever is used shows, and only what is full looks so.
std::string Bar(double share) {
  const int full = share <= 0 ? 0 : static_cast<int>(std::clamp(share * kBarLength, 1.0, double{kBarLength}));
  std::string text;
  for (int i = 0; i < kBarLength; ++i) text += i < full ? "█" : "░";
  char percent[32];
  std::snprintf(percent, sizeof percent, " %3.0f %%", std::floor(share * 100 + 1e-9));
  return text + percent;
}

// "500m" as "0.5".
std::string Decimal(std::string_view amount) {
  constexpr std::string_view kSuffixes = "mun";
  const size_t suffix = amount.empty() ? std::string_view::npos : kSuffixes.find(amount.back());
  if (suffix == std::string_view::npos) return std::string(amount);
  const bool negative = amount.front() == '-';
  std::string digits(amount.substr(negative, amount.size() - 1 - negative));
  const size_t places = 3 * (suffix + 1);
  if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
  digits.insert(digits.size() - places, ".");
  digits.erase(digits.find_last_not_of('0') + 1);
  return Concat(negative ? "-" : "", digits);
}

// Budgets of cash keys are hours.
std::string Amount(std::string_view key, const std::string& amount) {
  return amount.empty() || !quota::IsCash(key) ? amount : Concat(Decimal(amount), " h");
}

std::string HandedText(std::string_view key, const std::string& children) {
  return children.empty() || children == "0" ? "" : Concat(", ", Amount(key, children), " of it handed to children");
}

// Hours are spent once all are used, and stop new pods then; another budget is over only beyond that.
std::string_view OverText(std::string_view key) { return quota::IsCash(key) ? "SPENT" : "OVER BUDGET"; }

// Of a key of which a group above it has given away more than it has.
std::string OverAboveText(const QuotaTreeDocument::Group& group, std::string_view key, bool held) {
  for (const QuotaTreeDocument::Over& over : group.over_above) {
    if (std::find(over.keys.begin(), over.keys.end(), key) == over.keys.end()) continue;
    return Concat(held ? "NO NEW PODS: " : "", "bizrq/", over.group, " above it is over its budget");
  }
  return "";
}

std::string StateText(const QuotaTreeDocument::Group& group) {
  if (group.state == "ok") return "";
  if (group.state == "frozen") return Concat("FROZEN: ", group.why);
  return group.state == "terminating" ? "BEING DELETED" : "MISSING: only its children or pods name it";
}

bool IsLimited(const QuotaTreeDocument& tree, std::string_view key) {
  return std::any_of(tree.groups.begin(), tree.groups.end(), [&](const QuotaTreeDocument::Group& group) {
    return std::any_of(group.keys.begin(), group.keys.end(),
                       [&](const QuotaTreeDocument::Key& each) { return each.key == key && !each.hard.empty(); });
  });
}

std::string KeyNote(const QuotaTreeDocument::Key& key) {
  if (key.unknown) return "NO SUCH KEY: it limits nothing";
  if (key.remaining.starts_with('-') || (quota::IsCash(key.key) && key.remaining == "0")) {
    return Concat(OverText(key.key), HandedText(key.key, key.children));
  }
  if (!key.carried.empty()) return Concat(Amount(key.key, key.carried), " of earlier periods left");
  if (key.unlimited) return "FREE: the parent limits this key, the group does not";
  return !key.hard.empty() && key.used.empty() ? "nobody has counted it yet" : "";
}

std::string Joined(const std::string& first, const std::string& second) {
  return Concat(first, first.empty() || second.empty() ? "" : "; ", second);
}

class TreeText {
 public:
  TreeText(const QuotaTreeDocument& tree, std::string_view only_key)
      : only_key_(only_key), by_webhook_(tree.enforcement == "admission") {
    for (const QuotaTreeDocument::Group& group : tree.groups) groups_.emplace(group.name, &group);
    for (const QuotaTreeDocument::Group& group : tree.groups) children_[group.parent].push_back(&group);
  }

  std::string Text() {
    for (const auto& [name, group] : groups_) {
      if (!groups_.contains(group->parent)) Add(*group, "", "");
    }
    for (const auto& [name, group] : groups_) Add(*group, "", "");  // circles
    return table_.Text();
  }

 private:
  // `first` comes before its name, `rest` before the lines below.
  void Add(const QuotaTreeDocument::Group& group, const std::string& first, const std::string& rest) {
    if (!added_.insert(group.name).second) return;
    std::vector<const QuotaTreeDocument::Group*> children;
    if (auto found = children_.find(group.name); found != children_.end()) children = found->second;
    std::erase_if(children, [&](const QuotaTreeDocument::Group* child) { return added_.contains(child->name); });
    AddKeys(group, first, Concat(rest, children.empty() ? " " : "│"));
    for (const QuotaTreeDocument::Group* child : children) {
      const bool last = child == children.back();
      Add(*child, Concat(rest, last ? "└─ " : "├─ "), Concat(rest, last ? "   " : "│  "));
    }
  }

  void AddKeys(const QuotaTreeDocument::Group& group, const std::string& first, const std::string& rest) {
    std::string name = Concat(first, group.name), note = StateText(group);
    auto add = [&](std::vector<std::string> cells, const std::string& more) {
      cells.insert(cells.begin(), name);
      note = Joined(note, more);
      if (!note.empty()) cells.push_back(note);
      table_.AddRow(std::move(cells));
      name = rest;
      note.clear();
    };
    for (const QuotaTreeDocument::Key& key : group.keys) {
      if (only_key_.empty() ? key.hard.empty() && !key.unlimited : key.key != only_key_) continue;
      if (quota::IsCash(key.key) && !group.hours_since.empty())
        note = Joined(note, Concat("since ", group.hours_since));
      add({key.key, Amount(key.key, key.hard), Amount(key.key, key.used), Amount(key.key, key.self),
           Amount(key.key, key.remaining), key.share ? Bar(*key.share) : ""},
          Joined(KeyNote(key), OverAboveText(group, key.key, quota::IsCash(key.key) || !by_webhook_)));
    }
    if (name != rest) add({std::string(only_key_), "", "", "", "", ""}, "");
  }

  const std::string_view only_key_;
  const bool by_webhook_;
  std::map<std::string_view, const QuotaTreeDocument::Group*> groups_;
  std::map<std::string_view, std::vector<const QuotaTreeDocument::Group*>> children_;
  std::set<std::string_view> added_;
  Table table_{{"GROUP", "KEY", "HARD", "USED", "OWN PODS", "REMAINING", "USED OF HARD", "NOTE"}};
};

std::string ModelsText(const PodQuotaDocument::Models& models) {
  std::string text;
  for (const auto& [what, model] :
       {std::pair("cpu", &models.cpu), std::pair("gpu", &models.gpu), std::pair("memory", &models.memory)}) {
    if (!model->empty()) text += Concat(text.empty() ? "" : ", ", what, " model ", *model);
  }
  return text;
}

std::string ModelNodesText(const PodQuotaDocument& pod) {
  if (!pod.model_nodes) return "";
  if (*pod.model_nodes == 0) return NoModelText(pod);
  return Concat("It goes to nodes of ", ModelsText(pod.models), " only; there ",
                *pod.model_nodes == 1 ? "is 1" : Concat("are ", std::to_string(*pod.model_nodes)), ".\n");
}

std::string FitsText(const PodQuotaDocument& pod) {
  const std::string_view allows =
      pod.enforcement == "admission"
          ? "The hours of its group allow it; the rest of the budget is held by an admission webhook, not here."
          : "Its group allows it.";
  if (pod.model_nodes == 0) return Concat(allows, "\n");  // which is told next
  const std::string not_there =
      pod.refused_by_model.empty() ? "" : Concat("REFUSED on some nodes: ", pod.refused_by_model, "\n");
  return Concat(allows, " Whether a node has room: `huygens explain ", pod.pod, "`.\n", not_there);
}

std::string VerdictText(const PodQuotaDocument& pod, Time now) {
  if (pod.verdict == "fits") return FitsText(pod);
  if (pod.verdict == "off") return std::string(kOff);
  if (pod.verdict == "ended") return "It has ended and is charged no more.\n";
  if (pod.verdict == "refused") return Concat("REFUSED: ", RefusalText(pod), "\n");
  const auto since = ParseRfc3339(pod.since);
  const std::string of_node = ModelsText(pod.node_models.value_or(PodQuotaDocument::Models()));
  return Concat("Charged, on ", pod.node, of_node.empty() ? "" : Concat(" as ", of_node, ", which the node is of"),
                since.ok() ? Concat(", since ", When(*since, now)) : "", ".\n",
                pod.relabelled ? "Its labels were changed after it was bound, which changes nothing here.\n" : "");
}

bool Over(const PodQuotaDocument::Cost& key) {
  const auto used = Quantity::Parse(key.used), hard = Quantity::Parse(key.hard);
  return used.ok() && hard.ok() && (quota::IsCash(key.key) ? *used >= *hard : *used > *hard);
}

// Of hours any amount passes until they are spent.
bool AboveWhole(const PodQuotaDocument::Cost& key) {
  const auto cost = Quantity::Parse(key.cost), hard = Quantity::Parse(key.hard);
  return cost.ok() && hard.ok() && !quota::IsCash(key.key) && *cost > *hard;
}

// More than what its children leave of it.
bool AboveOwn(const PodQuotaDocument::Cost& key) {
  const auto cost = Quantity::Parse(key.cost), hard = Quantity::Parse(key.hard);
  if (!cost.ok() || !hard.ok() || quota::IsCash(key.key)) return false;
  Quantity own = *hard;
  if (const auto children = Quantity::Parse(key.children); children.ok()) own.Sub(*children);
  return *cost > own;
}

std::string CostNote(const PodQuotaDocument& pod, const PodQuotaDocument::Cost& key) {
  const bool over = Over(key);
  std::string note = key.of_node ? "on nodes of that model only" : "";
  if (!key.lacks && !over && !AboveWhole(key)) return note;
  const std::string_view lacks = AboveWhole(key) ? "MORE THAN THE WHOLE BUDGET" : "TOO LITTLE LEFT";
  note = Concat(note, note.empty() ? "" : ": ", over ? OverText(key.key) : lacks, HandedText(key.key, key.children));
  if (pod.verdict != "charged") return note;
  const bool held = quota::IsCash(key.key) || pod.enforcement != "admission";
  return Concat(note, ": it runs on", held ? ", new pods are refused" : "");
}

// "shop/a 3, shop/b 1 and 4 more"
std::string Listed(const std::vector<PodQuotaDocument::Holder>& holders, int64_t more,
                   absl::FunctionRef<std::string(const std::string& amount)> text) {
  std::string list;
  for (const PodQuotaDocument::Holder& each : holders) {
    list += Concat(list.empty() ? "" : ", ", each.name, " ", text(each.amount));
  }
  return more > 0 ? Concat(list, " and ", std::to_string(more), " more") : list;
}

}  // namespace

std::string RefusalText(const PodQuotaDocument& pod) {
  return pod.nearest_group.empty() ? pod.why : Concat(pod.why, "; did you mean ", pod.nearest_group, "?");
}

std::string NoModelText(const PodQuotaDocument& pod) {
  if (pod.model_nodes != 0) return "";
  return Concat("NO NODE is of ", ModelsText(pod.models), ", and the pod goes to no other",
                pod.other_models.empty() ? "" : ": ", pod.other_models, pod.other_models.ends_with('?') ? "\n" : ".\n");
}

std::string UsedByText(const PodQuotaDocument& pod) {
  std::string text;
  for (const PodQuotaDocument::Use& use : pod.used_by) {
    const bool cash = quota::IsCash(use.key);
    const std::string pods = Listed(use.pods, use.more_pods, [&](const std::string& amount) {
      return cash ? Concat(Decimal(amount), " an hour") : amount;
    });
    const std::string children =
        Listed(use.children, use.more_children, [&](const std::string& amount) { return Amount(use.key, amount); });
    text += Concat("Who uses ", use.key, " of ", use.group, ": ", pods.empty() ? "no pod of it now" : "pods ", pods,
                   children.empty() ? "" : "; handed to children: ", children, ".\n");
  }
  return text;
}

bool AboveWholeBudget(const PodQuotaDocument& pod) {
  return std::ranges::any_of(
      pod.keys, [](const PodQuotaDocument::Cost& key) { return key.lacks && !key.of_node && AboveOwn(key); });
}

bool AboveWholeModelBudget(const PodQuotaDocument& pod) {
  const auto refuses = [](const PodQuotaDocument::Cost& key) { return key.lacks && key.of_node; };
  return std::ranges::any_of(pod.keys, refuses) &&
         std::ranges::none_of(pod.keys, [&](const auto& key) { return refuses(key) && !AboveOwn(key); });
}

std::string GroupAbove(const PodQuotaDocument& pod) {
  const std::string_view path = std::string_view(pod.path).substr(0, std::min(pod.path.rfind('/'), pod.path.size()));
  return path.size() == pod.path.size() ? std::string() : std::string(path.substr(path.rfind('/') + 1));
}

namespace {

// What the group above lacks to hand its child as much as that lacks for the pod; empty if it has that.
std::string LacksAbove(const PodQuotaDocument& pod, const QuotaTreeDocument::Key& above) {
  const auto own = std::ranges::find_if(
      pod.shortages, [&](const auto& each) { return each.group == pod.group && each.key == above.key; });
  if (own == pod.shortages.end()) return "";
  auto lacks = Quantity::Parse(own->over);
  const auto left = Quantity::Parse(above.remaining);
  if (!lacks.ok() || !left.ok()) return "";
  lacks->Sub(*left);
  return lacks->Sign() > 0 ? Amount(above.key, lacks->Canonical()) : std::string();
}

}  // namespace

std::string LeftAboveText(const PodQuotaDocument& pod, const QuotaTreeDocument& tree) {
  const std::string above = GroupAbove(pod);
  const auto group = std::ranges::find(tree.groups, above, &QuotaTreeDocument::Group::name);
  if (above.empty() || group == tree.groups.end()) return "";
  std::string left, lacks;
  for (const PodQuotaDocument::Cost& cost : pod.keys) {
    const auto key = std::ranges::find(group->keys, cost.key, &QuotaTreeDocument::Key::key);
    if (!cost.lacks || key == group->keys.end() || key->remaining.empty()) continue;
    const bool none = key->remaining.starts_with('-');
    if (const std::string more = LacksAbove(pod, *key); !more.empty()) {
      lacks += Concat(lacks.empty() ? "" : " and ", key->key, " ", more);
    }
    left += Concat(left.empty() ? "" : ", ", none ? "nothing" : Amount(key->key, key->remaining), " of ", key->key);
  }
  if (left.empty()) return left;
  return Concat(above, " has ", left, " left", lacks.empty() ? "" : Concat(", and must itself be larger by ", lacks));
}

StatusOr<std::string> KeyOf(const QuotaTreeDocument& tree, std::string_view given) {
  const std::string normal = quota::NormalKey(given), twin = quota::TwinKey(normal);
  std::set<std::string> keys;
  for (const QuotaTreeDocument::Group& group : tree.groups) {
    for (const QuotaTreeDocument::Key& key : group.keys) keys.insert(key.key);
  }
  for (const std::string& key : {normal, twin}) {
    if (IsLimited(tree, key)) return key;
  }
  for (const std::string& key : {normal, twin}) {
    if (keys.contains(key)) return key;
  }
  return NotFound(Concat("no group has the key ", given, "; there are: ", absl::StrJoin(keys, ", ")));
}

std::string QuotaTreeText(const QuotaTreeDocument& tree, std::string_view only_key) {
  if (tree.enforcement == "off") {
    return std::string(kOff);
  }
  const size_t count = tree.groups.size();
  std::string text = Concat(std::to_string(count), count == 1 ? " group" : " groups",
                            tree.enforcement == "admission"
                                ? "; placement does NOT enforce these budgets, only hours (cash/) and models: the rest "
                                  "is for an admission webhook (quota.enforcement)"
                                : "; enforced at placement");
  if (!only_key.empty() && !IsLimited(tree, only_key)) text += Concat("; no group limits ", only_key);
  text += '\n';
  return count == 0 ? text : text + TreeText(tree, only_key).Text();
}

std::string PodQuotaText(const PodQuotaDocument& pod, Time now) {
  if (pod.verdict == "noGroup") {
    return Concat("Pod ", pod.pod, " belongs to no group: it has no label ", cluster::kQuotaGroupLabel,
                  ". It costs nothing.\n", NotHeardText(pod.not_heard_of), ModelNodesText(pod));
  }
  const std::string models = ModelsText(pod.models);
  std::string text = Concat("Pod ", pod.pod, " of group ", pod.path, models.empty() ? "" : ", ", models, "\n",
                            NotHeardText(pod.not_heard_of), VerdictText(pod, now), ModelNodesText(pod));
  Table table({"KEY", "COST", "USED", "HARD", "NOTE"});
  std::string unlimited;
  for (const PodQuotaDocument::Cost& key : pod.keys) {
    if (key.hard.empty()) {
      unlimited += Concat(unlimited.empty() ? "" : ", ", key.key, " ", key.cost);
      continue;
    }
    std::vector<std::string> row = {key.key, quota::IsCash(key.key) ? Concat(Decimal(key.cost), " an hour") : key.cost,
                                    Amount(key.key, key.used), Amount(key.key, key.hard)};
    if (std::string note = CostNote(pod, key); !note.empty()) row.push_back(std::move(note));
    table.AddRow(std::move(row));
  }
  if (table.size() > 0) text += Concat("\n", table.Text());
  if (const std::string used = UsedByText(pod); !used.empty()) text += Concat("\n", used);
  return unlimited.empty() ? text : Concat(text, "\nNot limited: ", unlimited, ".\n");
}

}  // namespace huygens::reports
