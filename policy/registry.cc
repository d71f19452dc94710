#include "policy/registry.h"

#include "policy/quota_check.h"
#include "policy/topology_check.h"
#include "policy/usage_check.h"

namespace huygens::policy {

namespace {

constexpr CheckEntry kChecks[] = {
    {"topology",
     [](const Sources& from) -> std::unique_ptr<Check> { return std::make_unique<TopologyCheck>(from.nodes); }},
    {"usage", [](const Sources& from) -> std::unique_ptr<Check> { return std::make_unique<UsageCheck>(from.usage); }},
    {"quota", [](const Sources&) -> std::unique_ptr<Check> { return std::make_unique<QuotaCheck>(); }},
};

}  // namespace

std::span<const CheckEntry> KnownChecks() { return kChecks; }

const CheckEntry* FindCheck(std::string_view name) {
  for (const CheckEntry& entry : kChecks) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

}  // namespace huygens::policy
