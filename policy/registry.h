// Every check by the name it has in the configuration's `filter.checks`. A new check is a file of its own, which ends
// with its entry, and one line in registry.cc.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "policy/check.h"
#include "policy/sources.h"

namespace huygens::policy {

struct CheckEntry {
  std::string_view name;
  Needs needs = {};
  std::unique_ptr<RuleOptions> (*options)() = nullptr;  // with its defaults; null: it has none
  std::unique_ptr<Check> (*make)(const Sources& from);
};

std::span<const CheckEntry> KnownChecks();
// Null if no check bears this name.
const CheckEntry* FindCheck(std::string_view name);

}  // namespace huygens::policy
