// How a Placement is made of its options.
#include <algorithm>
#include <cmath>

#include "placement/placement.h"
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

// Checks that are off are as good as left out, and nothing is kept of usage that nobody looks at.
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

}  // namespace

StatusOr<std::unique_ptr<Placement>> Placement::Create(Options options, NodeKindList kinds) {
  HUYGENS_RETURN_IF_ERROR(CheckUsage(options.usage));
  std::unique_ptr<Placement> placement(new Placement(std::move(options), std::move(kinds)));
  HUYGENS_RETURN_IF_ERROR(placement->Build());
  return placement;
}

CheckMode ModeOf(std::span<const CheckSetting> checks, std::string_view name) {
  const auto found = std::ranges::find(checks, name, &CheckSetting::name);
  return found == checks.end() ? CheckMode::kOff : found->mode;
}

bool LooksAtUsage(const Options& options) {
  auto looks = [](const WeightedTerm& term) {
    return term.weight > 0 && (term.name == "LeastUsed" || term.name == "Balanced");
  };
  return ModeOf(options.checks, "usage") != CheckMode::kOff || std::ranges::any_of(options.terms, looks);
}

// The kinds of nodes are listed here, in the order in which they are asked whether a node is theirs.
Placement::Placement(Options options, NodeKindList kinds)
    : options_(WithoutIdle(std::move(options))),
      kinds_(std::move(kinds)),
      kubelet_(kinds_.Add(std::make_unique<kubelet::Account>(options_.kubelet))),
      zones_(kinds_.Add(std::make_unique<topology::ZoneAccount>(options_.topology))),
      usage_(options_.usage),
      waiting_(options_.waiting_pods),
      state_({.trust_unmarked_results = options_.topology.trust_unmarked_results,
              .loss_grace = options_.topology.loss_grace}),
      accounts_{&kinds_, &usage_},
      mean_(options_.max_score) {
  for (cluster::Account* account : accounts_) state_.AddAccount(*account);
  state_.AddAccount(waiting_);
}

Status Placement::Build() {
  if (options_.max_score < 1) return Invalid("maxScore must be at least 1");
  const auto& managed = zones_.options().managed_resources;
  if (managed.empty() || managed.front() != kCpu) return Invalid("managedResources must contain cpu");
  if (options_.topology.stale_after < Duration::zero()) return Invalid("staleAfter must not be negative");
  const policy::Sources sources{kinds_, kubelet_, usage_};
  HUYGENS_RETURN_IF_ERROR(BuildChecks(sources));
  TextSet seen;
  for (const WeightedTerm& each : options_.terms) {
    const scoring::TermEntry* entry = scoring::FindTerm(each.name);
    if (!entry) return Invalid(Concat("no term is called ", each.name, "; there are ", Names(scoring::KnownTerms())));
    if (!seen.insert(each.name).second) return Invalid(Concat("term ", each.name, " is listed twice"));
    if (!std::isfinite(each.weight) || each.weight < 0 || each.weight > 1e6) {
      return Invalid(Concat("the weight of term ", each.name, " must be from 0 to 1000000"));
    }
    const bool weighs = !each.resource_weights.empty();
    if (weighs && !entry->make_weighted) return Invalid(Concat("term ", each.name, " weighs no resources"));
    for (const auto& [resource, weight] : each.resource_weights) {
      if (weight < 1) return Invalid(Concat("the weight of a resource in term ", each.name, " must be at least 1"));
    }
    if (each.dominant && !entry->make_dominant) return Invalid(Concat("term ", each.name, " has no dominant form"));
    if (each.weight == 0) continue;
    mean_.Add(each.dominant ? entry->make_dominant(sources, each.resource_weights)
              : weighs      ? entry->make_weighted(sources, each.resource_weights)
                            : entry->make(sources),
              each.weight);
  }
  const size_t judged = ModeOf("usage") == CheckMode::kEnforce ? 2 : 1;  // usage_ is the last
  accounts_of_victims_ = std::span(accounts_).first(judged);
  return absl::OkStatus();
}

Status Placement::BuildChecks(const policy::Sources& sources) {
  TextSet seen;
  for (const auto& [name, mode] : options_.checks) {
    const policy::CheckEntry* entry = policy::FindCheck(name);
    if (!entry) return Invalid(Concat("no check is called ", name, "; there are ", Names(policy::KnownChecks())));
    if (!seen.insert(name).second) return Invalid(Concat("check ", name, " is listed twice"));
    if (name == "quota") {
      if (options_.quota.enforcement == quota::Enforcement::kOff) continue;
      if (!options_.resource_names) return Invalid("the check quota needs the names of resources");
      quota_ = std::make_unique<quota::Account>(*options_.resource_names, options_.quota);
      state_.AddAccount(*quota_);
    }
    checks_.push_back({name, mode, entry->make(sources)});
  }
  // quota is asked first, wherever it is listed: where it refuses the pod on all nodes no other reason may look as if a
  // victim would help.
  std::ranges::stable_sort(checks_, {}, [](const AskedCheck& each) {
    return std::pair(each.mode != CheckMode::kEnforce, each.name != "quota");
  });
  for (size_t c = 0; c < checks_.size(); ++c) {
    if (checks_[c].name == "topology") topology_check_ = c;
  }
  enforces_quota_ = ModeOf("quota") == CheckMode::kEnforce;
  return absl::OkStatus();
}

}  // namespace huygens::placement
