#include "admin/pod_quota_page.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "admin/quota_json.h"
#include "base/nearest_name.h"
#include "base/text.h"
#include "json/document.h"
#include "quota/keys.h"

namespace huygens::admin {

namespace {

using admin_api::PodQuotaDocument;

// Of one step: some hundred microseconds of the decision thread.
constexpr size_t kPodsPerStep = 100;
constexpr size_t kNodesPerStep = 500;

PodQuotaDocument::Models ModelsOf(const cluster::QuotaLabels& labels) {
  return {labels.cpu_model, labels.gpu_model, labels.memory_model};
}

// How many nodes are of the models that a pod names, and if none what they say instead; nothing if it names none.
void SayModelNodes(const quota::NodeModels& models, const cluster::QuotaLabels& labels, const cluster::State& state,
                   PodQuotaDocument& out) {
  const quota::WantedModels wanted = models.Wanted(labels);
  if (!wanted.Any()) return;
  out.model_nodes = 0;
  std::vector<cluster::NodeIndex> nodes;
  for (cluster::NodeIndex node = 0; node < state.NodeSlots(); ++node) {
    if (!state.GetNode(node)) continue;
    nodes.push_back(node);
    if (wanted.Accept(node)) ++*out.model_nodes;
  }
  if (*out.model_nodes == 0) out.other_models = models.Explain(labels, nodes);
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
void SayCharged(const placement::Placement& placement, const cluster::PlacedPod& placed,
                const cluster::QuotaLabels& labels, PodQuotaDocument& out) {
  const cluster::Pod& pod = *placed.pod;
  out.node = placement.state().NodeName(placed.node);
  cluster::QuotaLabels charged = placement.quota()->models().Charged(labels, placed.node);
  if (charged.cpu_model == labels.cpu_model) charged.cpu_model.clear();
  if (charged.gpu_model == labels.gpu_model) charged.gpu_model.clear();
  if (charged.memory_model == labels.memory_model) charged.memory_model.clear();
  if (charged != cluster::QuotaLabels()) out.node_models = ModelsOf(charged);
  out.relabelled = !pod.quota || *pod.quota != labels;
  const cluster::Ledger::Entry* entry = placement.state().ledger().Find(pod.uid);
  const bool reserved = entry != nullptr && entry->state == cluster::ReservationState::kReserved;
  const std::optional<Time> since = reserved ? std::optional(entry->since) : pod.start_time;
  if (since) out.since = FormatRfc3339(*since);
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
std::vector<PodQuotaDocument::Cost> CostsOf(const quota::Group* group, const quota::Amounts& cost,
                                            const quota::Amounts& anywhere,
                                            const std::vector<quota::Verdict>& verdicts) {
  const quota::Amounts certain = WithHours(cost, group);
  std::vector<PodQuotaDocument::Cost> costs;
  for (const auto& [key, amount] : WithHours(anywhere, group)) {
    const Quantity* hard = group ? quota::Find(group->object->hard, key) : nullptr;
    const bool of_node = !quota::Find(certain, key);
    if (of_node && !hard) continue;
    PodQuotaDocument::Cost& said = costs.emplace_back();
    said.key = key;
    said.cost = amount.Canonical();
    if (const Quantity* used = group ? group->UsedOf(key) : nullptr) said.used = used->Canonical();
    const Quantity children = group ? HeldByChildren(*group, key) : Quantity();
    if (!children.IsZero()) said.children = children.Canonical();
    if (hard) said.hard = hard->Canonical();
    said.lacks = std::ranges::any_of(verdicts, [&](const quota::Verdict& verdict) { return Lacks(verdict, key); });
    said.of_node = of_node;
  }
  return costs;
}

std::vector<PodQuotaDocument::Holder> Named(const quota::Largest& largest) {
  std::vector<PodQuotaDocument::Holder> holders;
  for (const quota::Holder& each : largest.holders()) holders.push_back({each.name, each.amount.Canonical()});
  return holders;
}

PodQuotaDocument::Shortage ShortageOf(const std::string& group, const quota::Shortage& shortage,
                                      quota::Outcome outcome) {
  PodQuotaDocument::Shortage said{.group = group,
                                  .key = shortage.key,
                                  .used = shortage.used.Canonical(),
                                  .hard = shortage.hard.Canonical(),
                                  .requested = shortage.requested.Canonical(),
                                  .over = {}};
  if (quota::IsCash(shortage.key)) return said;  // any more hours than are spent will do
  // A group above is only to be within its budget again: what its children spend is theirs already.
  Quantity over = shortage.used;
  if (outcome != quota::Outcome::kAncestorOver) over.Add(shortage.requested);
  over.Sub(shortage.hard);
  said.over = over.Canonical();
  return said;
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

void PodQuotaPage::Begin(const placement::Placement& placement) {
  const cluster::PlacedPod* placed = placement.state().FindPlaced(pod_->uid);
  const cluster::Pod& pod = placed ? *placed->pod : *pod_;
  const quota::Account* account = placement.quota();
  const cluster::QuotaLabels* found = cluster::QuotaLabelsOf(pod);
  const cluster::QuotaLabels labels = found ? *found : cluster::QuotaLabels();
  said_.pod = pod.Key();
  said_.enforcement = EnforcementOf(placement);
  said_.group = labels.group;
  said_.path = account ? account->tree().Path(labels.group) : labels.group;
  said_.models = ModelsOf(labels);
  if (account && !placed && !pod.Terminal()) SayModelNodes(account->models(), labels, placement.state(), said_);
  if (!account || labels.group.empty() || pod.Terminal()) {
    said_.verdict = labels.group.empty() ? "noGroup" : account ? "ended" : "off";
    return;
  }
  const quota::Verdict verdict = placement.CheckQuota(pod);  // fits if it holds its room
  if (placed) SayCharged(placement, *placed, labels, said_);
  ByNode by_node = verdict.fits() ? JudgeNodes(placement, pod) : ByNode();
  const bool refused = !verdict.fits() || (by_node.refused > 0 && by_node.others == 0);
  said_.verdict = placed ? "charged" : refused ? "refused" : "fits";
  if (refused) said_.why = verdict.fits() ? by_node.why : quota::Text(verdict, labels.group);
  if (verdict.outcome == quota::Outcome::kNoGroup) said_.nearest_group = NearestGroup(account->tree(), labels.group);
  if (!refused && by_node.refused > 0) said_.refused_by_model = by_node.why;
  if (by_node.refused > 0) {
    said_.refused_nodes = static_cast<int64_t>(by_node.refused);
    said_.other_nodes = static_cast<int64_t>(by_node.others);
  }
  by_node.verdicts.push_back(verdict);
  const quota::Amounts cost = placed ? account->UsageOn(pod, placed->node) : account->UsageOf(pod);
  said_.keys =
      CostsOf(account->tree().Find(labels.group), cost, placed ? cost : account->UsageAnywhere(pod), by_node.verdicts);
  for (const quota::Verdict& each : by_node.verdicts) {
    const std::string& group = each.outcome == quota::Outcome::kAncestorOver ? each.detail : labels.group;
    for (const quota::Shortage& shortage : each.shortages) {
      holders_.Ask(group, shortage.key);
      said_.shortages.push_back(ShortageOf(group, shortage, each.outcome));
    }
  }
}

bool PodQuotaPage::Step(const placement::Placement& placement, std::string& out) {
  if (!std::exchange(begun_, true)) Begin(placement);
  const quota::Account* account = placement.quota();
  if (account && holders_.Any()) {
    size_t looked = 0;
    for (size_t pods = 0; pods < kPodsPerStep && looked < kNodesPerStep; ++looked, ++next_) {
      if (next_ >= placement.state().NodeSlots()) break;
      pods += holders_.LookAt(*account, next_);
    }
    if (next_ < placement.state().NodeSlots()) return true;
    holders_.LookAtChildren(account->tree());
    for (const quota::KeyHolders& each : holders_.of()) {
      said_.used_by.push_back({each.group, each.key, Named(each.pods), static_cast<int64_t>(each.pods.more()),
                               Named(each.children), static_cast<int64_t>(each.children.more())});
    }
  }
  out += EncodeJson(said_) + "\n";
  return false;
}

}  // namespace huygens::admin
