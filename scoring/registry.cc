#include "scoring/registry.h"

#include "scoring/balanced.h"
#include "scoring/community_terms.h"
#include "scoring/fewest_zones.h"
#include "scoring/least_used.h"

namespace huygens::scoring {

namespace {

template <ZoneStrategy strategy>
std::unique_ptr<Term> MakeStrategy(const Sources& from, ResourceVector weights) {
  return std::make_unique<ZoneStrategyTerm>(strategy, std::move(weights), from.nodes, from.kubelet);
}
// One signature for all, and some keep the weights. NOLINTBEGIN(performance-unnecessary-value-param)
template <LeastUsedForm form>
std::unique_ptr<Term> MakeLeastUsed(const Sources& from, ResourceVector weights) {
  return std::make_unique<LeastUsed>(from.usage, weights, form);
}
std::unique_ptr<Term> MakeBalanced(const Sources& from, ResourceVector weights) {
  return std::make_unique<Balanced>(from.usage, weights);
}
// NOLINTEND(performance-unnecessary-value-param)
template <auto make_weighted>
std::unique_ptr<Term> WithoutWeights(const Sources& from) {
  return make_weighted(from, {});
}

constexpr TermEntry kTerms[] = {
    {"FewestZones",
     [](const Sources& from) -> std::unique_ptr<Term> { return std::make_unique<FewestZones>(from.nodes); }},
    {"LeastAllocated", WithoutWeights<MakeStrategy<ZoneStrategy::kLeastAllocated>>,
     MakeStrategy<ZoneStrategy::kLeastAllocated>},
    {"MostAllocated", WithoutWeights<MakeStrategy<ZoneStrategy::kMostAllocated>>,
     MakeStrategy<ZoneStrategy::kMostAllocated>},
    {"BalancedAllocation", WithoutWeights<MakeStrategy<ZoneStrategy::kBalancedAllocation>>},
    {"LeastNUMANodes",
     [](const Sources& from) -> std::unique_ptr<Term> {
       return std::make_unique<LeastNumaTerm>(from.nodes, from.kubelet);
     }},
    {"LeastUsed", WithoutWeights<MakeLeastUsed<LeastUsedForm::kMean>>, MakeLeastUsed<LeastUsedForm::kMean>,
     MakeLeastUsed<LeastUsedForm::kDominant>},
    {"Balanced", WithoutWeights<MakeBalanced>, MakeBalanced},
};

}  // namespace

std::span<const TermEntry> KnownTerms() { return kTerms; }

const TermEntry* FindTerm(std::string_view name) {
  for (const TermEntry& entry : kTerms) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

}  // namespace huygens::scoring
