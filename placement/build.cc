// How a Placement is made of its options.
#include <algorithm>
#include <cmath>

#include "placement/placement.h"
#include "policy/registry.h"
#include "scoring/registry.h"

namespace huygens::placement {

using policy::CheckMode;

namespace {

template <typename Entry>
std::string Names(std::span<const Entry> entries) {
  std::string names;
  for (const Entry& entry : entries) names += Concat(names.empty() ? "" : ", ", entry.name);
  return names;
}

// Checks that are off are as good as left out, and nothing is kept of usage that nobody needs.
Options WithoutIdle(Options options) {
  std::erase_if(options.checks, [](const CheckSetting& check) { return check.mode == CheckMode::kOff; });
  if (!LooksAtUsage(options)) options.usage.resources.clear();
  return options;
}

Status CheckUsage(const usage::Options& usage) {
  if (usage.slot <= Duration::zero() || usage.slots < 1) return Invalid("a window must have slots");
  if (usage.resources.size() > usage::kMaxResources) {
    return Invalid(Concat("usage of more than ", std::to_string(usage::kMaxResources), " resources"));
  }
  return absl::OkStatus();
}

// The core tells people of ceilings and budgets by the accounts of them, which it keeps for who asks for them.
Status CheckNeeds(const policy::CheckEntry& entry) {
  const auto fault = [&](std::string_view what, std::string_view source) {
    return Invalid(
        Concat("check ", entry.name, " goes by ", what, " and does not ask for ", source, " (policy/sources.h)"));
  };
  if (entry.needs.budgets && !entry.needs.quota) return fault("budgets", "quota");
  if (entry.needs.ceilings && !entry.needs.usage) return fault("ceilings", "usage");
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<Placement>> Placement::Create(Options options, NodeKindList kinds) {
  HUYGENS_RETURN_IF_ERROR(CheckUsage(options.usage));
  std::unique_ptr<Placement> placement(new Placement(std::move(options), std::move(kinds)));
  HUYGENS_RETURN_IF_ERROR(placement->Build());
  return placement;
}

void ForEachNeeds(const Options& options, absl::FunctionRef<void(const policy::Needs&)> visit) {
  for (const CheckSetting& check : options.checks) {
    const policy::CheckEntry* entry = policy::FindCheck(check.name);
    if (entry != nullptr && check.mode != CheckMode::kOff) visit(entry->needs);
  }
  for (const WeightedTerm& term : options.terms) {
    const scoring::TermEntry* entry = scoring::FindTerm(term.name);
    if (entry != nullptr && term.weight > 0) visit(entry->needs);
  }
}

bool Asks(const Options& options, Need need) {
  bool asks = false;
  ForEachNeeds(options, [&](const policy::Needs& needs) { asks = asks || needs.*need; });
  return asks;
}

CheckMode ModeOf(std::span<const CheckSetting> checks, Need need) {
  CheckMode strictest = CheckMode::kOff;
  for (const CheckSetting& check : checks) {
    const policy::CheckEntry* entry = policy::FindCheck(check.name);
    if (entry != nullptr && entry->needs.*need) strictest = std::max(strictest, check.mode);
  }
  return strictest;
}

// The kinds of nodes are listed here, in the order in which they are asked whether a node is theirs.
Placement::Placement(Options options, NodeKindList kinds)
    : options_(WithoutIdle(std::move(options))),
      kinds_(std::move(kinds)),
      kubelet_(kinds_.Add(std::make_unique<kubelet::Account>(options_.kubelet))),
      zones_(kinds_.Add(std::make_unique<topology::ZoneAccount>(options_.topology))),
      usage_(options_.usage),
      waiting_(options_.waiting_pods),
      mean_(options_.max_score),
      state_({.trust_unmarked_results = options_.topology.trust_unmarked_results,
              .loss_grace = options_.topology.loss_grace}) {}

Status Placement::Build() {
  if (options_.max_score < 1) return Invalid("maxScore must be at least 1");
  const auto& managed = zones_.options().managed_resources;
  if (managed.empty() || managed.front() != kCpu) return Invalid("managedResources must contain cpu");
  if (options_.topology.stale_after < Duration::zero()) return Invalid("staleAfter must not be negative");
  if (Asks(options_, &policy::Needs::quota) && options_.quota.enforcement != quota::Enforcement::kOff) {
    if (!options_.resource_names) return Invalid("the check quota needs the names of resources");
    quota_ = std::make_unique<quota::Account>(*options_.resource_names, options_.quota);
  }
  HUYGENS_RETURN_IF_ERROR(BuildChecks());
  HUYGENS_RETURN_IF_ERROR(BuildTerms());
  BuildAccounts();
  return absl::OkStatus();
}

policy::Sources Placement::SourcesFor(const policy::Needs& needs, const policy::RuleOptions* options) {
  return {.nodes = kinds_,
          .kubelet = kubelet_,
          .usage = needs.usage ? &usage_ : nullptr,
          .quota = needs.quota ? quota_.get() : nullptr,
          .waker = needs.waker ? &waiting_ : nullptr,
          .options = options};
}

Status Placement::BuildChecks() {
  TextSet seen;
  for (const CheckSetting& each : options_.checks) {
    const policy::CheckEntry* entry = policy::FindCheck(each.name);
    if (!entry) return Invalid(Concat("no check is called ", each.name, "; there are ", Names(policy::KnownChecks())));
    if (!seen.insert(each.name).second) return Invalid(Concat("check ", each.name, " is listed twice"));
    HUYGENS_RETURN_IF_ERROR(CheckNeeds(*entry));
    if (entry->needs.quota && !quota_) continue;  // nobody holds pods to budgets
    AskedCheck& check = checks_.emplace_back(AskedCheck{each.name, each.mode, &entry->needs, each.options, nullptr});
    if (!check.options && entry->options) check.options = entry->options();
    check.check = entry->make(SourcesFor(entry->needs, check.options.get()));
  }
  // Who goes by budgets is asked first, wherever it is listed: where it refuses the pod on all nodes no other reason
  // may look as if a victim would help.
  std::ranges::stable_sort(checks_, {}, [](const AskedCheck& each) {
    return std::pair(each.mode != CheckMode::kEnforce, !each.needs->quota);
  });
  const auto zones = std::ranges::find_if(checks_, [](const AskedCheck& each) { return each.needs->zones; });
  if (zones != checks_.end()) zones_check_ = static_cast<size_t>(zones - checks_.begin());
  return absl::OkStatus();
}

Status Placement::BuildTerms() {
  TextSet seen;
  for (const WeightedTerm& each : options_.terms) {
    const scoring::TermEntry* entry = scoring::FindTerm(each.name);
    if (!entry) return Invalid(Concat("no term is called ", each.name, "; there are ", Names(scoring::KnownTerms())));
    if (!seen.insert(each.name).second) return Invalid(Concat("term ", each.name, " is listed twice"));
    if (!std::isfinite(each.weight) || each.weight < 0 || each.weight > 1e6) {
      return Invalid(Concat("the weight of term ", each.name, " must be from 0 to 1000000"));
    }
    if (!each.resource_weights.empty() && !entry->weighs_resources) {
      return Invalid(Concat("term ", each.name, " weighs no resources"));
    }
    for (const auto& [resource, weight] : each.resource_weights) {
      if (weight < 1) return Invalid(Concat("the weight of a resource in term ", each.name, " must be at least 1"));
    }
    if (each.dominant && !entry->has_dominant_form) return Invalid(Concat("term ", each.name, " has no dominant form"));
    if (each.weight == 0 || (entry->needs.quota && !quota_)) continue;
    auto& options = options_of_terms_.emplace_back(each.options);
    if (!options && entry->options) options = entry->options();
    mean_.Add(entry->make({SourcesFor(entry->needs, options.get()), each.resource_weights, each.dominant}),
              each.weight);
  }
  return absl::OkStatus();
}

void Placement::BuildAccounts() {
  std::vector<cluster::Account*> others;
  const bool usage_judged = Enforces(&policy::Needs::usage);
  accounts_ = {&kinds_};
  (usage_judged ? accounts_ : others).push_back(&usage_);
  state_.AddAccount(kinds_);
  state_.AddAccount(usage_);
  state_.AddAccount(waiting_);
  if (quota_) state_.AddAccount(*quota_);
  const auto add = [this](cluster::Account* account, std::vector<cluster::Account*>& list) {
    if (account == nullptr) return;
    state_.AddAccount(*account);
    list.push_back(account);
  };
  for (const AskedCheck& each : checks_) {
    add(each.check->account(), each.mode == CheckMode::kEnforce ? accounts_ : others);
  }
  for (size_t t = 0; t < mean_.size(); ++t) add(mean_.term(t).account(), others);
  const size_t judged = accounts_.size();
  accounts_.insert(accounts_.end(), others.begin(), others.end());
  accounts_of_victims_ = std::span(accounts_).first(judged);
}

}  // namespace huygens::placement
