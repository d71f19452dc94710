#include "rule_keeping/standings.h"

#include <algorithm>
#include <tuple>

namespace huygens::rule_keeping {

std::string KeptObject::Title() const {
  return Concat(kind, " ", namespace_name, namespace_name.empty() ? "" : "/", name);
}

void Standings::Reset(std::shared_ptr<const rules::RuleSet> rules) {
  objects_.clear();
  due_.clear();
  due_at_.clear();
  rules_ = std::move(rules);
}

void Standings::Set(KeptObject object, Duration now) {
  const rules::Standing& standing = object.standing;
  const bool repair = !standing.patch.empty() || !standing.status_patch.empty();
  const std::string uid = object.uid;
  if (!repair && standing.matched.empty()) return Remove(uid);
  if (repair) {
    Duration when = now;
    if (const auto tried = tries_.find(uid); tried != tries_.end()) when = std::max(when, tried->second.not_before);
    Schedule(uid, when);
  } else {
    Unschedule(uid);
  }
  objects_.insert_or_assign(uid, std::move(object));
}

void Standings::Remove(const std::string& uid) {
  Unschedule(uid);
  objects_.erase(uid);
}

void Standings::Schedule(const std::string& uid, Duration when) {
  Unschedule(uid);
  due_.emplace(when, uid);
  due_at_[uid] = when;
}

void Standings::Unschedule(const std::string& uid) {
  const auto at = due_at_.find(uid);
  if (at == due_at_.end()) return;
  due_.erase({at->second, uid});
  due_at_.erase(at);
}

const KeptObject* Standings::NextToRepair(Duration now) const {
  if (due_.empty() || due_.begin()->first > now) return nullptr;
  return &objects_.at(due_.begin()->second);
}

std::optional<Duration> Standings::NextDue() const {
  return due_.empty() ? std::nullopt : std::optional(due_.begin()->first);
}

void Standings::Repaired(const std::string& uid, std::string_view judged_version, bool succeeded, Duration now) {
  absl::erase_if(tries_, [&](const auto& each) { return now - each.second.since > kLongestPause; });
  Try& tried = tries_.try_emplace(uid, Try{.since = now}).first->second;
  if (succeeded) {
    ++tried.repairs;
    tried.not_before = tried.repairs >= kRepairsInARow ? tried.since + kLongestPause : now;
    tried.pause = kFirstPause;
    const auto newer = objects_.find(uid);
    if (newer == objects_.end() || newer->second.resource_version == judged_version) {
      return Unschedule(uid);  // the watch brings what is stored now
    }
    if (const auto due = due_at_.find(uid); due != due_at_.end()) {
      Schedule(uid, std::max(due->second, tried.not_before));
    }
    return;
  }
  tried.not_before = now + tried.pause;
  tried.pause = std::min(2 * tried.pause, kLongestPause);
  if (objects_.contains(uid)) Schedule(uid, tried.not_before);
}

bool Standings::IsContended(const std::string& uid) const {
  const auto tried = tries_.find(uid);
  return tried != tries_.end() && tried->second.repairs >= kRepairsInARow;
}

const Labels* Standings::LabelsOfNode(const std::string& node) const {
  const auto at = node_labels_.find(node);
  return at == node_labels_.end() ? nullptr : &at->second;
}

std::map<std::string, RuleCount> Standings::CountByRule() const {
  std::map<std::string, RuleCount> counts;
  for (const auto& [uid, object] : objects_) {
    const rules::Standing& standing = object.standing;
    const Labels* node = LabelsOfNode(object.node);
    for (const rules::SchedulingRule* rule : standing.matched) {
      RuleCount& count = counts[rule->name];
      ++count.matched;
      const bool carried = std::ranges::find(standing.carried, rule) != standing.carried.end();
      std::vector<rules::Lack> lacks;
      for (const auto* list : {&standing.lacks, &standing.would_lack}) {
        std::ranges::copy_if(*list, std::back_inserter(lacks),
                             [&](const rules::Lack& each) { return each.rule == rule; });
      }
      if (carried) ++count.carried;
      if (!lacks.empty()) ++count.lacking;
      if (node != nullptr && !rules::Misplacement(lacks, *node).empty()) ++count.misplaced;
      if (!carried && lacks.empty() && due_at_.contains(uid)) ++count.pending;
    }
    std::set<std::tuple<std::string, std::string, std::string>> seen;  // an object counts once, however many containers
    for (const rules::FieldConflict& conflict : standing.conflicts) {
      const std::string with = conflict.with != nullptr ? conflict.with->name : std::string();
      if (!seen.emplace(conflict.rule->name, conflict.field, with).second) continue;
      ++counts[conflict.rule->name].conflicts[{conflict.field, with}];
    }
  }
  return counts;
}

std::vector<rules::Violation> Standings::Violations() const {
  std::vector<rules::Violation> violations;
  for (const auto& [uid, object] : objects_) {
    const Labels* node = LabelsOfNode(object.node);
    if (node == nullptr || object.standing.lacks.empty()) continue;
    std::vector<rules::Violation::Reason> reasons = rules::Misplacement(object.standing.lacks, *node);
    if (reasons.empty()) continue;
    violations.push_back({object.namespace_name, object.name, uid, object.node, std::move(reasons)});
  }
  std::ranges::sort(violations, [](const rules::Violation& a, const rules::Violation& b) {
    return std::tie(a.namespace_name, a.pod, a.uid) < std::tie(b.namespace_name, b.pod, b.uid);
  });
  return violations;
}

}  // namespace huygens::rule_keeping
