#include "controller/root_hours.h"

#include <utility>

#include "controller/hours.h"
#include "controller/inheritance.h"

namespace huygens::controller {
namespace {

using cluster::BizGroupQuota;

LeftHours LeftBy(const BizGroupQuota& group) {
  return {group.exact_hours, group.last_reconcile.value_or(group.created.value_or(Time()))};
}

bool IsNew(const BizGroupQuota& group) { return group.parent.empty() && !group.last_reconcile; }
bool HasSomeToLeave(const BizGroupQuota& group) { return group.parent.empty() && AnyHours(group.exact_hours); }

}  // namespace

bool RootHours::Forgiven(const Status& status, std::string_view group) {
  if (!absl::IsPermissionDenied(status)) return false;
  if (const auto left_out = warnings_.Allow(clock_.Now())) {
    log_.Warn("hours of a group without a parent begin anew when it is deleted and made again",
              {{"group", group}, {"why", Message(status)}, {"leftOut", *left_out}});
  }
  return true;
}

bool RootHours::Unknown(const BizGroupQuota& group) const {
  if (store_ == nullptr || !IsNew(group)) return false;
  const auto found = looked_up_.find(group.name);
  return found == looked_up_.end() || found->second.uid != group.uid;
}

void RootHours::LookUp(const BizGroupQuota& group, std::function<void(Status)> then) {
  store_->Find(group.name, [this, name = group.name, uid = group.uid,
                            then = std::move(then)](StatusOr<std::optional<LeftHours>> found) {
    if (!found.ok() && !Forgiven(found.status(), name)) return then(found.status());
    looked_up_.insert_or_assign(name, LookedUp{uid, found.ok() ? *std::move(found) : std::nullopt});
    then(absl::OkStatus());
  });
}

void RootHours::Resume(BizGroupQuota& group) {
  if (!IsNew(group)) return;
  std::optional<LeftHours> left;
  if (const auto known = looked_up_.find(group.name); known != looked_up_.end()) left = known->second.left;
  const auto seen = gone_.find(group.name);
  if (seen != gone_.end() && (!left || left->until <= seen->second.until)) left = seen->second;
  if (!left) return;
  const Status status = ResumeHours(left->exact_hours, left->until, group);
  if (status.ok()) return;
  if (const auto left_out = warnings_.Allow(clock_.Now())) {
    log_.Warn("what a group of this name had consumed cannot be read",
              {{"group", group.name}, {"why", Message(status)}, {"leftOut", *left_out}});
  }
}

bool RootHours::Leaves(const BizGroupQuota& group) const {
  if (store_ == nullptr || !HasSomeToLeave(group)) return false;
  const auto known = kept_.find(group.uid);
  return known == kept_.end() || known->second != group.exact_hours;
}

void RootHours::Keep(const BizGroupQuota& group, std::function<void(Status)> then) {
  store_->Keep(group.name, LeftBy(group), [this, group, then = std::move(then)](const Status& status) {
    if (!status.ok() && !Forgiven(status, group.name)) return then(status);
    kept_.insert_or_assign(group.uid, group.exact_hours);
    then(absl::OkStatus());
  });
}

void RootHours::Gone(const BizGroupQuota& group) {
  looked_up_.erase(group.name);
  kept_.erase(group.uid);
  if (HasSomeToLeave(group)) gone_.insert_or_assign(group.name, LeftBy(group));
}

}  // namespace huygens::controller
