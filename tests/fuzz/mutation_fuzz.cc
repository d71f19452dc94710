// Any bytes as what an API server posts to the mutating webhook and to that for rules, and as an object whose name and
// labels are followed. Everything is allowed, and whatever the patch, it is JSON; a rule is refused with a reason.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/strings/escaping.h"
#include "base/steady_now.h"
#include "json/reader.h"
#include "observe/log.h"
#include "rule_objects/name_and_labels.h"
#include "tests/fuzz/require.h"
#include "webhook/mutation.h"
#include "webhook/rule_validation.h"

namespace huygens {
namespace {

using fuzz::Require;

class Known final : public rule_objects::KnownRules, public webhook::KnownRecommendations {
 public:
  Known() {
    std::vector<rules::SchedulingRule> all;
    for (
        const std::string_view text :
        {R"({"metadata":{"name":"pods","generation":2},"spec":{"mode":"enforce","selector":{"kinds":["Pod","Deployment"]},
             "onConflict":"override","inject":{"labels":{"huygens.dev/pool":"shared"},"annotations":{"a/b":"c"},
             "resources":{"requests":{"cpu":{"factor":0.4}}},"tolerations":[{"key":"a","operator":"Exists"}],
             "nodeAffinity":{"required":[{"key":"pool","operator":"In","values":["a"]}]},"priorityClassName":"high"}}})",
         R"({"metadata":{"name":"some"},"spec":{"mode":"enforce","selector":{"kinds":["Pod"],"namespaceSelector":
             {"matchLabels":{"team":"a"}}},"rollout":{"percent":50},"inject":{"schedulerName":"other"}}})",
         R"({"metadata":{"name":"nodes"},"spec":{"mode":"enforce","selector":{"kinds":["Node"]},"inject":
             {"labels":{"pool":"a"},"taints":[{"key":"pool","effect":"NoSchedule"}],
             "allocatable":{"cpu":{"factor":1.5}}}}})"}) {
      auto rule = rules::DecodeRule(text);
      Require(rule.ok() && rule->defect.empty(), "the rules of this program can be used");
      all.push_back(*std::move(rule));
    }
    rules_ = std::make_shared<const rules::RuleSet>(std::move(all));
  }
  std::shared_ptr<const rules::RuleSet> rules() const override { return rules_; }
  const Labels* NamespaceLabels(std::string_view) const override { return &labels_; }
  bool HasPriorityClass(std::string_view name) const override { return name == "high"; }
  std::string NotReady() const override { return {}; }
  const recommendation_api::RecommendationIndex& index() const override { return index_; }

 private:
  std::shared_ptr<const rules::RuleSet> rules_;
  const Labels labels_ = {{"team", "a"}};
  recommendation_api::RecommendationIndex index_;
};

settings::OvercommitPools Pools() {
  settings::OvercommitConfiguration configuration;
  configuration.mode = settings::OvercommitMode::kEnforce;
  configuration.pools[1].auto_apply = true;
  configuration.pools[1].factors = {{.cpu = 300'000}};
  return settings::OvercommitPools(configuration);
}

struct Service {
  SystemClock clock;
  observe::Log log{clock, observe::LogLevel::kError, observe::LogFormat::kText};
  observe::Metrics metrics{{}};
  Known known;
  settings::SchedulingRulesConfiguration configuration{.mode = settings::SchedulingRulesMode::kEnforce,
                                                       .excluded_namespaces = {"huygens-system"}};
  settings::OvercommitPools pools = Pools();
  webhook::PodMutation pods{pools, known, {.log = log, .metrics = metrics, .clock = clock}};
  webhook::RuleMutation rules{configuration, known, {.log = log, .metrics = metrics, .clock = clock}};
  webhook::Mutation mutation{rules, known, pods, "/", {.metrics = metrics, .monotonic = SteadyNow}};
  webhook::RuleValidation validation{
      configuration, known, "/", {.log = log, .metrics = metrics, .monotonic = SteadyNow}};
};

// The text at "response.KEY"; empty: there is none.
std::string InResponse(std::string_view answer, std::string_view key) {
  const StatusOr<rules::Tree> tree = rules::Tree::Parse(answer);
  Require(tree.ok(), "an answer is JSON");
  const std::string_view path[] = {"response", key};
  const rules::Tree* found = rules::FindAt(*tree, path);
  return found == nullptr ? "" : std::string(found->text());
}

void CheckMutation(Service& service, std::string_view text) {
  const StatusOr<std::string> answer = service.mutation.Answer(text);
  if (!answer.ok()) return Require(!Message(answer.status()).empty(), "an error has a message");
  Require(InResponse(*answer, "allowed") == "true", "nothing is refused");
  std::string patch;
  Require(absl::Base64Unescape(InResponse(*answer, "patch"), &patch), "a patch is base64");
  Require(patch.empty() || JsonReader::Open(patch).ok(), "a patch is JSON");
}

void CheckValidation(Service& service, std::string_view text) {
  service.validation.Ask(std::string(text), [](StatusOr<std::string> answer) {
    if (!answer.ok()) return Require(!Message(answer.status()).empty(), "an error has a message");
    if (InResponse(*answer, "allowed") == "true") return;
    Require(answer->find(R"("message":"SchedulingRule )") != std::string::npos, "a refusal has a reason");
  });
}

}  // namespace
}  // namespace huygens

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace huygens;
  static Service service;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto named = rule_objects::DecodeNameAndLabels(text);
  Require(named.ok() ? !named->name.empty() : !Message(named.status()).empty(),
          "an object has a name, an error a message");
  CheckMutation(service, text);
  CheckValidation(service, text);
  return 0;
}
