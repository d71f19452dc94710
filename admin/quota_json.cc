#include "admin/quota_json.h"

#include <cmath>
#include <limits>
#include <set>

#include "quota/keys.h"

namespace huygens::admin {

namespace {

using admin_api::QuotaTreeDocument;

// Of its own pods; of hours what the status says that they used.
Quantity OwnUse(const quota::Group& group, std::string_view key) {
  return quota::Get(quota::IsCash(key) && group.object ? group.object->self_used : group.charged, key);
}

// Whether the parent, which may be null, limits the key, and the group does so by neither of its names.
bool IsUnlimited(const quota::Group& group, const quota::Group* parent, std::string_view key) {
  if (!parent || !quota::IsKnownKey(key) || !quota::Find(parent->object->hard, key)) return false;
  const quota::Amounts& hard = group.object->hard;
  return !quota::Find(hard, key) && !quota::Find(hard, quota::TwinKey(key));
}

// `parent` may be null.
QuotaTreeDocument::Key KeyOf(const quota::Group& group, const quota::Group* parent, const std::string& key) {
  QuotaTreeDocument::Key said{.key = key};
  const Quantity* hard = group.object ? quota::Find(group.object->hard, key) : nullptr;
  if (hard) said.hard = hard->Canonical();
  said.unknown = hard && !quota::IsKnownKey(key);
  said.unlimited = IsUnlimited(group, parent, key);
  // Hours of its own are known by the status alone; those in the tree's figure are 0 where it says nothing.
  const bool known = !quota::IsCash(key) || (group.object && group.UsedOf(key) != nullptr);
  const Quantity used = quota::Get(group.used, key);
  if (known) {
    said.used = used.Canonical();
    said.self = OwnUse(group, key).Canonical();
  }
  said.children = HeldByChildren(group, key).Canonical();
  if (!hard || !known) return said;
  Quantity remaining = *hard;
  remaining.Sub(used);
  if (const Quantity carried = quota::Get(group.object->carried_hours, key); carried.Sign() > 0) {
    said.carried = carried.Canonical();
    remaining.Add(carried);
  }
  said.remaining = remaining.Canonical();
  // Nothing is left of a budget of nothing.
  const double share = hard->Sign() > 0 ? Approximate(used) / Approximate(*hard) : 1;
  said.share = std::round(1000 * share) / 1000;
  return said;
}

}  // namespace

std::string_view StateOf(const quota::Verdict& standing) {
  switch (standing.outcome) {
    case quota::Outcome::kFits:
      return "ok";
    case quota::Outcome::kNoGroup:
      return "missing";
    case quota::Outcome::kTerminating:
      return "terminating";
    default:
      return "frozen";
  }
}

double Approximate(const Quantity& quantity) {
  const int64_t milli = quantity.MilliValue();
  const bool saturated = milli == std::numeric_limits<int64_t>::max() || milli == std::numeric_limits<int64_t>::min();
  return saturated ? static_cast<double>(quantity.Value()) : static_cast<double>(milli) / 1000;
}

Quantity HeldByChildren(const quota::Group& group, std::string_view key) {
  Quantity held = quota::Get(group.used, key);
  held.Sub(OwnUse(group, key));
  return held;
}

QuotaTreeDocument::Group DescribeGroup(const quota::Tree& tree, std::string_view name) {
  const quota::Group& group = tree.groups().find(name)->second;
  const quota::Verdict standing = tree.Standing(name);
  QuotaTreeDocument::Group said{.name = std::string(name),
                                .parent = group.object ? group.object->parent : "",
                                .path = tree.Path(name),
                                .state = std::string(StateOf(standing)),
                                .why = standing.detail,
                                .children = {group.children.begin(), group.children.end()}};
  std::set<std::string> keys;
  if (group.object) {
    if (group.object->hours_since) said.hours_since = FormatRfc3339(*group.object->hours_since);
    for (const auto& [key, hard] : group.object->hard) keys.insert(key);
  }
  const quota::Group* parent = group.object ? tree.Find(group.object->parent) : nullptr;
  if (parent) {
    for (const auto& [key, hard] : parent->object->hard) {
      if (quota::IsKnownKey(key)) keys.insert(key);
    }
  }
  for (const auto& [key, used] : group.used) keys.insert(key);
  for (const std::string& key : keys) said.keys.push_back(KeyOf(group, parent, key));
  if (!standing.fits()) return said;
  for (const quota::Group* above : group.above) {
    const std::vector<std::string>& given_away = tree.GivenAway(*above);
    if (!given_away.empty()) said.over_above.push_back({above->object->name, given_away});
  }
  return said;
}

std::string_view EnforcementOf(const placement::Placement& placement) {
  if (!placement.quota()) return "off";
  return placement.options().quota.enforcement == quota::Enforcement::kAdmission ? "admission" : "placement";
}

}  // namespace huygens::admin
