// Any bytes as a revision of a rule and as the rule itself, and as a rule that is compiled to policies. What can be read of
// a revision is written and read alike; going back gives the spec of the revision; policies are JSON, and the same again.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "rule_history/revision.h"
#include "rule_policies/compile.h"
#include "tests/fuzz/require.h"

namespace huygens {
namespace {

using fuzz::Require;

void CheckRevision(std::string_view text) {
  const auto revision = rule_history::DecodeRevision(text);
  if (!revision.ok()) return Require(!Message(revision.status()).empty(), "an error has a message");
  const auto again = rule_history::DecodeRevision(rule_history::EncodeRevision(*revision));
  Require(again.ok() && again->spec == revision->spec && again->number == revision->number,
          "what is written of a revision is read alike");
  const auto rule = rule_history::RuleAsBefore(R"({"metadata":{"name":"a"},"spec":{"priority":1}})", *revision);
  Require(rule.ok(), "a rule can be taken back to any revision");
  const auto state = rule_history::DecodeRuleState(*rule);
  Require(state.ok() && state->spec == revision->spec, "it says what the revision says then");
}

void CheckHistory(std::string_view text) {
  if (const auto list = rule_history::DecodeRevisions(text); list.ok()) {
    const auto state = rule_history::DecodeRuleState(R"({"metadata":{"name":"a","uid":"u"},"spec":{"priority":1}})");
    const rule_history::Step step = rule_history::NextStep(*state, *list, "b");
    Require(!step.create || !step.renumber, "a state is new or has come back");
  }
  const auto state = rule_history::DecodeRuleState(text);
  if (!state.ok()) return;
  const rule_history::Step step = rule_history::NextStep(*state, {}, "b");
  Require(step.create && step.create->spec == state->spec, "the first state is kept");
}

void CheckPolicies(std::string_view text) {
  auto rule = rules::DecodeRule(text);
  if (!rule.ok()) return;
  rule->always = true;
  const rules::RuleSet set({*rule});
  const rule_policies::Compiled compiled = rule_policies::Compile(set, {});
  Require(compiled.policies.empty() != compiled.refused.empty(), "a rule is compiled, or refused with the reason");
  for (const rule_policies::Policy& each : compiled.policies) {
    const auto read = rules::Tree::Parse(each.policy.Json());
    Require(read.ok() && *read == each.policy, "a policy is JSON");
  }
}

}  // namespace
}  // namespace huygens

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  huygens::CheckRevision(text);
  huygens::CheckHistory(text);
  huygens::CheckPolicies(text);
  return 0;
}
