#include "admin/pod_quota_page.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "admin/quota_json.h"
#include "base/json_text.h"
#include "base/nearest_name.h"
#include "base/text.h"
#include "quota/keys.h"

namespace huygens::admin {

namespace {

// Of one step: some hundred microseconds of the decision thread.
constexpr size_t kPodsPerStep = 100;
constexpr size_t kNodesPerStep = 500;

void AppendQuantity(std::string& out, std::string_view field, const Quantity& amount) {
  AppendJsonField(out, field, amount.Canonical());
}

void AppendModels(std::string& out, std::string_view field, const cluster::QuotaLabels& labels) {
  out += Concat(",\"", field, "\":{");
  for (const auto& [what, model] : {std::pair("cpu", &labels.cpu_model), std::pair("gpu", &labels.gpu_model),
                                    std::pair("memory", &labels.memory_model)}) {
    if (!model->empty()) AppendJsonField(out, what, *model);
  }
  out += '}';
}

// How many nodes are of the models that a pod names, and if none what they say instead; nothing if it names none.
void AppendModelNodes(std::string& out, const quota::NodeModels& models, const cluster::QuotaLabels& labels,
                      const cluster::State& state) {
  const quota::WantedModels wanted = models.Wanted(labels);
  if (!wanted.Any()) return;
  int64_t count = 0;
  std::vector<cluster::NodeIndex> nodes;
  for (cluster::NodeIndex node = 0; node < state.NodeSlots(); ++node) {
    if (!state.GetNode(node)) continue;
    nodes.push_back(node);
    if (wanted.Accept(node)) ++count;
  }
  out += ",\"modelNodes\":";
  AppendJsonInt(out, count);
  if (count > 0) return;
  if (const std::string others = models.Explain(labels, nodes); !others.empty()) {
    AppendJsonField(out, "otherModels", others);
  }
}

// What a pod costs, and what it takes an hour of the budgets of hours.
quota::Amounts WithHours(quota::Amounts cost, const quota::Group* group) {
  if (!group) return cost;
  quota::Amounts hours;
  for (const auto& [key, hard] : group->object->hard) {
    if (!quota::IsCash(key)) continue;
    const Quantity* amount = quota::Find(cost, std::string_view(key).substr(quota::kCashPrefix.size()));
    if (amount) hours.emplace_back(key, *amount);
  }
  quota::Add(cost, hours);
  return cost;
}

// Where it holds capacity, since when, under which models of the node and, if that is no more what its labels say, as
// what it was bound.
void AppendCharged(std::string& out, const placement::Placement& placement, const cluster::PlacedPod& placed,
                   const cluster::QuotaLabels& labels) {
  const cluster::Pod& pod = *placed.pod;
  AppendJsonField(out, "node", placement.state().NodeName(placed.node));
  cluster::QuotaLabels charged = placement.quota()->models().Charged(labels, placed.node);
  if (charged.cpu_model == labels.cpu_model) charged.cpu_model.clear();
  if (charged.gpu_model == labels.gpu_model) charged.gpu_model.clear();
  if (charged.memory_model == labels.memory_model) charged.memory_model.clear();
  if (charged != cluster::QuotaLabels()) AppendModels(out, "nodeModels", charged);
  if (!pod.quota || *pod.quota != labels) out += ",\"relabelled\":true";
  const cluster::Ledger::Entry* entry = placement.state().ledger().Find(pod.uid);
  const bool reserved = entry != nullptr && entry->state == cluster::ReservationState::kReserved;
  const std::optional<Time> since = reserved ? std::optional(entry->since) : pod.start_time;
  if (since) AppendJsonField(out, "since", FormatRfc3339(*since));
}

// What its group says of the nodes of the models that a pod wants, where it does not refuse it everywhere.
struct ByNode {
  size_t refused = 0;
  size_t others = 0;
  std::string why;
  std::vector<quota::Verdict> verdicts;  // each that refuses some
};

ByNode JudgeNodes(const placement::Placement& placement, const cluster::Pod& pod) {
  ByNode result;
  const quota::VerdictsByModel verdicts = placement.CheckQuotaByModel(pod);
  if (!verdicts.Any()) return result;
  const cluster::QuotaLabels& labels = *cluster::QuotaLabelsOf(pod);
  const quota::NodeModels& models = placement.quota()->models();
  const quota::WantedModels wanted = models.Wanted(labels);
  std::vector<cluster::NodeIndex> nodes;
  std::set<const quota::Verdict*> seen;
  for (cluster::NodeIndex node = 0; node < placement.state().NodeSlots(); ++node) {
    if (!placement.state().GetNode(node) || (wanted.Any() && !wanted.Accept(node))) continue;
    nodes.push_back(node);
    const quota::Verdict* there = verdicts.On(node);
    ++(there ? result.refused : result.others);
    if (there && seen.insert(there).second) result.verdicts.push_back(*there);
  }
  result.why = models.Text(verdicts, labels.group, nodes);
  return result;
}

bool Lacks(const quota::Verdict& verdict, std::string_view key) {
  return verdict.outcome != quota::Outcome::kAncestorOver &&
         std::ranges::find(verdict.shortages, key, &quota::Shortage::key) != verdict.shortages.end();
}

// `cost` by its own labels or on its node; `anywhere` also what it would be charged to on nodes of some models.
void AppendCosts(std::string& out, const quota::Group* group, const quota::Amounts& cost,
                 const quota::Amounts& anywhere, const std::vector<quota::Verdict>& verdicts) {
  const quota::Amounts certain = WithHours(cost, group);
  out += ",\"keys\":[";
  for (const auto& [key, amount] : WithHours(anywhere, group)) {
    const Quantity* hard = group ? quota::Find(group->object->hard, key) : nullptr;
    const bool of_node = !quota::Find(certain, key);
    if (of_node && !hard) continue;
    out += out.back() == '[' ? "{" : ",{";
    AppendJsonField(out, "key", key);
    AppendQuantity(out, "cost", amount);
    if (const Quantity* used = group ? group->UsedOf(key) : nullptr) AppendQuantity(out, "used", *used);
    const Quantity children = group ? HeldByChildren(*group, key) : Quantity();
    if (!children.IsZero()) AppendQuantity(out, "children", children);
    if (hard) AppendQuantity(out, "hard", *hard);
    if (std::ranges::any_of(verdicts, [&](const quota::Verdict& verdict) { return Lacks(verdict, key); })) {
      out += ",\"lacks\":true";
    }
    if (of_node) out += ",\"ofNode\":true";
    out += '}';
  }
  out += ']';
}

void AppendHolders(std::string& out, std::string_view field, const quota::Largest& largest, std::string_view more) {
  out += Concat(",\"", field, "\":[");
  for (const quota::Holder& each : largest.holders()) {
    out += out.back() == '[' ? "{" : ",{";
    AppendJsonField(out, "name", each.name);
    AppendQuantity(out, "amount", each.amount);
    out += '}';
  }
  out += ']';
  if (largest.more() > 0) out += Concat(",\"", more, "\":", std::to_string(largest.more()));
}

void AppendUsedBy(std::string& out, const quota::Holders& holders) {
  out += ",\"usedBy\":[";
  for (const quota::KeyHolders& each : holders.of()) {
    out += out.back() == '[' ? "{" : ",{";
    AppendJsonField(out, "group", each.group);
    AppendJsonField(out, "key", each.key);
    AppendHolders(out, "pods", each.pods, "morePods");
    AppendHolders(out, "children", each.children, "moreChildren");
    out += '}';
  }
  out += ']';
}

// Empty if none is near.
std::string_view NearestGroup(const quota::Tree& tree, std::string_view written) {
  std::vector<std::string_view> names;
  for (const auto& [name, group] : tree.groups()) {
    if (group.object) names.push_back(name);
  }
  return NearestName(written, names);
}

}  // namespace

void PodQuotaPage::AppendHead(const placement::Placement& placement, std::string& out) {
  const cluster::PlacedPod* placed = placement.state().FindPlaced(pod_->uid);
  const cluster::Pod& pod = placed ? *placed->pod : *pod_;
  const quota::Account* account = placement.quota();
  const cluster::QuotaLabels* found = cluster::QuotaLabelsOf(pod);
  const cluster::QuotaLabels labels = found ? *found : cluster::QuotaLabels();
  out += '{';
  AppendJsonField(out, "pod", pod.Key());
  AppendJsonField(out, "enforcement", EnforcementOf(placement));
  AppendJsonField(out, "group", labels.group);
  AppendJsonField(out, "path", account ? account->tree().Path(labels.group) : labels.group);
  AppendModels(out, "models", labels);
  if (account && !placed && !pod.Terminal()) AppendModelNodes(out, account->models(), labels, placement.state());
  if (!account || labels.group.empty() || pod.Terminal()) {
    AppendJsonField(out, "verdict", labels.group.empty() ? "noGroup" : account ? "ended" : "off");
    out += ",\"keys\":[]";
    return;
  }
  const quota::Verdict verdict = placement.CheckQuota(pod);  // fits if it holds its room
  if (placed) AppendCharged(out, placement, *placed, labels);
  ByNode by_node = verdict.fits() ? JudgeNodes(placement, pod) : ByNode();
  const bool refused = !verdict.fits() || (by_node.refused > 0 && by_node.others == 0);
  AppendJsonField(out, "verdict", placed ? "charged" : refused ? "refused" : "fits");
  if (refused) AppendJsonField(out, "why", verdict.fits() ? by_node.why : quota::Text(verdict, labels.group));
  if (verdict.outcome == quota::Outcome::kNoGroup) {
    const std::string_view nearest = NearestGroup(account->tree(), labels.group);
    if (!nearest.empty()) AppendJsonField(out, "nearestGroup", nearest);
  }
  if (!refused && by_node.refused > 0) AppendJsonField(out, "refusedByModel", by_node.why);
  by_node.verdicts.push_back(verdict);
  const quota::Amounts cost = placed ? account->UsageOn(pod, placed->node) : account->UsageOf(pod);
  AppendCosts(out, account->tree().Find(labels.group), cost, placed ? cost : account->UsageAnywhere(pod),
              by_node.verdicts);
  for (const quota::Verdict& each : by_node.verdicts) {
    const std::string& group = each.outcome == quota::Outcome::kAncestorOver ? each.detail : labels.group;
    for (const quota::Shortage& shortage : each.shortages) holders_.Ask(group, shortage.key);
  }
}

bool PodQuotaPage::Step(const placement::Placement& placement, std::string& out) {
  if (!std::exchange(begun_, true)) AppendHead(placement, out);
  const quota::Account* account = placement.quota();
  if (account && holders_.Any()) {
    size_t looked = 0;
    for (size_t pods = 0; pods < kPodsPerStep && looked < kNodesPerStep; ++looked, ++next_) {
      if (next_ >= placement.state().NodeSlots()) break;
      pods += holders_.LookAt(*account, next_);
    }
    if (next_ < placement.state().NodeSlots()) return true;
    holders_.LookAtChildren(account->tree());
    AppendUsedBy(out, holders_);
  }
  out += "}\n";
  return false;
}

}  // namespace huygens::admin
