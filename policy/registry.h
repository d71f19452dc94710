// Every check by the name it has in the configuration's `filter.checks`. A new check is a file of its own and one line
// in registry.cc.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "kubelet/account.h"
#include "policy/check.h"
#include "topology/node_kinds.h"
#include "usage/account.h"

namespace huygens::policy {

// What checks may look at besides the cluster state; it must outlive them.
struct Sources {
  const topology::NodeKinds& nodes;
  const kubelet::Account& kubelet;  // for what only nodes have that kubelet pins
  const usage::Account& usage;
};

struct CheckEntry {
  std::string_view name;
  std::unique_ptr<Check> (*make)(const Sources& sources);
};

std::span<const CheckEntry> KnownChecks();
// Null if no check bears this name.
const CheckEntry* FindCheck(std::string_view name);

}  // namespace huygens::policy
