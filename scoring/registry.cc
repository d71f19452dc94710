#include "scoring/registry.h"

// A line for each term: the function by which its own file ends, in the order in which people are told of them.
#define HUYGENS_TERMS(TERM)     \
  TERM(FewestZonesEntry)        \
  TERM(LeastUsedEntry)          \
  TERM(BalancedEntry)           \
  TERM(LeastAllocatedEntry)     \
  TERM(MostAllocatedEntry)      \
  TERM(BalancedAllocationEntry) \
  TERM(LeastNumaEntry)

namespace huygens::scoring {

#define HUYGENS_DECLARE(entry) TermEntry entry();
HUYGENS_TERMS(HUYGENS_DECLARE)

std::span<const TermEntry> KnownTerms() {
#define HUYGENS_LIST(entry) entry(),
  static const TermEntry kTerms[] = {HUYGENS_TERMS(HUYGENS_LIST)};
  return kTerms;
}

const TermEntry* FindTerm(std::string_view name) {
  for (const TermEntry& entry : KnownTerms()) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

}  // namespace huygens::scoring
