#include "quota/holders.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "quota/check.h"

namespace huygens::quota {

void Largest::Add(std::string name, const Quantity& amount) {
  const auto before = [](const Holder& a, const Holder& b) {
    return a.amount > b.amount || (a.amount == b.amount && a.name < b.name);
  };
  Holder holder{std::move(name), amount};
  holders_.insert(std::upper_bound(holders_.begin(), holders_.end(), holder, before), std::move(holder));
  if (holders_.size() <= kMost) return;
  holders_.pop_back();
  ++more_;
}

void Holders::Ask(std::string group, std::string key) {
  const bool asked =
      std::ranges::any_of(of_, [&](const KeyHolders& each) { return each.group == group && each.key == key; });
  if (!asked && of_.size() < kMostKeys) of_.push_back({std::move(group), std::move(key), {}, {}});
}

size_t Holders::LookAt(const Account& account, cluster::NodeIndex node) {
  size_t added = 0;
  for (const auto& pod : account.ChargedOn(node)) {
    std::optional<Amounts> usage;  // worked out where it is wanted
    for (KeyHolders& each : of_) {
      if (cluster::QuotaLabelsOf(*pod)->group != each.group) continue;
      if (!usage) usage = account.UsageOn(*pod, node);
      if (const Quantity* amount = Grown(*usage, each.key)) each.pods.Add(pod->Key(), *amount);
    }
    added += usage ? 1 : 0;
  }
  return added;
}

void Holders::LookAtChildren(const Tree& tree) {
  for (KeyHolders& each : of_) {
    const Group* group = tree.Find(each.group);
    if (!group) continue;
    for (const std::string& child : group->children) {
      const Group* below = tree.Find(child);
      const Quantity* held = below ? Find(below->committed, each.key) : nullptr;
      if (held && held->Sign() > 0) each.children.Add(child, *held);
    }
  }
}

}  // namespace huygens::quota
