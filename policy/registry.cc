#include "policy/registry.h"

// A line for each check: the function by which its own file ends, in the order in which people are told of them.
#define HUYGENS_CHECKS(CHECK) \
  CHECK(TopologyEntry)        \
  CHECK(UsageEntry)           \
  CHECK(QuotaEntry)

namespace huygens::policy {

#define HUYGENS_DECLARE(entry) CheckEntry entry();
HUYGENS_CHECKS(HUYGENS_DECLARE)

std::span<const CheckEntry> KnownChecks() {
#define HUYGENS_LIST(entry) entry(),
  static const CheckEntry kChecks[] = {HUYGENS_CHECKS(HUYGENS_LIST)};
  return kChecks;
}

const CheckEntry* FindCheck(std::string_view name) {
  for (const CheckEntry& entry : KnownChecks()) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

}  // namespace huygens::policy
