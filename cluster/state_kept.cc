// The objects that State only hands on: business groups, ResourceClaims and DeviceClasses. Accounts keep them.
#include <string>
#include <utility>
#include <vector>

#include "cluster/state.h"

namespace huygens::cluster {

void State::On(const BizGroupQuotaSet& event) {
  auto& group = groups_[event.group.name];
  group.list = Of(Kind::kBizGroupQuota).list;
  if (IsKnown(group.version, event.resource_version)) return;
  for (Account* account : accounts_) account->GroupChanged(event.group);
}

void State::On(const BizGroupQuotaGone& event) {
  if (groups_.erase(event.name) == 0) return;
  for (Account* account : accounts_) account->GroupGone(event.name);
}

// Drivers and kube-scheduler write into its status what no budget is about: of that no account hears.
void State::On(const ResourceClaimSet& event) {
  auto& claim = claims_[event.claim->Key()];
  claim.list = Of(Kind::kResourceClaim).list;
  if (IsKnown(claim.version, event.resource_version)) return;
  if (claim.object && *claim.object == *event.claim) return;
  claim.object = event.claim;
  for (Account* account : accounts_) account->ClaimChanged(event.claim);
}

void State::On(const ResourceClaimGone& event) {
  if (claims_.erase(event.key) == 0) return;
  for (Account* account : accounts_) account->ClaimGone(event.key);
}

void State::On(const DeviceClassSet& event) {
  auto& known = classes_[event.device_class.name];
  known.list = Of(Kind::kDeviceClass).list;
  if (IsKnown(known.version, event.resource_version)) return;
  if (known.object == event.device_class) return;
  known.object = event.device_class;
  for (Account* account : accounts_) account->ClassChanged(event.device_class);
}

void State::On(const DeviceClassGone& event) {
  if (classes_.erase(event.name) == 0) return;
  for (Account* account : accounts_) account->ClassGone(event.name);
}

template <typename Gone, typename Object>
bool State::SweepKept(Kind kind, const KeptObjects<Object>& objects, size_t limit) {
  KindState& state = Of(kind);
  std::vector<std::string> gone;
  auto at = objects.upper_bound(state.swept_name);
  for (; at != objects.end() && limit > 0; ++at, --limit) {
    state.swept_name = at->first;
    if (at->second.list != state.list) gone.push_back(at->first);
  }
  const bool more = at != objects.end();
  for (std::string& name : gone) Apply(Gone{std::move(name)});
  return more;
}

template bool State::SweepKept<BizGroupQuotaGone>(Kind, const KeptObjects<Nothing>&, size_t);
template bool State::SweepKept<ResourceClaimGone>(Kind, const KeptObjects<std::shared_ptr<const ResourceClaim>>&,
                                                  size_t);
template bool State::SweepKept<DeviceClassGone>(Kind, const KeptObjects<DeviceClass>&, size_t);

}  // namespace huygens::cluster
