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

Amounts Account::Usage(const cluster::Pod& pod, const cluster::QuotaLabels& models) const {
  Amounts usage = PodUsage(pod, models, names_, options_.keys, classes_);
  claims_.AddUsage(pod, models, usage);
  return usage;
}

Amounts Account::UsageOf(const cluster::Pod& pod) const { return Usage(pod, *cluster::QuotaLabelsOf(pod)); }

Amounts Account::UsageOn(const cluster::Pod& pod, cluster::NodeIndex node) const {
  return Usage(pod, models_.Charged(*cluster::QuotaLabelsOf(pod), node));
}

Amounts Account::UsageAnywhere(const cluster::Pod& pod) const {
  Amounts usage = UsageOf(pod);
  for (const cluster::QuotaLabels& models : models_.OthersCharged(*cluster::QuotaLabelsOf(pod))) {
    Max(usage, Usage(pod, models));
  }
  return usage;
}

std::span<const std::shared_ptr<const cluster::Pod>> Account::ChargedOn(cluster::NodeIndex node) const {
  return node < charged_.size() ? std::span<const std::shared_ptr<const cluster::Pod>>(charged_[node])
                                : std::span<const std::shared_ptr<const cluster::Pod>>();
}

void Account::Charge(cluster::NodeIndex node, const cluster::Pod& pod) {
  tree_.Charge(cluster::QuotaLabelsOf(pod)->group, OwnUsageOn(pod, node));
}

void Account::Release(cluster::NodeIndex node, const cluster::Pod& pod) {
  tree_.Release(cluster::QuotaLabelsOf(pod)->group, OwnUsageOn(pod, node));
}

Amounts Account::OwnUsageOn(const cluster::Pod& pod, cluster::NodeIndex node) const {
  return PodUsage(pod, models_.Charged(*cluster::QuotaLabelsOf(pod), node), names_, options_.keys, classes_);
}

void Account::Place(const cluster::PlacedPod& pod) {
  if (!Counts(*pod.pod)) return;
  if (charged_.size() <= pod.node) charged_.resize(pod.node + 1);
  charged_[pod.node].push_back(pod.pod);
  Charge(pod.node, *pod.pod);
  if (pod.pod->claims) claims_.Hold(pod.pod, pod.node);
}

void Account::Leave(const cluster::PlacedPod& pod) {
  if (!Counts(*pod.pod)) return;
  Pods& pods = charged_[pod.node];
  *std::find(pods.begin(), pods.end(), pod.pod) = pods.back();
  pods.pop_back();
  Release(pod.node, *pod.pod);
  if (pod.pod->claims) claims_.Drop(*pod.pod);
}

void Account::NodeObjectChanged(cluster::NodeIndex node, const cluster::Node* object) {
  if (!models_.Differs(node, object)) return models_.Set(node, object);
  static const Pods kNone;
  const Pods& pods = node < charged_.size() ? charged_[node] : kNone;
  moved_ = moved_ || !pods.empty();
  for (const auto& pod : pods) Release(node, *pod);
  models_.Set(node, object);
  for (const auto& pod : pods) {
    Charge(node, *pod);
    claims_.ChargeAgain(*pod);
  }
}

void Account::ClassChanged(const cluster::DeviceClass& device_class) { ChangeClass(device_class.name, &device_class); }
void Account::ClassGone(std::string_view name) { ChangeClass(name, nullptr); }

// Pods that ask for devices by a name that means others now, or none, are charged anew.
void Account::ChangeClass(std::string_view name, const cluster::DeviceClass* now) {
  const std::string before(classes_.ResourceOf(name));
  const std::string own = Concat(kDeviceClassResource, name);
  const bool same = before.empty() && (now == nullptr || now->extended_resource.empty());
  std::vector<std::pair<cluster::NodeIndex, const cluster::Pod*>> pods;
  for (cluster::NodeIndex node = 0; !same && node < charged_.size(); ++node) {
    for (const auto& pod : charged_[node]) {
      const bool asks = AnyRequest(*pod, names_, [&](std::string_view asked) {
        return asked == own || asked == before || (now != nullptr && asked == now->extended_resource);
      });
      if (asks) pods.emplace_back(node, pod.get());
    }
  }
  for (const auto& [node, pod] : pods) Release(node, *pod);
  now != nullptr ? classes_.Set(*now) : classes_.Remove(name);
  for (const auto& [node, pod] : pods) Charge(node, *pod);
  if (!same) claims_.ChargeAllAgain();
}

void Account::SetUnreadable(std::string claims, std::string classes) {
  claims_unreadable_ = std::move(claims);
  classes_unreadable_ = std::move(classes);
}

bool Account::MindsDevices(const Amounts& hard) const {
  return std::any_of(hard.begin(), hard.end(), [this](const auto& budget) {
    return IsOfDevices(budget.first) || classes_.Concern(budget.first);
  });
}

// Which groups are above is known of groups that stand.
bool Account::MindsDevices(const Group& group) const {
  if (MindsDevices(group.object->hard)) return true;
  return tree_.Standing(&group).fits() &&
         std::any_of(group.above.begin(), group.above.end(),
                     [this](const Group* above) { return MindsDevices(above->object->hard); });
}

bool Account::Recount(cluster::NodeIndex node, std::span<const cluster::PlacedPod* const> pods) {
  if (charged_.size() <= node) charged_.resize(node + 1);
  Pods expected;
  for (const cluster::PlacedPod* pod : pods) {
    if (Counts(*pod->pod)) expected.push_back(pod->pod);
  }
  std::sort(expected.begin(), expected.end());
  std::sort(charged_[node].begin(), charged_[node].end());
  const bool holds = std::all_of(expected.begin(), expected.end(),
                                 [&](const auto& pod) { return !pod->claims || claims_.Holds(*pod, node); });
  if (expected == charged_[node] && holds) return false;
  for (const auto& pod : charged_[node]) {
    Release(node, *pod);
    claims_.Drop(*pod);
  }
  for (const auto& pod : expected) {
    Charge(node, *pod);
    claims_.Hold(pod, node);
  }
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
  Amounts usage;
  if (Verdict unknown = UsageFor(*group, pod, models, usage); !unknown.fits()) return unknown;
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
  Amounts usage;
  Verdict unknown = UsageFor(*group, pod, models, usage);
  if (!unknown.fits() && MindsDevices(hours)) return unknown;
  if (Verdict own = group->Check(hours, usage); !own.fits()) return own;
  return tree_.Standing(group).fits() ? tree_.CheckAbove(*group, usage, true) : Verdict();
}

Verdict Account::UsageFor(const Group& group, const cluster::Pod& pod, const cluster::QuotaLabels& models,
                          Amounts& usage) const {
  usage = PodUsage(pod, models, names_, options_.keys, classes_);
  const bool asks = pod.claims || (!classes_unreadable_.empty() && AnyRequest(pod, names_, IsExtendedResource));
  if (!asks || !MindsDevices(group)) return {};
  std::string unknown = AddClaims(pod, models, usage);
  return unknown.empty() ? Verdict() : Verdict{Outcome::kUnknownClaim, {}, std::move(unknown)};
}

std::string Account::AddClaims(const cluster::Pod& pod, const cluster::QuotaLabels& models, Amounts& usage) const {
  if (pod.claims && !claims_unreadable_.empty()) return claims_unreadable_;
  return classes_unreadable_.empty() ? claims_.AddUsage(pod, models, usage) : classes_unreadable_;
}

// Whether its labels name all models that the group has a budget of and it would be charged to.
Verdict Account::CheckNamed(const cluster::Pod& pod, const cluster::QuotaLabels& models) const {
  if (options_.unnamed_model == UnnamedModel::kCharge) return {};
  const Amounts named = UsageOf(pod);
  const Amounts charged = Usage(pod, models);
  std::string keys;
  for (const auto& [key, hard] : tree_.Find(cluster::QuotaLabelsOf(pod)->group)->object->hard) {
    if (Grown(charged, key) && !Grown(named, key)) keys += Concat(keys.empty() ? "" : ",", key);
  }
  if (keys.empty()) return {};
  return {Outcome::kUnnamedModel, {}, Concat("the pod's labels do not name the model of ", keys)};
}

}  // namespace huygens::quota
