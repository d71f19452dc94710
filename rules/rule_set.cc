#include "rules/rule_set.h"

#include <algorithm>
#include <tuple>

#include "base/text.h"

namespace huygens::rules {

namespace {

bool Contains(const std::vector<std::string>& list, std::string_view text) {
  return std::ranges::find(list, text) != list.end();
}

Verdict JudgeNamespaces(const SchedulingRule& rule, const Subject& subject, const Surroundings& surroundings) {
  if (subject.kind().shape == Shape::kNode) return Verdict::kApplied;
  const Selection& selection = rule.selection;
  if (!selection.namespaces.empty() && !Contains(selection.namespaces, subject.namespace_name())) {
    return Verdict::kOtherNamespace;
  }
  if (Contains(rule.exclusion.namespaces, subject.namespace_name())) return Verdict::kExcluded;
  if (!selection.namespace_labels) return Verdict::kApplied;
  if (surroundings.namespace_labels == nullptr) return Verdict::kNamespaceUnknown;
  return selection.namespace_labels->Matches(*surroundings.namespace_labels) ? Verdict::kApplied
                                                                             : Verdict::kOtherNamespaceLabels;
}

Verdict JudgeOwner(const SchedulingRule& rule, const Subject& subject) {
  if (subject.kind().shape != Shape::kPod) return Verdict::kApplied;
  const Tree* owner = subject.owner();
  const std::string_view kind = owner != nullptr ? owner->TextOf("kind") : std::string_view();
  const bool meant =
      rule.selection.owner_kinds.empty() ? kind != "DaemonSet" : Contains(rule.selection.owner_kinds, kind);
  return meant ? Verdict::kApplied : Verdict::kOtherOwner;
}

Verdict JudgeTime(const Window& window, Time now) {
  if (window.from && now < *window.from) return Verdict::kTooEarly;
  return window.until && now >= *window.until ? Verdict::kTooLate : Verdict::kApplied;
}

bool IsSkipped(const Tree& object) {
  const Tree* metadata = object.Find("metadata");
  if (metadata == nullptr) return false;
  for (const std::string_view map : {"annotations", "labels"}) {
    const Tree* said = metadata->Find(map);
    const Tree* skip = said != nullptr ? said->Find(kSkipAnnotation) : nullptr;
    if (skip != nullptr && skip->text() != "false") return true;
  }
  return false;
}

}  // namespace

RuleSet::RuleSet(std::vector<SchedulingRule> rules) : rules_(std::move(rules)) {
  // Names are unique in a cluster; where they are not, as in files, the order must not depend on theirs either.
  std::ranges::sort(rules_, [](const SchedulingRule& a, const SchedulingRule& b) {
    if (a.priority != b.priority) return a.priority > b.priority;
    if (a.name != b.name) return a.name < b.name;
    if (std::tie(a.uid, a.generation) != std::tie(b.uid, b.generation)) {
      return std::tie(a.uid, a.generation) < std::tie(b.uid, b.generation);
    }
    return a.defect.empty() && b.defect.empty() ? EncodeRule(a) < EncodeRule(b) : a.defect < b.defect;
  });
  for (size_t i = 0; i < rules_.size(); ++i) File(static_cast<uint32_t>(i));
}

void RuleSet::File(uint32_t position) {
  const SchedulingRule& rule = rules_[position];
  if (!rule.defect.empty()) return;
  const auto& requirements = rule.selection.labels.requirements;
  const auto values = std::ranges::find(requirements, LabelRequirement::Operation::kIn, &LabelRequirement::operation);
  for (const std::string& kind : rule.selection.kinds) {
    OfKind& files = by_kind_[kind];
    if (values != requirements.end()) {
      for (const std::string& value : values->values) {
        files.by_label[Concat(values->key, "=", value)].push_back(position);
      }
    } else if (!rule.selection.namespaces.empty()) {
      for (const std::string& name : rule.selection.namespaces) files.by_namespace[name].push_back(position);
    } else {
      files.any.push_back(position);
    }
  }
}

std::vector<uint32_t> RuleSet::Candidates(const Subject& subject, const Tree* labels) const {
  const auto files = by_kind_.find(subject.kind().kind);
  if (files == by_kind_.end()) return {};
  std::vector<uint32_t> positions = files->second.any;
  const auto add = [&](const TextMap<std::vector<uint32_t>>& from, std::string_view key) {
    const auto found = from.find(key);
    if (found != from.end()) positions.insert(positions.end(), found->second.begin(), found->second.end());
  };
  if (labels != nullptr && !files->second.by_label.empty()) {
    for (const auto& [key, value] : labels->members()) add(files->second.by_label, Concat(key, "=", value.text()));
  }
  add(files->second.by_namespace, subject.namespace_name());
  std::ranges::sort(positions);
  // A rule may name a value, a namespace or a kind twice.
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  return positions;
}

const SchedulingRule* RuleSet::Find(std::string_view name) const {
  const auto at = std::ranges::find(rules_, name, &SchedulingRule::name);
  return at == rules_.end() ? nullptr : &*at;
}

std::string_view VerdictText(Verdict verdict) {
  switch (verdict) {
    case Verdict::kApplied:
      return "applied";
    case Verdict::kWouldApply:
      return "would be applied: the rule only reports";
    case Verdict::kOnlyConflicts:
      return "each of its values is set otherwise already";
    case Verdict::kNothingHere:
      return "has nothing that this write can change";
    case Verdict::kBroken:
      return "cannot be used";
    case Verdict::kOtherKind:
      return "is for other kinds";
    case Verdict::kOtherNamespace:
      return "is for other namespaces";
    case Verdict::kNamespaceUnknown:
      return "selects namespaces by label, and those of this one are not known";
    case Verdict::kOtherNamespaceLabels:
      return "is for namespaces with other labels";
    case Verdict::kOtherLabels:
      return "is for objects with other labels";
    case Verdict::kOtherOwner:
      return "is not for pods of this owner";
    case Verdict::kExcluded:
      return "excludes it";
    case Verdict::kSkipped:
      return "the object says rules.huygens.dev/skip";
    case Verdict::kTooEarly:
      return "its window has not begun";
    case Verdict::kTooLate:
      return "its window is over";
    case Verdict::kOutsideShare:
      return "is not rolled out that far";
  }
  return "";
}

Verdict Judge(const SchedulingRule& rule, const Subject& subject, const Tree* labels,
              const Surroundings& surroundings) {
  if (!rule.defect.empty()) return Verdict::kBroken;
  if (!Contains(rule.selection.kinds, subject.kind().kind)) return Verdict::kOtherKind;
  if (IsSkipped(subject.object())) return Verdict::kSkipped;
  if (const Verdict verdict = JudgeNamespaces(rule, subject, surroundings); verdict != Verdict::kApplied) {
    return verdict;
  }
  const auto label = [&](std::string_view key) -> std::optional<std::string_view> {
    const Tree* value = labels != nullptr ? labels->Find(key) : nullptr;
    return value != nullptr ? std::optional(value->text()) : std::nullopt;
  };
  if (!rule.selection.labels.Matches(label)) return Verdict::kOtherLabels;
  if (rule.exclusion.labels && rule.exclusion.labels->Matches(label)) return Verdict::kExcluded;
  if (const Verdict verdict = JudgeOwner(rule, subject); verdict != Verdict::kApplied) return verdict;
  if (const Verdict verdict = JudgeTime(rule.window, surroundings.now); verdict != Verdict::kApplied) return verdict;
  if (rule.rollout.per_ten_thousand >= 10'000) return Verdict::kApplied;
  const std::string key = rule.rollout.by == ShareOf::kPod ? subject.PodKey() : subject.WorkloadKey();
  return PlaceInRollout(rule.name, key) < rule.rollout.per_ten_thousand ? Verdict::kApplied : Verdict::kOutsideShare;
}

int64_t PlaceInRollout(std::string_view rule_name, std::string_view key) {
  // FNV-1a, then the finalizer of MurmurHash3: names that differ in a last digit are to be spread evenly.
  uint64_t hash = 0xcbf29ce484222325;
  for (const std::string_view part : {rule_name, std::string_view("/"), key}) {
    for (const char c : part) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccd;
  hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53;
  hash ^= hash >> 33;
  return static_cast<int64_t>(hash % 10'000);
}

}  // namespace huygens::rules
