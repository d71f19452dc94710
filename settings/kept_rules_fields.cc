// The fields of the section `controller.rules`, as settings/fields.cc has those of the others.
#include "settings/walk.h"

namespace huygens::settings {

namespace {
constexpr std::string_view kModes[] = {"off", "report", "enforce"};
}  // namespace

void Describe(Walk& walk, KeptRulesConfiguration& c) {
  walk.Value(
      "mode", Choice(kModes, c.mode),
      "off; report: the status and the history of rules are kept; enforce: and objects are changed in place where "
      "they lack what a rule says, and policies kept");
  walk.Value("policies", Flag(c.policies),
             "rules marked always are kept as MutatingAdmissionPolicies, which the API server applies while no huygens "
             "answers; needs Kubernetes 1.36");
  walk.Value("writesPerSecond", Integer(c.writes_per_second, 1, 100),
             "objects that are changed in place, over the whole cluster");
}

}  // namespace huygens::settings
