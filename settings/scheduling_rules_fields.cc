// The fields of the section `rules`, as settings/fields.cc has those of the others.
#include "settings/walk.h"

namespace huygens::settings {

namespace {
constexpr std::string_view kModes[] = {"off", "report", "enforce"};
}  // namespace

void Describe(Walk& walk, SchedulingRulesConfiguration& c) {
  walk.Value(
      "mode", Choice(kModes, c.mode),
      "off: rules are not looked at; report: what they would change is counted and logged; enforce: as each rule "
      "says");
  walk.Texts("excludedNamespaces", c.excluded_namespaces, "names of namespaces", ObjectName,
             "that no rule is for, besides kube-system, kube-public and kube-node-lease: that of huygens itself");
}

}  // namespace huygens::settings
