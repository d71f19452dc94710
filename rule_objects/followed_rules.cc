#include "rule_objects/followed_rules.h"

#include <vector>

#include "kube/decoded_object.h"
#include "wire/object_meta.h"

namespace huygens::rule_objects {
namespace {

using rules::SchedulingRule;

struct DecodedRule final : cluster::DecodedWorkload {
  explicit DecodedRule(SchedulingRule decoded) : rule(std::move(decoded)) {}
  const SchedulingRule rule;
};

// One that cannot be used is known with its defect, so that it is for no object from then on. One that is no rule at all
// stays as it was known.
kube::DecodedObject PresentRule(std::string_view json, uint64_t resource_version) {
  kube::DecodedObject result{.event = std::nullopt, .fault = {}, .name = "(no name)"};
  StatusOr<SchedulingRule> rule = rules::DecodeRule(json);
  if (rule.ok() && !rule->uid.empty()) {
    result.name = rule->name;
    if (!rule->defect.empty()) {
      result.fault = Invalid(rule->defect);
      result.in_use = true;
    }
    result.event = cluster::WorkloadSet{std::make_shared<const DecodedRule>(*std::move(rule)), resource_version};
    return result;
  }
  result.fault = rule.ok() ? Invalid("an object without a UID") : rule.status();
  const auto meta = wire::DecodeObjectMeta(json);
  if (meta.ok() && !meta->uid.empty()) {
    result.name = meta->name;
    result.event = cluster::WorkloadKept{meta->uid};
  }
  return result;
}

// What its objects get, and what they say of it.
bool SaysTheSame(SchedulingRule a, SchedulingRule b) {
  for (SchedulingRule* each : {&a, &b}) {
    each->status = {};
    each->resource_version.clear();
  }
  return a == b;
}

}  // namespace

FollowedRules::FollowedRules(ResourceNames& names, net::EventLoop& loop, observe::Log& log, observe::Metrics& metrics)
    : FollowedObjects("schedulingrules.huygens.dev", names, loop, log, metrics) {}

Status FollowedRules::Start(const net::ClientOptions& api_server) {
  kube::Resource resource;
  resource.paths = {std::string(rules::kRulesPath)};
  resource.optional = true;
  resource.why_absent =
      "the API server does not serve this kind: its definition (config/crd/schedulingrules.yaml) is not installed; "
      "there are no rules";
  resource.present = PresentRule;
  resource.deleted = [](std::string_view json) { return kube::DecodeDeleted(cluster::Kind::kWorkload, json); };
  return FollowedObjects::Start(api_server, std::move(resource));
}

std::shared_ptr<const rules::RuleSet> FollowedRules::rules() const {
  if (set_ == nullptr) {
    std::vector<SchedulingRule> all;
    all.reserve(by_uid_.size());
    for (const auto& [uid, rule] : by_uid_) all.push_back(rule);
    set_ = std::make_shared<const rules::RuleSet>(std::move(all));
  }
  return set_;
}

std::string FollowedRules::Set(const cluster::DecodedWorkload& object) {
  const SchedulingRule& rule = static_cast<const DecodedRule&>(object).rule;
  const auto [at, added] = by_uid_.try_emplace(rule.uid, rule);
  const bool same = !added && SaysTheSame(at->second, rule);
  if (!added) at->second = rule;
  set_.reset();
  if (!same) Changed();
  return rule.uid;
}

void FollowedRules::Gone(const std::string& uid) {
  if (by_uid_.erase(uid) > 0) Changed();
}

void FollowedRules::Changed() {
  set_.reset();
  if (on_change_) on_change_();
}

}  // namespace huygens::rule_objects
