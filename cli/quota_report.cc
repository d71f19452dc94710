#include "cli/quota_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include "base/text.h"
#include "cli/table.h"
#include "cli/when.h"

namespace huygens::cli {

namespace {

constexpr int kBarLength = 10;
constexpr std::string_view kOff = "Budgets are not enforced: filter.checks lacks quota, or quota.enforcement is off.\n";

// "███████░░░  70 %"; whatever is used shows, and only what is full looks so.
std::string Bar(double share) {
  const int full = share <= 0 ? 0 : std::clamp(static_cast<int>(share * kBarLength), 1, kBarLength);
  std::string text;
  for (int i = 0; i < kBarLength; ++i) text += i < full ? "█" : "░";
  char percent[32];
  std::snprintf(percent, sizeof percent, " %3.0f %%", std::floor(share * 100 + 1e-9));
  return text + percent;
}

// Budgets of cash keys are hours.
std::string Amount(std::string_view key, const std::string& amount) {
  return amount.empty() || !key.starts_with("cash/") ? amount : Concat(amount, " h");
}

std::string StateText(const QuotaGroupView& group) {
  if (group.state == "ok") return "";
  if (group.state == "frozen") return Concat("FROZEN: ", group.why);
  return group.state == "terminating" ? "BEING DELETED" : "MISSING: only its children or pods name it";
}

std::string KeyNote(const QuotaKeyView& key) {
  if (key.remaining.starts_with('-')) return "OVER BUDGET";
  if (key.unknown) return "NO SUCH KEY: it limits nothing";
  return !key.hard.empty() && key.used.empty() ? "nobody has counted it yet" : "";
}

class TreeText {
 public:
  TreeText(const QuotaTreeView& tree, std::string_view only_key) : only_key_(only_key) {
    for (const QuotaGroupView& group : tree.groups) groups_.emplace(group.name, &group);
    for (const QuotaGroupView& group : tree.groups) children_[group.parent].push_back(&group);
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
  void Add(const QuotaGroupView& group, const std::string& first, const std::string& rest) {
    if (!added_.insert(group.name).second) return;
    std::vector<const QuotaGroupView*> children;
    if (auto found = children_.find(group.name); found != children_.end()) children = found->second;
    std::erase_if(children, [&](const QuotaGroupView* child) { return added_.contains(child->name); });
    AddKeys(group, first, Concat(rest, children.empty() ? " " : "│"));
    for (const QuotaGroupView* child : children) {
      const bool last = child == children.back();
      Add(*child, Concat(rest, last ? "└─ " : "├─ "), Concat(rest, last ? "   " : "│  "));
    }
  }

  void AddKeys(const QuotaGroupView& group, const std::string& first, const std::string& rest) {
    std::string name = Concat(first, group.name), note = StateText(group);
    auto add = [&](std::vector<std::string> cells, const std::string& more) {
      cells.insert(cells.begin(), name);
      note += Concat(note.empty() || more.empty() ? "" : "; ", more);
      if (!note.empty()) cells.push_back(note);
      table_.AddRow(std::move(cells));
      name = rest;
      note.clear();
    };
    for (const QuotaKeyView& key : group.keys) {
      if (only_key_.empty() ? key.hard.empty() : key.key != only_key_) continue;
      add({key.key, Amount(key.key, key.hard), Amount(key.key, key.used), Amount(key.key, key.self),
           Amount(key.key, key.remaining), key.share ? Bar(*key.share) : ""},
          KeyNote(key));
    }
    if (name != rest) add({std::string(only_key_), "", "", "", "", ""}, "");
  }

  const std::string_view only_key_;
  std::map<std::string_view, const QuotaGroupView*> groups_;
  std::map<std::string_view, std::vector<const QuotaGroupView*>> children_;
  std::set<std::string_view> added_;
  Table table_{{"GROUP", "KEY", "HARD", "USED", "OWN PODS", "REMAINING", "USED OF HARD", "NOTE"}};
};

std::string ModelsText(const PodQuotaView& pod) {
  std::string text;
  for (const auto& [what, model] :
       {std::pair("cpu", &pod.cpu_model), std::pair("gpu", &pod.gpu_model), std::pair("memory", &pod.memory_model)}) {
    if (!model->empty()) text += Concat(", ", what, " model ", *model);
  }
  return text;
}

std::string VerdictText(const PodQuotaView& pod, Time now) {
  if (pod.verdict == "fits") return "It fits.\n";
  if (pod.verdict == "off") return std::string(kOff);
  if (pod.verdict == "ended") return "It has ended and is charged no more.\n";
  if (pod.verdict == "refused") return Concat("REFUSED: ", pod.why, "\n");
  const auto since = ParseRfc3339(pod.since);
  return Concat("Charged, on ", pod.node, since.ok() ? Concat(", since ", When(*since, now)) : "", ".\n");
}

}  // namespace

std::string QuotaTreeText(const QuotaTreeView& tree, std::string_view only_key) {
  if (tree.enforcement == "off") {
    return std::string(kOff);
  }
  const size_t count = tree.groups.size();
  std::string text =
      Concat(std::to_string(count), count == 1 ? " group" : " groups", "; enforced at ", tree.enforcement, "\n");
  return count == 0 ? text : text + TreeText(tree, only_key).Text();
}

std::string PodQuotaText(const PodQuotaView& pod, Time now) {
  if (pod.verdict == "noGroup") {
    return Concat("Pod ", pod.pod, " belongs to no group: it has no label biz.group.resource.quota.\n");
  }
  std::string text = Concat("Pod ", pod.pod, " of group ", pod.path, ModelsText(pod), "\n", VerdictText(pod, now));
  Table table({"KEY", "COST", "USED", "HARD", "NOTE"});
  std::string unlimited;
  for (const PodCostView& key : pod.keys) {
    if (key.hard.empty()) {
      unlimited += Concat(unlimited.empty() ? "" : ", ", key.key, " ", key.cost);
      continue;
    }
    const bool hours = key.key.starts_with("cash/");
    std::vector<std::string> row = {key.key, hours ? Concat(key.cost, " an hour") : key.cost, Amount(key.key, key.used),
                                    Amount(key.key, key.hard)};
    if (key.lacks) row.emplace_back(hours ? "SPENT" : "TOO LITTLE LEFT");
    table.AddRow(std::move(row));
  }
  if (table.size() > 0) text += Concat("\n", table.Text());
  return unlimited.empty() ? text : Concat(text, "\nNot limited: ", unlimited, ".\n");
}

}  // namespace huygens::cli
