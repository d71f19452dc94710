#include "quota/claims.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/container/inlined_vector.h"

namespace huygens::quota {
namespace {

// Each claim of the pod once, with the key of its record: where it has no name yet that of a claim of the pod's own.
template <typename Visit>
void ForEachClaim(const cluster::Pod& pod, Visit&& visit) {
  if (!pod.claims) return;
  absl::InlinedVector<std::string, 4> keys;
  for (const cluster::PodClaim& claim : *pod.claims) {
    if (!claim.needed) continue;
    std::string key = claim.name.empty() ? Concat(pod.namespace_name, "/", pod.uid, "/", claim.entry, "/unnamed")
                                         : Concat(pod.namespace_name, "/", claim.name);
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    visit(std::string_view(key), claim);
    keys.push_back(std::move(key));
  }
}

std::tuple<bool, std::string_view, std::string_view, std::string_view> OrderOf(const cluster::Pod& pod) {
  return {!pod.Bound(), pod.namespace_name, pod.name, pod.uid};
}

}  // namespace

const Claims::Holder* Claims::PayerOf(const Record& record) {
  if (!record.claim || record.holders.empty()) return nullptr;
  for (const std::string& uid : record.claim->reserved_for) {
    if (auto found = record.holders.find(uid); found != record.holders.end()) return &found->second;
  }
  const auto first = std::min_element(record.holders.begin(), record.holders.end(), [](const auto& a, const auto& b) {
    return OrderOf(*a.second.pod) < OrderOf(*b.second.pod);
  });
  return &first->second;
}

const cluster::ResourceClaim* Claims::TemplateOf(const cluster::Pod& pod, const cluster::PodClaim& claim) const {
  const auto found = records_.find(cluster::ResourceClaim::KeyOfTemplate(pod.namespace_name, claim.made_from));
  return found == records_.end() ? nullptr : found->second.claim.get();
}

Amounts Claims::UsageOf(const cluster::ResourceClaim& claim, const cluster::QuotaLabels& models) const {
  Amounts usage;
  for (const auto& [device_class, count] : claim.devices) {
    ChargeDevices(device_class, count, classes_, models, options_, usage);
  }
  return usage;
}

void Claims::Settle(Record& record) {
  const Holder* payer = PayerOf(record);
  std::string group;
  Amounts usage;
  if (payer != nullptr) {
    const cluster::QuotaLabels& labels = *cluster::QuotaLabelsOf(*payer->pod);
    group = labels.group;
    usage = UsageOf(*record.claim, models_.Charged(labels, payer->node));
  }
  record.payer = payer == nullptr ? std::string() : std::string(payer->pod->uid);
  if (record.group == group && record.charged == usage) return;
  if (!record.charged.empty()) tree_.Release(record.group, record.charged);
  record.group = std::move(group);
  record.charged = std::move(usage);
  if (!record.charged.empty()) tree_.Charge(record.group, record.charged);
}

void Claims::SettleOrForget(std::string_view key) {
  const auto found = records_.find(key);
  if (found == records_.end()) return;
  Settle(found->second);
  if (!found->second.claim && found->second.holders.empty()) records_.erase(found);
}

void Claims::Set(const std::shared_ptr<const cluster::ResourceClaim>& claim) {
  Record& record = records_[claim->Key()];
  if (claim->defect.empty() || !record.claim) {
    record.claim = claim;
  } else {
    auto kept = std::make_shared<cluster::ResourceClaim>(*record.claim);
    kept->defect = claim->defect;
    record.claim = std::move(kept);
  }
  Settle(record);
}

void Claims::Remove(std::string_view key) {
  const auto found = records_.find(key);
  if (found == records_.end()) return;
  found->second.claim = nullptr;
  SettleOrForget(key);
}

void Claims::Hold(const std::shared_ptr<const cluster::Pod>& pod, cluster::NodeIndex node) {
  ForEachClaim(*pod, [&](std::string_view key, const cluster::PodClaim& claim) {
    const cluster::ResourceClaim* made_from = claim.name.empty() ? TemplateOf(*pod, claim) : nullptr;
    std::shared_ptr<const cluster::ResourceClaim> own;
    if (made_from != nullptr) own = std::make_shared<cluster::ResourceClaim>(*made_from);
    Record& record = records_[std::string(key)];
    if (own) record.claim = std::move(own);
    record.holders.insert_or_assign(std::string(pod->uid), Holder{pod, node});
    Settle(record);
  });
}

void Claims::Drop(const cluster::Pod& pod) {
  ForEachClaim(pod, [&](std::string_view key, const cluster::PodClaim& claim) {
    const auto found = records_.find(key);
    if (found == records_.end()) return;
    found->second.holders.erase(pod.uid);
    if (claim.name.empty()) found->second.claim = nullptr;
    SettleOrForget(key);
  });
}

void Claims::ChargeAgain(const cluster::Pod& pod) {
  ForEachClaim(pod, [&](std::string_view key, const cluster::PodClaim&) { SettleOrForget(key); });
}

void Claims::ChargeAllAgain() {
  for (auto& [key, record] : records_) Settle(record);
}

bool Claims::Holds(const cluster::Pod& pod, cluster::NodeIndex node) const {
  bool holds = true;
  ForEachClaim(pod, [&](std::string_view key, const cluster::PodClaim&) {
    const auto found = records_.find(key);
    const auto holder =
        found == records_.end() ? TextMap<Holder>::const_iterator() : found->second.holders.find(pod.uid);
    holds = holds && found != records_.end() && holder != found->second.holders.end() && holder->second.node == node;
  });
  return holds;
}

std::string Claims::AddUsage(const cluster::Pod& pod, const cluster::QuotaLabels& models, Amounts& usage) const {
  std::string why;
  const auto say = [&](const std::string& text) { why += Concat(why.empty() ? "" : "; ", text); };
  ForEachClaim(pod, [&](std::string_view key, const cluster::PodClaim& claim) {
    const auto found = records_.find(key);
    const Record* record = found == records_.end() ? nullptr : &found->second;
    const cluster::ResourceClaim* known = record ? record->claim.get() : nullptr;
    if (known == nullptr && claim.name.empty()) known = TemplateOf(pod, claim);
    if (known == nullptr) {
      return claim.name.empty()
                 ? say(Concat("claim ", claim.entry, " has no name yet: none was made from template ", claim.made_from))
                 : say(Concat("claim ", claim.name, " not seen yet"));
    }
    const bool paid = record && !record->payer.empty() && record->payer != pod.uid;
    if (!known->defect.empty()) {
      say(Concat("claim ", known->name, " cannot be read: ", known->defect));
    } else if (!paid) {
      Add(usage, UsageOf(*known, models));
    }
  });
  return why;
}

}  // namespace huygens::quota
