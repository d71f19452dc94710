#include "quota/account.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_join.h"
#include "base/text.h"
#include "quota/pod_usage.h"

namespace huygens::quota {

Account::Account(const ResourceNames& names, Options options)
    : names_(names), options_(std::move(options)), models_(options_.models) {}

Amounts Account::UsageOf(const cluster::Pod& pod) const { return PodUsage(pod, *pod.quota, names_, options_.keys); }

void Account::Place(const cluster::PlacedPod& pod) {
  if (!Counts(*pod.pod)) return;
  if (charged_.size() <= pod.node) charged_.resize(pod.node + 1);
  charged_[pod.node].push_back(pod.pod);
  tree_.Charge(pod.pod->quota->group, UsageOf(*pod.pod));
}

void Account::Leave(const cluster::PlacedPod& pod) {
  if (!Counts(*pod.pod)) return;
  Pods& pods = charged_[pod.node];
  *std::find(pods.begin(), pods.end(), pod.pod) = pods.back();
  pods.pop_back();
  tree_.Release(pod.pod->quota->group, UsageOf(*pod.pod));
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
  for (const auto& pod : charged_[node]) tree_.Release(pod->quota->group, UsageOf(*pod));
  for (const auto& pod : expected) tree_.Charge(pod->quota->group, UsageOf(*pod));
  charged_[node] = std::move(expected);
  return true;
}

Verdict Account::Check(const cluster::Pod& pod, const Amounts& others) const {
  if (!Counts(pod)) return {};
  if (options_.enforcement == Enforcement::kAdmission) return CheckHours(pod);
  const Group* group = tree_.Find(pod.quota->group);
  if (Verdict standing = tree_.Standing(group); !standing.fits()) return standing;
  const Amounts& hard = group->object->hard;
  std::string missing = MissingValues(pod, *pod.quota, hard);
  if (!missing.empty()) return {Outcome::kMustSpecify, {}, std::move(missing)};
  Amounts usage = UsageOf(pod);
  if (std::vector<std::string> negative = NegativeKeys(usage); !negative.empty()) {
    return {Outcome::kNegative, {}, Concat("must not be negative: ", absl::StrJoin(negative, ","))};
  }
  if (!others.empty()) Add(usage, others);
  return group->Check(hard, usage);
}

Verdict Account::CheckHours(const cluster::Pod& pod) const {
  const Group* group = tree_.Find(pod.quota->group);
  if (!group) return {};
  const Amounts hours = CashOf(group->object->hard);
  if (hours.empty()) return {};
  return group->Check(hours, UsageOf(pod));
}

}  // namespace huygens::quota
