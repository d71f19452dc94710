#include "extender/quota_json.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "base/json_text.h"
#include "base/text.h"
#include "quota/keys.h"

namespace huygens::extender {

namespace {

void AppendQuantity(std::string& out, std::string_view field, const Quantity& amount) {
  AppendJsonField(out, field, amount.Canonical());
}

// Of its own pods; of hours what the status says that they used.
Quantity OwnUse(const quota::Group& group, std::string_view key) {
  return quota::Get(quota::IsCash(key) && group.object ? group.object->self_used : group.charged, key);
}

Quantity HeldByChildren(const quota::Group& group, std::string_view key) {
  Quantity held = quota::Get(group.used, key);
  held.Sub(OwnUse(group, key));
  return held;
}

// Whether the parent, which may be null, limits the key, and the group does so by neither of its names.
bool IsUnlimited(const quota::Group& group, const quota::Group* parent, std::string_view key) {
  if (!parent || !quota::IsKnownKey(key) || !quota::Find(parent->object->hard, key)) return false;
  const quota::Amounts& hard = group.object->hard;
  return !quota::Find(hard, key) && !quota::Find(hard, quota::TwinKey(key));
}

// `parent` may be null.
void AppendKey(std::string& out, const quota::Group& group, const quota::Group* parent, const std::string& key) {
  out += '{';
  AppendJsonField(out, "key", key);
  const Quantity* hard = group.object ? quota::Find(group.object->hard, key) : nullptr;
  if (hard) AppendQuantity(out, "hard", *hard);
  if (hard && !quota::IsKnownKey(key)) out += ",\"unknown\":true";
  if (IsUnlimited(group, parent, key)) out += ",\"unlimited\":true";
  // Hours of its own are known by the status alone; those in the tree's figure are 0 where it says nothing.
  const bool known = !quota::IsCash(key) || (group.object && group.UsedOf(key) != nullptr);
  const Quantity used = quota::Get(group.used, key);
  if (known) {
    AppendQuantity(out, "used", used);
    AppendQuantity(out, "self", OwnUse(group, key));
  }
  AppendQuantity(out, "children", HeldByChildren(group, key));
  if (hard && known) {
    Quantity remaining = *hard;
    remaining.Sub(used);
    AppendQuantity(out, "remaining", remaining);
    // Nothing is left of a budget of nothing.
    const double share = hard->Sign() > 0 ? Approximate(used) / Approximate(*hard) : 1;
    out += ",\"share\":";
    AppendJsonDouble(out, std::round(1000 * share) / 1000);
  }
  out += '}';
}

void AppendModels(std::string& out, std::string_view field, const cluster::QuotaLabels& labels) {
  out += Concat(",\"", field, "\":{");
  for (const auto& [what, model] : {std::pair("cpu", &labels.cpu_model), std::pair("gpu", &labels.gpu_model),
                                    std::pair("memory", &labels.memory_model)}) {
    if (!model->empty()) AppendJsonField(out, what, *model);
  }
  out += '}';
}

// How many nodes are of the models that a pod names; nothing if it names none.
void AppendModelNodes(std::string& out, const quota::WantedModels& wanted, const cluster::State& state) {
  if (!wanted.Any()) return;
  int64_t count = 0;
  for (cluster::NodeIndex node = 0; node < state.NodeSlots(); ++node) {
    if (state.GetNode(node) && wanted.Accept(node)) ++count;
  }
  out += ",\"modelNodes\":";
  AppendJsonInt(out, count);
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

void AppendCosts(std::string& out, const quota::Tree& tree, std::string_view name, const quota::Amounts& cost,
                 const quota::Verdict& verdict) {
  const quota::Group* group = tree.Find(name);
  out += ",\"keys\":[";
  for (const auto& [key, amount] : WithHours(cost, group)) {
    out += out.back() == '[' ? "{" : ",{";
    AppendJsonField(out, "key", key);
    AppendQuantity(out, "cost", amount);
    if (const Quantity* used = group ? group->UsedOf(key) : nullptr) AppendQuantity(out, "used", *used);
    const Quantity children = group ? HeldByChildren(*group, key) : Quantity();
    if (!children.IsZero()) AppendQuantity(out, "children", children);
    if (const Quantity* hard = group ? quota::Find(group->object->hard, key) : nullptr) {
      AppendQuantity(out, "hard", *hard);
    }
    const bool own = verdict.outcome != quota::Outcome::kAncestorOver;
    if (own && std::any_of(verdict.shortages.begin(), verdict.shortages.end(),
                           [&](const quota::Shortage& shortage) { return shortage.key == key; })) {
      out += ",\"lacks\":true";
    }
    out += '}';
  }
  out += ']';
}

// "overAbove":[{"group":"org","keys":["limits.cpu"]}]: groups above it that have given away more than they have.
void AppendOverAbove(std::string& out, const quota::Tree& tree, const quota::Group& group) {
  bool any = false;
  for (const quota::Group* above : group.above) {
    const std::vector<std::string>& keys = tree.GivenAway(*above);
    if (keys.empty()) continue;
    out += std::exchange(any, true) ? ",{" : ",\"overAbove\":[{";
    AppendJsonField(out, "group", above->object->name);
    out += ",\"keys\":[";
    for (const std::string& key : keys) {
      if (out.back() != '[') out += ',';
      AppendJsonString(out, key);
    }
    out += "]}";
  }
  if (any) out += ']';
}

// What its group says of the nodes of the models that a pod wants, where it does not refuse it everywhere.
struct ByNode {
  size_t refused = 0;
  size_t others = 0;
  std::string why;
};

ByNode JudgeNodes(const placement::Placement& placement, const cluster::Pod& pod) {
  ByNode result;
  const quota::VerdictsByModel verdicts = placement.CheckQuotaByModel(pod);
  if (!verdicts.Any()) return result;
  const cluster::QuotaLabels& labels = *cluster::QuotaLabelsOf(pod);
  const quota::NodeModels& models = placement.quota()->models();
  const quota::WantedModels wanted = models.Wanted(labels);
  std::vector<cluster::NodeIndex> nodes;
  for (cluster::NodeIndex node = 0; node < placement.state().NodeSlots(); ++node) {
    if (!placement.state().GetNode(node) || (wanted.Any() && !wanted.Accept(node))) continue;
    nodes.push_back(node);
    ++(verdicts.On(node) ? result.refused : result.others);
  }
  result.why = models.Text(verdicts, labels.group, nodes);
  return result;
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

}  // namespace

std::string_view StateOf(const quota::Verdict& standing) {
  switch (standing.outcome) {
    case quota::Outcome::kFits:
      return "ok";
    case quota::Outcome::kNoGroup:
      return "missing";
    case quota::Outcome::kTerminating:
      return "terminating";
    default:
      return "frozen";
  }
}

double Approximate(const Quantity& quantity) {
  const int64_t milli = quantity.MilliValue();
  const bool saturated = milli == std::numeric_limits<int64_t>::max() || milli == std::numeric_limits<int64_t>::min();
  return saturated ? static_cast<double>(quantity.Value()) : static_cast<double>(milli) / 1000;
}

void AppendGroup(std::string& out, const quota::Tree& tree, std::string_view name) {
  const quota::Group& group = tree.groups().find(name)->second;
  const quota::Verdict standing = tree.Standing(name);
  out += '{';
  AppendJsonField(out, "name", name);
  AppendJsonField(out, "parent", group.object ? group.object->parent : "");
  AppendJsonField(out, "path", tree.Path(name));
  AppendJsonField(out, "state", StateOf(standing));
  if (!standing.fits()) AppendJsonField(out, "why", standing.detail);
  out += ",\"children\":[";
  for (const std::string& child : group.children) {
    if (out.back() != '[') out += ',';
    AppendJsonString(out, child);
  }
  out += "],\"keys\":[";
  std::set<std::string> keys;
  if (group.object) {
    for (const auto& [key, hard] : group.object->hard) keys.insert(key);
  }
  const quota::Group* parent = group.object ? tree.Find(group.object->parent) : nullptr;
  if (parent) {
    for (const auto& [key, hard] : parent->object->hard) {
      if (quota::IsKnownKey(key)) keys.insert(key);
    }
  }
  for (const auto& [key, used] : group.used) keys.insert(key);
  for (const std::string& key : keys) {
    if (out.back() != '[') out += ',';
    AppendKey(out, group, parent, key);
  }
  out += ']';
  if (standing.fits()) AppendOverAbove(out, tree, group);
  out += '}';
}

std::string_view EnforcementOf(const placement::Placement& placement) {
  if (!placement.quota()) return "off";
  return placement.options().quota.enforcement == quota::Enforcement::kAdmission ? "admission" : "placement";
}

void AppendPodQuota(std::string& out, const placement::Placement& placement, const cluster::Pod& asked) {
  const cluster::PlacedPod* placed = placement.state().FindPlaced(asked.uid);
  const cluster::Pod& pod = placed ? *placed->pod : asked;
  const quota::Account* account = placement.quota();
  const cluster::QuotaLabels* found = cluster::QuotaLabelsOf(pod);
  const cluster::QuotaLabels labels = found ? *found : cluster::QuotaLabels();
  out += '{';
  AppendJsonField(out, "pod", pod.Key());
  AppendJsonField(out, "enforcement", EnforcementOf(placement));
  AppendJsonField(out, "group", labels.group);
  AppendJsonField(out, "path", account ? account->tree().Path(labels.group) : labels.group);
  AppendModels(out, "models", labels);
  if (account && !placed && !pod.Terminal()) {
    AppendModelNodes(out, account->models().Wanted(labels), placement.state());
  }
  if (!account || labels.group.empty() || pod.Terminal()) {
    AppendJsonField(out, "verdict", labels.group.empty() ? "noGroup" : account ? "ended" : "off");
    out += ",\"keys\":[]}";
    return;
  }
  const quota::Verdict verdict = placement.CheckQuota(pod);  // fits if it holds its room
  if (placed) AppendCharged(out, placement, *placed, labels);
  const ByNode by_node = verdict.fits() ? JudgeNodes(placement, pod) : ByNode();
  const bool refused = !verdict.fits() || (by_node.refused > 0 && by_node.others == 0);
  AppendJsonField(out, "verdict", placed ? "charged" : refused ? "refused" : "fits");
  if (refused) AppendJsonField(out, "why", verdict.fits() ? by_node.why : quota::Text(verdict, labels.group));
  if (!refused && by_node.refused > 0) AppendJsonField(out, "refusedByModel", by_node.why);
  AppendCosts(out, account->tree(), labels.group, placed ? account->UsageOn(pod, placed->node) : account->UsageOf(pod),
              verdict);
  out += '}';
}

}  // namespace huygens::extender
