#include "scoring/registry.h"

#include "scoring/community_terms.h"
#include "scoring/fewest_zones.h"

namespace huygens::scoring {

namespace {

template <ZoneStrategy strategy>
std::unique_ptr<Term> MakeWeighted(const Sources& from, ResourceVector weights) {
  return std::make_unique<ZoneStrategyTerm>(strategy, std::move(weights), from.zones, from.kubelet);
}
template <ZoneStrategy strategy>
std::unique_ptr<Term> Make(const Sources& from) {
  return MakeWeighted<strategy>(from, {});
}

constexpr TermEntry kTerms[] = {
    {"FewestZones",
     [](const Sources& from) -> std::unique_ptr<Term> {
       return std::make_unique<FewestZones>(from.zones, from.kubelet);
     }},
    {"LeastAllocated", Make<ZoneStrategy::kLeastAllocated>, MakeWeighted<ZoneStrategy::kLeastAllocated>},
    {"MostAllocated", Make<ZoneStrategy::kMostAllocated>, MakeWeighted<ZoneStrategy::kMostAllocated>},
    {"BalancedAllocation", Make<ZoneStrategy::kBalancedAllocation>},
    {"LeastNUMANodes",
     [](const Sources& from) -> std::unique_ptr<Term> {
       return std::make_unique<LeastNumaTerm>(from.zones, from.kubelet);
     }},
    {"LeastUsed", nullptr},
    {"Balanced", nullptr},
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
