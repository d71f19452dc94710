#include "quota/account.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_join.h"
#include "base/text.h"
#include "quota/pod_usage.h"

namespace huygens::quota {

Account::Account(const ResourceNames& names, KeyOptions options, LabelsOf labels_of)
    : names_(names), options_(std::move(options)), labels_of_(std::move(labels_of)) {}

Amounts Account::UsageOf(const cluster::Pod& pod) const { return PodUsage(pod, labels_of_(pod), names_, options_); }

void Account::Place(const cluster::PlacedPod& pod) {
  if (!Counts(*pod.pod)) return;
  if (charged_.size() <= pod.node) charged_.resize(pod.node + 1);
  charged_[pod.node].push_back(pod.pod);
  tree_.Charge(labels_of_(*pod.pod).group, UsageOf(*pod.pod));
}

void Account::Leave(const cluster::PlacedPod& pod) {
  if (!Counts(*pod.pod)) return;
  Pods& pods = charged_[pod.node];
  *std::find(pods.begin(), pods.end(), pod.pod) = pods.back();
  pods.pop_back();
  tree_.Release(labels_of_(*pod.pod).group, UsageOf(*pod.pod));
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
  for (const auto& pod : charged_[node]) tree_.Release(labels_of_(*pod).group, UsageOf(*pod));
  for (const auto& pod : expected) tree_.Charge(labels_of_(*pod).group, UsageOf(*pod));
  charged_[node] = std::move(expected);
  return true;
}

void Account::Set(cluster::BizGroupQuota group) {
  std::string name = group.name;
  tree_.Set(std::move(group));
  NoteChange(name);
}

void Account::Remove(std::string_view name) {
  NoteChange(name);
  tree_.Remove(name);
}

void Account::NoteChange(std::string_view name) {
  const Group* group = tree_.Find(name);
  if (!group) return;
  changed_.emplace(name);
  if (!group->object->parent.empty()) changed_.insert(group->object->parent);
}

std::vector<std::string> Account::TakeChanged() {
  std::vector<std::string> names(changed_.begin(), changed_.end());
  changed_.clear();
  return names;
}

Verdict Account::Check(const cluster::Pod& pod) const {
  const cluster::QuotaLabels& labels = labels_of_(pod);
  if (labels.group.empty()) return {};
  if (Verdict standing = tree_.Standing(labels.group); !standing.fits()) return standing;
  std::string missing = MissingValues(pod, labels, tree_.Find(labels.group)->object->hard);
  if (!missing.empty()) return {Outcome::kMustSpecify, {}, std::move(missing)};
  const Amounts usage = UsageOf(pod);
  if (std::vector<std::string> negative = NegativeKeys(usage); !negative.empty()) {
    return {Outcome::kNegative, {}, Concat("negative ", absl::StrJoin(negative, ","))};
  }
  return tree_.Check(labels.group, usage);
}

}  // namespace huygens::quota
