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
  for (const TermConfiguration& each : c.prioritize.terms) {
    const scoring::TermEntry* term = scoring::FindTerm(each.name);
    if (each.weight > 0 && term != nullptr && term->make == nullptr)
      parts.push_back(Concat("prioritize.terms: ", each.name));
  }
  return parts;
}

}  // namespace huygens::extender
