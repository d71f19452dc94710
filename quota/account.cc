#include "quota/account.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_join.h"
#include "base/text.h"
#include "quota/pod_usage.h"

namespace huygens::quota {
namespace {

// Beside the others, of keys that `usage` touches.
Amounts With(Amounts usage, const Amounts& others) {
  Add(usage, Masked(others, usage));
  return usage;
}

}  // namespace

Account::Account(const ResourceNames& names, Options options)
    : names_(names), options_(std::move(options)), models_(options_.models) {}

bool Account::Counts(const cluster::Pod& pod) {
  const cluster::QuotaLabels* labels = cluster::QuotaLabelsOf(pod);
  return labels && !labels->group.empty();
}

Amounts Account::UsageOf(const cluster::Pod& pod) const {
  return PodUsage(pod, *cluster::QuotaLabelsOf(pod), names_, options_.keys);
}

Amounts Account::UsageOn(const cluster::Pod& pod, cluster::NodeIndex node) const {
  return PodUsage(pod, models_.Charged(*cluster::QuotaLabelsOf(pod), node), names_, options_.keys);
}

void Account::Charge(cluster::NodeIndex node, const cluster::Pod& pod) {
  tree_.Charge(cluster::QuotaLabelsOf(pod)->group, UsageOn(pod, node));
}

void Account::Release(cluster::NodeIndex node, const cluster::Pod& pod) {
  tree_.Release(cluster::QuotaLabelsOf(pod)->group, UsageOn(pod, node));
}

void Account::Place(const cluster::PlacedPod& pod) {
  if (!Counts(*pod.pod)) return;
  if (charged_.size() <= pod.node) charged_.resize(pod.node + 1);
  charged_[pod.node].push_back(pod.pod);
  Charge(pod.node, *pod.pod);
}

void Account::Leave(const cluster::PlacedPod& pod) {
  if (!Counts(*pod.pod)) return;
  Pods& pods = charged_[pod.node];
  *std::find(pods.begin(), pods.end(), pod.pod) = pods.back();
  pods.pop_back();
  Release(pod.node, *pod.pod);
}

void Account::NodeObjectChanged(cluster::NodeIndex node, const cluster::Node* object) {
  if (!models_.Differs(node, object)) return models_.Set(node, object);
  static const Pods kNone;
  const Pods& pods = node < charged_.size() ? charged_[node] : kNone;
  moved_ = moved_ || !pods.empty();
  for (const auto& pod : pods) Release(node, *pod);
  models_.Set(node, object);
  for (const auto& pod : pods) Charge(node, *pod);
}

bool Account::Recount(cluster::NodeIndex node, std::span<const cluster::PlacedPod* const> pods) {
  if (charged_.size() <= node) charged_.resize(node + 1);
  Pods expected;
  for (const cluster::PlacedPod* pod : pods) {
    if (Counts(*pod->pod)) expected.push_back(pod->pod);
  }
  std::sort(expected.begin(), expected.end());
  std::sort(charged_[node].begin(), charged_[node].end());
  if (expected == charged_[node]) return false;
  for (const auto& pod : charged_[node]) Release(node, *pod);
  for (const auto& pod : expected) Charge(node, *pod);
  charged_[node] = std::move(expected);
  return true;
}

Verdict Account::Check(const cluster::Pod& pod, const Amounts& others) const {
  return Counts(pod) ? CheckAs(pod, *cluster::QuotaLabelsOf(pod), others) : Verdict();
}

VerdictsByModel Account::CheckByModel(const cluster::Pod& pod, const Amounts& others) const {
  if (!Counts(pod)) return {};
  const cluster::QuotaLabels& labels = *cluster::QuotaLabelsOf(pod);
  const Group* group = tree_.Find(labels.group);
  if (!tree_.Standing(group).fits() || !Tree::MindsModels(*group)) return {};
  return models_.Judge(labels, [&](const cluster::QuotaLabels& models) {
    Verdict named = CheckNamed(pod, models);
    return named.fits() ? CheckAs(pod, models, others) : named;
  });
}

Verdict Account::CheckAs(const cluster::Pod& pod, const cluster::QuotaLabels& models, const Amounts& others) const {
  if (options_.enforcement == Enforcement::kAdmission) return CheckHours(pod, models);
  const Group* group = tree_.Find(cluster::QuotaLabelsOf(pod)->group);
  if (Verdict standing = tree_.Standing(group); !standing.fits()) return standing;
  const Amounts& hard = group->object->hard;
  std::string missing = MissingValues(pod, models, hard);
  if (!missing.empty()) return {Outcome::kMustSpecify, {}, std::move(missing)};
  const Amounts usage = PodUsage(pod, models, names_, options_.keys);
  if (std::vector<std::string> negative = NegativeKeys(usage); !negative.empty()) {
    return {Outcome::kNegative, {}, Concat("must not be negative: ", absl::StrJoin(negative, ","))};
  }
  Verdict own = others.empty() ? group->Check(hard, usage) : group->Check(hard, With(usage, others));
  return own.fits() ? tree_.CheckAbove(*group, usage, false) : own;
}

Verdict Account::CheckHours(const cluster::Pod& pod, const cluster::QuotaLabels& models) const {
  const Group* group = tree_.Find(cluster::QuotaLabelsOf(pod)->group);
  if (!group) return {};
  const Amounts hours = CashOf(group->object->hard);
  const Amounts usage = PodUsage(pod, models, names_, options_.keys);
  if (Verdict own = group->Check(hours, usage); !own.fits()) return own;
  return tree_.Standing(group).fits() ? tree_.CheckAbove(*group, usage, true) : Verdict();
}

// Whether its labels name all models that the group has a budget of and it would be charged to.
Verdict Account::CheckNamed(const cluster::Pod& pod, const cluster::QuotaLabels& models) const {
  if (options_.unnamed_model == UnnamedModel::kCharge) return {};
  const Amounts named = UsageOf(pod);
  const Amounts charged = PodUsage(pod, models, names_, options_.keys);
  std::string keys;
  for (const auto& [key, hard] : tree_.Find(cluster::QuotaLabelsOf(pod)->group)->object->hard) {
    if (Grown(charged, key) && !Grown(named, key)) keys += Concat(keys.empty() ? "" : ",", key);
  }
  if (keys.empty()) return {};
  return {Outcome::kUnnamedModel, {}, Concat("the pod's labels do not name the model of ", keys)};
}

}  // namespace huygens::quota
