#include "webhook/judgement.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "webhook/subject.h"
#include "webhook/verdicts.h"

namespace huygens::webhook {
namespace {

constexpr size_t kMessageBytes = 1024;
constexpr int64_t kRetrySeconds = 1;

Judgement JudgeReadWorkload(const AdmissionRequest& request, const Facts& facts, const Rules& rules) {
  const auto read = [&](std::string_view json) {
    return workloads::DecodeWorkload(request.kind_group, request.kind, json, facts.names);
  };
  const bool created = request.old_object.empty();
  const StatusOr<workloads::WorkloadObject> before = created ? workloads::WorkloadObject() : read(request.old_object);
  const StatusOr<workloads::WorkloadObject> after = read(request.object);
  // What could not be read before was charged to nobody.
  if (after.ok()) return JudgeWorkload(created || !before.ok() ? nullptr : &*before, *after, facts, rules);
  const auto names_a_group = [](std::string_view json) {
    return json.find(cluster::kQuotaGroupLabel) != std::string_view::npos;
  };
  const bool no_worse = !before.ok() && names_a_group(request.old_object);
  if (no_worse || !names_a_group(request.object)) return {};
  return Refuse(Concat(request.kind, " ", request.name, ": ", Message(after.status())));
}

bool HasKey(const quota::Amounts& amounts, std::string_view key) {
  return std::any_of(amounts.begin(), amounts.end(),
                     [&](const auto& each) { return quota::NormalKey(each.first) == key; });
}

std::string Charged(const GroupChange& change) {
  std::string text;
  for (const auto& [key, amount] : change.amounts) {
    if (amount.Sign() > 0) text += Concat(text.empty() ? "" : ",", key, "=", amount.Canonical());
  }
  return text;
}

}  // namespace

bool Facts::Counted(const cluster::BizGroupQuota& group, std::string_view key) const {
  return !by_status || (HasKey(group.used, key) && HasKey(group.counted_hard, key));
}

Judgement Refuse(std::string_view message) {
  return {.allowed = false, .code = kForbidden, .message = std::string(message)};
}

Judgement NotYet(std::string_view message) {
  return {.allowed = false, .code = kServiceUnavailable, .message = std::string(message)};
}

std::string MissingGroup(const quota::Tree& tree, std::string_view group) {
  std::string name(group);
  for (size_t level = 0; level <= quota::kMaxDepth && !name.empty(); ++level) {
    const quota::Group* known = tree.Find(name);
    if (known == nullptr) return name;
    name = known->object->parent;
  }
  return {};
}

Judgement NotKnownYet(std::string_view message) {
  Judgement judgement = NotYet(message);
  judgement.soon = true;
  return judgement;
}

void AddChange(const quota::Tree& tree, std::string_view group, const quota::Amounts& amounts, Judgement& judgement) {
  const quota::Group* known = group.empty() ? nullptr : tree.Find(group);
  if (known == nullptr) return;
  quota::Amounts limited = quota::Masked(amounts, known->object->hard);
  quota::RemoveZeros(limited);
  if (!limited.empty()) judgement.changes.push_back({std::string(group), std::move(limited)});
}

Judgement Judge(const AdmissionRequest& request, const Facts& facts, const Rules& rules) {
  switch (SubjectOf(request)) {
    case Subject::kGroup:
      return JudgeGroup(request, facts, rules);
    case Subject::kWorkload:
      return JudgeReadWorkload(request, facts, rules);
    case Subject::kScale:
      return JudgeScale(request, facts, rules);
    case Subject::kAutoscaler:
      return JudgeAutoscaler(request, facts, rules);
    case Subject::kNothing:
    case Subject::kDeferred:
    case Subject::kRelease:
      break;
  }
  return {};
}

AdmissionAnswer ToAnswer(const AdmissionRequest& request, const Judgement& judgement) {
  AdmissionAnswer answer;
  answer.uid = request.uid;
  answer.allowed = judgement.allowed;
  answer.warnings = judgement.warnings;
  if (!judgement.allowed) {
    answer.code = judgement.code;
    answer.message = CutText(judgement.message, kMessageBytes);
    if (answer.code == kServiceUnavailable) answer.retry_after_seconds = kRetrySeconds;
  }
  for (const GroupChange& change : judgement.changes) {
    std::string charged = Charged(change);
    if (charged.empty()) continue;
    answer.audit_annotations.emplace_back("group", change.group);
    answer.audit_annotations.emplace_back("charged", std::move(charged));
    break;  // only one group is charged more; another can only get back
  }
  return answer;
}

}  // namespace huygens::webhook
