#include "scoring/registry.h"

#include "scoring/fewest_zones.h"

namespace huygens::scoring {

namespace {

constexpr TermEntry kTerms[] = {
    {"FewestZones",
     [](const Sources& from) -> std::unique_ptr<Term> { return std::make_unique<FewestZones>(from.zones); }},
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
