// Any bytes as a SchedulingRule, and as an object on its way into a cluster. What can be read of a rule is written and
// read alike; whatever the object, the patch is JSON, and the object that it makes is not changed a second time.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "json/reader.h"
#include "rules/inject.h"
#include "tests/fuzz/require.h"

namespace huygens {
namespace {

using fuzz::Require;

rules::SchedulingRule Known(std::string_view json) {
  auto rule = rules::DecodeRule(json);
  Require(rule.ok() && rule->defect.empty(), "the rules of this program can be used");
  return *std::move(rule);
}

rules::RuleSet SomeRules() {
  std::vector<rules::SchedulingRule> all;
  all.push_back(Known(R"({"metadata":{"name":"pods","generation":2},"spec":{"mode":"enforce","selector":{"kinds":
    ["Pod","Deployment","CronJob"]},"onConflict":"override","inject":{"labels":{"pool":"a"},"annotations":{"a/b":"c"},
    "resources":{"requests":{"cpu":{"factor":0.4},"memory":{"set":"1Gi"}},"limits":{"cpu":{"factor":1.5}}},
    "tolerations":[{"key":"a","operator":"Exists"}],"schedulerName":"other","priorityClassName":"high",
    "nodeAffinity":{"required":[{"key":"pool","operator":"In","values":["a"]}]},
    "podAntiAffinity":{"required":[{"topologyKey":"zone","labelSelector":{}}]},
    "topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule",
    "labelSelector":{}}]}}})"));
  all.push_back(Known(R"({"metadata":{"name":"nodes"},"spec":{"mode":"enforce","selector":{"kinds":["Node"]},"inject":
    {"labels":{"pool":"a"},"taints":[{"key":"pool","value":"a","effect":"NoSchedule"}],
    "allocatable":{"cpu":{"factor":1.5},"memory":{"min":"1Gi"}}}}})"));
  return rules::RuleSet(std::move(all));
}

void CheckRule(std::string_view text) {
  const StatusOr<rules::SchedulingRule> rule = rules::DecodeRule(text);
  if (!rule.ok()) return Require(!Message(rule.status()).empty(), "an error has a message");
  if (rule->defect.empty()) {
    const auto again = rules::DecodeRule(rules::EncodeRule(*rule));
    Require(again.ok() && again->defect.empty(), "a rule that was read can be written and read");
    Require(rules::EncodeRule(*again) == rules::EncodeRule(*rule), "and is the same then");
  }
  Require(rules::DecodeRule(rules::EncodeRuleStatus(*rule)).ok(), "so can its status");
  constexpr std::string_view kPod = R"({"metadata":{"name":"a","namespace":"b","labels":{"a":"b"}},"spec":
    {"containers":[{"name":"c","resources":{"requests":{"cpu":"1"},"limits":{"cpu":"2"}}}]}})";
  const rules::RuleSet set({*rule});
  const auto outcome = rules::Inject({.group = "", .kind = "Pod", .namespace_name = "b", .object = kPod}, set, {});
  Require(outcome.ok(), "no rule makes a good pod a bad one");
}

void CheckObject(const rules::ObjectWrite& write, const rules::RuleSet& rules) {
  const StatusOr<rules::Outcome> outcome = rules::Inject(write, rules, {});
  if (!outcome.ok()) return Require(!Message(outcome.status()).empty(), "an error has a message");
  if (outcome->patch.empty()) return;
  Require(JsonReader::Open(outcome->patch).ok(), "a patch is JSON");
  const std::string text = outcome->object.Json();
  rules::ObjectWrite again = write;
  again.object = text;
  const StatusOr<rules::Outcome> twice = rules::Inject(again, rules, {});
  Require(twice.ok() && twice->patch.empty(), "applied twice is applied once");
}

}  // namespace
}  // namespace huygens

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace huygens;
  static const rules::RuleSet kRules = SomeRules();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  CheckRule(text);
  for (const auto operation : {rules::Operation::kCreate, rules::Operation::kUpdate}) {
    for (const auto& [group, kind] : {std::pair<std::string_view, std::string_view>("", "Pod"),
                                      {"", "Node"},
                                      {"apps", "Deployment"},
                                      {"batch", "CronJob"}}) {
      CheckObject({.operation = operation,
                   .group = group,
                   .kind = kind,
                   .namespace_name = "b",
                   .object = text,
                   .old_object = {}},
                  kRules);
    }
  }
  CheckObject({.operation = rules::Operation::kUpdate,
               .group = "",
               .kind = "Node",
               .subresource = "status",
               .object = text,
               .old_object = text},
              kRules);
  return 0;
}
