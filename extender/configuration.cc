#include "extender/configuration.h"

#include "base/text.h"
#include "policy/registry.h"
#include "scoring/registry.h"

namespace huygens::extender {

std::vector<std::string> NotYetActive(const Configuration& c) {
  std::vector<std::string> parts;
  for (const std::string& name : c.filter.checks) {
    const policy::CheckEntry* check = policy::FindCheck(name);
    if (check != nullptr && check->make == nullptr) parts.push_back(Concat("filter.checks: ", name));
  }
  for (const placement::WeightedTerm& each : c.prioritize.terms) {
    const scoring::TermEntry* term = scoring::FindTerm(each.name);
    if (each.weight > 0 && term != nullptr && term->make == nullptr)
      parts.push_back(Concat("prioritize.terms: ", each.name));
  }
  // Nodes that kubelet pins pass and get no result, whatever is assumed of them.
  parts.emplace_back("topology.kubelet");
  if (c.usage.prometheus) parts.emplace_back("usage.prometheus");
  if (c.wake.enabled) parts.emplace_back("wake");
  return parts;
}

}  // namespace huygens::extender
