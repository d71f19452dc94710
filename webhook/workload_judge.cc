#include <algorithm>
#include <utility>

#include "absl/strings/str_join.h"
#include "base/text.h"
#include "webhook/subject.h"
#include "webhook/verdicts.h"
#include "wire/object_meta.h"
#include "workloads/charge.h"

namespace huygens::webhook {
namespace {

using quota::Amounts;
using quota::Verdict;
using workloads::WorkloadObject;

// From this share of a budget on whoever takes more of it is told.
constexpr int64_t kWarnPercent = 90;

// What a workload would be charged, and to whom.
struct Claim {
  std::string group;  // empty: nobody
  Amounts usage;
  std::string missing;  // values that its templates do not state
  bool own = false;     // charged by itself, not with its owner
};

StatusOr<Claim> ClaimOf(const WorkloadObject& workload, const Facts& facts, const Rules& rules) {
  Claim claim;
  claim.group = workload.labels.group;
  if (claim.group.empty()) return claim;
  HUYGENS_ASSIGN_OR_RETURN(claim.usage, workloads::UsageOf(workload, facts.Costs(rules)));
  const quota::Group* group = facts.tree.Find(claim.group);
  if (group != nullptr) claim.missing = workloads::MissingValues(workload, group->object->hard);
  claim.own = !workloads::IsChargedWithItsOwner(workload, facts.workloads);
  return claim;
}

// What the object was before is charged, but for what it has lost since the review was made: the controller may have given
// that back. Such a change conflicts and is judged again, by what is reserved for it now, so that must be charged whole.
Amounts StillCharged(const Claim& was, const WorkloadObject* before, const Facts& facts, const Rules& rules) {
  const WorkloadObject* known = before == nullptr ? nullptr : facts.workloads.ByUid(before->uid);
  if (known == nullptr ||
      wire::ParseResourceVersion(known->resource_version) <= wire::ParseResourceVersion(before->resource_version)) {
    return was.usage;
  }
  WorkloadObject borrower = *known;
  workloads::BorrowTemplate(borrower, facts.workloads);
  const Claim now = ClaimOf(borrower, facts, rules).value_or(Claim());
  Amounts least;
  if (now.group != was.group) return least;
  for (const auto& [key, amount] : was.usage) quota::Set(least, key, std::min(amount, quota::Get(now.usage, key)));
  return least;
}

void AddChanges(const Facts& facts, const Claim& before, const Claim& after, Judgement& judgement) {
  Amounts now = after.own ? after.usage : Amounts();
  Amounts was = before.own ? before.usage : Amounts();
  if (before.group == after.group) {
    quota::Subtract(now, was);
    return AddChange(facts.tree, after.group, now, judgement);
  }
  AddChange(facts.tree, after.group, now, judgement);
  Amounts less;
  quota::Subtract(less, was);
  AddChange(facts.tree, before.group, less, judgement);
}

Verdict CheckGrowth(const quota::Tree& tree, const quota::Group& group, const Amounts& grown) {
  Verdict own = group.Check(group.object->hard, grown);
  return own.fits() ? tree.CheckAbove(group, grown, false) : own;
}

void WarnOfTheEnd(const quota::Group& group, const Amounts& grown, Judgement& judgement) {
  for (const auto& [key, hard] : group.object->hard) {
    const Quantity* more = quota::Grown(grown, key);
    const Quantity* used = group.UsedOf(key);
    if (more == nullptr || used == nullptr) continue;
    Amounts now = {{key, *used}};
    if (!quota::IsCash(key)) now[0].second.Add(*more);
    const Amounts percent = quota::Times(now, 100), limit = quota::Times({{key, hard}}, kWarnPercent);
    if (percent[0].second < limit[0].second) continue;
    judgement.warnings.push_back(Concat("quota bizrq/", group.object->name, ": ", key, " used ",
                                        now[0].second.Canonical(), " of ", hard.Canonical()));
  }
}

// A key of the budget that grows, while nobody has counted yet what is used of it.
std::string Uncounted(const quota::Group& group, const Amounts& grown, const Facts& facts) {
  for (const auto& [key, hard] : group.object->hard) {
    if (quota::Grown(grown, key) == nullptr || facts.Counted(*group.object, key)) continue;
    return Concat("quota bizrq/", group.object->name, ": what is used of ", key,
                  " has not been counted yet; huygens controller does so when a group is new or its budget changes");
  }
  return {};
}

// Extended resources that grow may be devices of a class, and then count for a budget of devices, too. Which class, the
// classes alone say.
bool MayTakeDevices(const quota::Group& group, const Amounts& grown) {
  const auto is_of_devices = [](const auto& each) { return quota::IsOfDevices(each.first); };
  const auto limits = [&](const quota::Group* each) {
    return std::any_of(each->object->hard.begin(), each->object->hard.end(), is_of_devices);
  };
  return std::any_of(grown.begin(), grown.end(),
                     [](const auto& each) { return !quota::ExtendedResourceOf(each.first).empty(); }) &&
         (limits(&group) || std::any_of(group.above.begin(), group.above.end(), limits));
}

// Nothing where no key of the budget grows.
std::optional<Charge> ChargeFor(const quota::Group& group, const WorkloadObject& workload, const Amounts& usage,
                                const Amounts& more, const Amounts& grown) {
  const Amounts& hard = group.object->hard;
  if (quota::Masked(grown, hard).empty()) return std::nullopt;
  Charge charge;
  charge.group = group.object->name;
  charge.reservation = {.uid = workload.uid,
                        .kind = quota::KindText(workload.counted.group, workload.counted.kind),
                        .namespace_name = workload.namespace_name,
                        .name = workload.name,
                        .amounts = quota::Masked(usage, hard),
                        .until = {}};
  charge.increase = quota::Masked(more, hard);
  return charge;
}

Judgement RefuseForLack(const Verdict& verdict, const std::string& group) {
  Judgement refusal = Refuse(quota::Text(verdict, group));
  if (verdict.outcome != quota::Outcome::kExceeded) return refusal;
  refusal.short_of = group;
  for (const quota::Shortage& each : verdict.shortages) {
    Quantity lacking = each.used;
    lacking.Add(each.requested);
    lacking.Sub(each.hard);
    quota::Set(refusal.lacking, each.key, lacking);
  }
  return refusal;
}

bool NameIsTaken(const WorkloadObject& workload, const workloads::WorkloadIndex& known) {
  const WorkloadObject* holder =
      known.ByName(workload.counted.group, workload.counted.kind, workload.namespace_name, workload.name);
  return holder != nullptr && holder->uid != workload.uid;
}

}  // namespace

Judgement JudgeWorkload(const WorkloadObject* given_before, const WorkloadObject& given, const Facts& facts,
                        const Rules& rules) {
  if (given.deleting) return {};
  WorkloadObject after = given;
  WorkloadObject before = given_before != nullptr ? *given_before : WorkloadObject();
  const bool counts = !after.labels.group.empty() && !workloads::IsChargedWithItsOwner(after, facts.workloads);
  workloads::BorrowTemplate(before, facts.workloads);
  if (std::string why = workloads::BorrowTemplate(after, facts.workloads); !why.empty() && counts)
    return NotKnownYet(why);
  const StatusOr<Claim> now = ClaimOf(after, facts, rules);
  if (!now.ok()) return counts ? Refuse(Message(now.status())) : Judgement();
  const Claim was = ClaimOf(before, facts, rules).value_or(Claim());

  Judgement judgement;
  AddChanges(facts, was, *now, judgement);
  const bool joins = now->group != was.group;
  Amounts grown = joins ? now->usage : quota::Increase(now->usage, was.usage);
  quota::RemoveZeros(grown);
  if (!counts || (!joins && grown.empty() && now->missing == was.missing)) return judgement;

  const quota::Group* group = facts.tree.Find(now->group);
  const Verdict standing = facts.tree.Standing(group);
  const auto refuse = [&](const Verdict& verdict) { return Refuse(quota::Text(verdict, now->group)); };
  if (!standing.fits()) {
    if (!joins && grown.empty()) return judgement;
    Judgement refusal = refuse(standing);
    refusal.unknown_group = MissingGroup(facts.tree, now->group);
    return refusal;
  }
  if (!now->missing.empty()) return refuse({quota::Outcome::kMustSpecify, {}, now->missing});
  // Kinds that a CRD defines can ask for less than nothing, and no API server would take a reservation of that.
  if (const auto negative = quota::NegativeKeys(now->usage); !negative.empty()) {
    return refuse({quota::Outcome::kNegative, {}, Concat("must not be negative: ", absl::StrJoin(negative, ","))});
  }
  if (std::string uncounted = Uncounted(*group, grown, facts); !uncounted.empty()) return NotKnownYet(uncounted);
  if (!facts.classes_hidden.empty() && MayTakeDevices(*group, grown)) {
    return NotYet(Concat("quota bizrq/", now->group, ": ", facts.classes_hidden));
  }
  Amounts charged = facts.ReservedFor(now->group, after.uid);
  if (!joins) quota::Max(charged, StillCharged(was, given_before, facts, rules));
  Amounts more = quota::Increase(now->usage, charged);
  quota::RemoveZeros(more);
  if (const Verdict verdict = CheckGrowth(facts.tree, *group, more); !verdict.fits()) {
    return RefuseForLack(verdict, now->group);
  }
  judgement.charge = ChargeFor(*group, after, now->usage, more, grown);
  if (judgement.charge) {
    judgement.charge->created = given_before == nullptr;
    judgement.charge->name_taken = NameIsTaken(after, facts.workloads);
    judgement.charge->usage = now->usage;
  }
  WarnOfTheEnd(*group, more, judgement);
  return judgement;
}

Judgement JudgeScale(const AdmissionRequest& request, const Facts& facts, const Rules& rules) {
  const StatusOr<ScaleObject> now = DecodeScale(request.object);
  if (!now.ok()) return Refuse(Concat("object: ", Message(now.status())));
  const StatusOr<ScaleObject> was = DecodeScale(request.old_object);
  const bool shrinks = was.ok() && now->replicas <= was->replicas;
  const WorkloadObject* known = facts.workloads.ByUid(now->uid);
  if (known == nullptr) return shrinks ? Judgement() : NotKnownYet("the workload to be scaled is not known here yet");
  // Its template may have changed since; what is newer than the review makes no difference, that write will conflict.
  if (!shrinks &&
      wire::ParseResourceVersion(known->resource_version) < wire::ParseResourceVersion(now->resource_version)) {
    return NotKnownYet("the workload to be scaled has changed, which is not known here yet");
  }
  WorkloadObject after = *known;
  quota::Scale(after.counted, now->replicas);
  Judgement judgement = JudgeWorkload(known, after, facts, rules);
  return judgement.allowed || !shrinks ? judgement : Judgement();  // then what is known of it is old
}

// Nothing is charged for what an autoscaler may do one day; whoever sets it up is told at once that it never could.
Judgement JudgeAutoscaler(const AdmissionRequest& request, const Facts& facts, const Rules& rules) {
  if (request.operation == Operation::kDelete) return {};
  const StatusOr<Autoscaler> now = DecodeAutoscaler(request.object);
  if (!now.ok()) return Refuse(Concat("object: ", Message(now.status())));
  if (!request.old_object.empty()) {
    const StatusOr<Autoscaler> was = DecodeAutoscaler(request.old_object);
    Autoscaler same = was.value_or(Autoscaler());
    if (same.max_replicas >= now->max_replicas) same.max_replicas = now->max_replicas;
    if (same == *now) return {};
  }
  const WorkloadObject* known =
      facts.workloads.ByName(now->target_group, now->target_kind, request.namespace_name, now->target_name);
  if (known == nullptr) return {};
  WorkloadObject most = *known;
  quota::Scale(most.counted, now->max_replicas);
  Judgement judgement = JudgeWorkload(known, most, facts, rules);
  judgement.changes.clear();
  judgement.charge.reset();
  if (judgement.allowed || judgement.code != kForbidden) return judgement;
  judgement.message = Concat("maxReplicas ", std::to_string(now->max_replicas), ": ", judgement.message);
  if (rules.refuse_autoscalers) return judgement;
  Judgement warned;
  warned.warnings.push_back(std::move(judgement.message));
  return warned;
}

}  // namespace huygens::webhook
