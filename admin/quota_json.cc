#include "admin/quota_json.h"

#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "base/json_text.h"
#include "base/text.h"
#include "quota/keys.h"

namespace huygens::admin {

namespace {

void AppendQuantity(std::string& out, std::string_view field, const Quantity& amount) {
  AppendJsonField(out, field, amount.Canonical());
}

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
void AppendKey(std::string& out, const quota::Group& group, const quota::Group* parent, const std::string& key) {
  out += '{';
  AppendJsonField(out, "key", key);
  const Quantity* hard = group.object ? quota::Find(group.object->hard, key) : nullptr;
  if (hard) AppendQuantity(out, "hard", *hard);
  if (hard && !quota::IsKnownKey(key)) out += ",\"unknown\":true";
  if (IsUnlimited(group, parent, key)) out += ",\"unlimited\":true";
  // Hours of its own are known by the status alone; those in the tree's figure are 0 where it says nothing.
  const bool known = !quota::IsCash(key) || (group.object && group.UsedOf(key) != nullptr);
  const Quantity used = quota::Get(group.used, key);
  if (known) {
    AppendQuantity(out, "used", used);
    AppendQuantity(out, "self", OwnUse(group, key));
  }
  AppendQuantity(out, "children", HeldByChildren(group, key));
  if (hard && known) {
    Quantity remaining = *hard;
    remaining.Sub(used);
    AppendQuantity(out, "remaining", remaining);
    // Nothing is left of a budget of nothing.
    const double share = hard->Sign() > 0 ? Approximate(used) / Approximate(*hard) : 1;
    out += ",\"share\":";
    AppendJsonDouble(out, std::round(1000 * share) / 1000);
  }
  out += '}';
}

// "overAbove":[{"group":"org","keys":["limits.cpu"]}]: groups above it that have given away more than they have.
void AppendOverAbove(std::string& out, const quota::Tree& tree, const quota::Group& group) {
  bool any = false;
  for (const quota::Group* above : group.above) {
    const std::vector<std::string>& keys = tree.GivenAway(*above);
    if (keys.empty()) continue;
    out += std::exchange(any, true) ? ",{" : ",\"overAbove\":[{";
    AppendJsonField(out, "group", above->object->name);
    out += ",\"keys\":[";
    for (const std::string& key : keys) {
      if (out.back() != '[') out += ',';
      AppendJsonString(out, key);
    }
    out += "]}";
  }
  if (any) out += ']';
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

void AppendGroup(std::string& out, const quota::Tree& tree, std::string_view name) {
  const quota::Group& group = tree.groups().find(name)->second;
  const quota::Verdict standing = tree.Standing(name);
  out += '{';
  AppendJsonField(out, "name", name);
  AppendJsonField(out, "parent", group.object ? group.object->parent : "");
  AppendJsonField(out, "path", tree.Path(name));
  AppendJsonField(out, "state", StateOf(standing));
  if (!standing.fits()) AppendJsonField(out, "why", standing.detail);
  out += ",\"children\":[";
  for (const std::string& child : group.children) {
    if (out.back() != '[') out += ',';
    AppendJsonString(out, child);
  }
  out += "],\"keys\":[";
  std::set<std::string> keys;
  if (group.object) {
    for (const auto& [key, hard] : group.object->hard) keys.insert(key);
  }
  const quota::Group* parent = group.object ? tree.Find(group.object->parent) : nullptr;
  if (parent) {
    for (const auto& [key, hard] : parent->object->hard) {
      if (quota::IsKnownKey(key)) keys.insert(key);
    }
  }
  for (const auto& [key, used] : group.used) keys.insert(key);
  for (const std::string& key : keys) {
    if (out.back() != '[') out += ',';
    AppendKey(out, group, parent, key);
  }
  out += ']';
  if (standing.fits()) AppendOverAbove(out, tree, group);
  out += '}';
}

std::string_view EnforcementOf(const placement::Placement& placement) {
  if (!placement.quota()) return "off";
  return placement.options().quota.enforcement == quota::Enforcement::kAdmission ? "admission" : "placement";
}

}  // namespace huygens::admin
