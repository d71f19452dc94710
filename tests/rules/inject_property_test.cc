#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "tests/rules/random_rules.h"
#include "tests/rules/writes.h"

namespace huygens::rules {
namespace {

std::vector<SchedulingRule> Decoded(const std::vector<std::string>& texts) {
  std::vector<SchedulingRule> rules;
  for (const std::string& text : texts) {
    StatusOr<SchedulingRule> rule = DecodeRule(text);
    if (rule.ok()) rules.push_back(*std::move(rule));
  }
  return rules;
}

std::vector<std::string> RandomTexts(RandomRules& random) {
  std::vector<std::string> texts;
  for (int i = random.Below(7); i >= 0; --i) texts.push_back(random.Rule(i));
  return texts;
}

RC_GTEST_PROP(InjectProperty, TheGeneratorMakesRulesThatCanBeUsed, (uint64_t seed)) {
  RandomRules random(seed);
  for (const SchedulingRule& rule : Decoded(RandomTexts(random))) RC_ASSERT(rule.defect == "");
}

RC_GTEST_PROP(InjectProperty, ThePatchMakesTheObjectThatWasMeant, (uint64_t seed)) {
  RandomRules random(seed);
  const std::string pod = random.Pod();
  const Written written = WriteWith(PodWrite(pod), RuleSet(Decoded(RandomTexts(random))));
  RC_ASSERT(written.object == ParsedJson(written.outcome.object.Json()));
}

RC_GTEST_PROP(InjectProperty, AppliedTwiceIsAppliedOnce, (uint64_t seed)) {
  RandomRules random(seed);
  const std::string pod = random.Pod();
  const RuleSet rules(Decoded(RandomTexts(random)));
  const std::string once = WriteWith(PodWrite(pod), rules).text();
  RC_ASSERT(WriteWith(PodWrite(once), rules).outcome.patch == "");
  // Nor does a later write of the same pod change what it says.
  RC_ASSERT(WriteWith(PodWrite(once, Operation::kUpdate), rules).outcome.patch == "");
}

RC_GTEST_PROP(InjectProperty, TheOrderOfRulesInTheListMakesNoDifference, (uint64_t seed)) {
  RandomRules random(seed);
  const std::string pod = random.Pod();
  std::vector<SchedulingRule> rules = Decoded(RandomTexts(random));
  const std::string patch = WriteWith(PodWrite(pod), RuleSet(rules)).outcome.patch;
  std::shuffle(rules.begin(), rules.end(), random.engine());
  RC_ASSERT(WriteWith(PodWrite(pod), RuleSet(rules)).outcome.patch == patch);
}

RC_GTEST_PROP(InjectProperty, ThoseThatTheIndexFindsAreAllThatMatter, (uint64_t seed)) {
  RandomRules random(seed);
  std::string pod = random.Pod();
  const RuleSet earlier(Decoded(RandomTexts(random)));
  if (random.Chance(50)) pod = WriteWith(PodWrite(pod), earlier).text();
  const RuleSet rules(Decoded(RandomTexts(random)));
  const Operation operation = random.Chance(50) ? Operation::kCreate : Operation::kUpdate;
  const Written all = WriteWith(PodWrite(pod, operation), rules);
  const StatusOr<Outcome> found = Inject(PodWrite(pod, operation), rules, {}, Verdicts::kCandidates);
  RC_ASSERT(found.ok());
  RC_ASSERT(found->patch == all.outcome.patch);
  RC_ASSERT(found->changes.size() == all.outcome.changes.size());
  RC_ASSERT(found->would_change.size() == all.outcome.would_change.size());
  std::set<std::string> verdicts;
  for (const RuleOutcome& each : found->rules) verdicts.insert(Concat(each.rule->name, VerdictText(each.verdict)));
  for (const RuleOutcome& each : all.outcome.rules) {
    if (each.verdict > Verdict::kNothingHere) continue;  // it is not for the object
    RC_ASSERT(verdicts.contains(Concat(each.rule->name, VerdictText(each.verdict))));
  }
}

RC_GTEST_PROP(InjectProperty, WithoutRulesItIsAsItWasBut, (uint64_t seed)) {
  RandomRules random(seed);
  const std::string pod = random.Pod();
  const Written written = WriteWith(PodWrite(pod), RuleSet(Decoded(RandomTexts(random))));
  // What rules set alone is gone with them: labels, annotations, amounts, names.
  const std::string after = WriteWith(PodWrite(written.text()), RuleSet()).text();
  const boost::json::value is = ParsedJson(after), was = ParsedJson(pod);
  for (const char* key : {"app", "tier", "example.com~1pool"}) {
    for (const char* map : {"/metadata/labels/", "/metadata/annotations/"}) {
      RC_ASSERT(At(is, Concat(map, key)) == At(was, Concat(map, key)));
    }
  }
  for (const char* path :
       {"/spec/schedulerName", "/spec/priorityClassName", "/spec/containers/0/resources/requests/cpu",
        "/spec/containers/0/resources/limits/cpu", "/spec/containers/0/resources/limits/memory"}) {
    RC_ASSERT(At(is, path) == At(was, path));
  }
  RC_ASSERT(At(is, "/metadata/annotations/rules.huygens.dev~1before") == "");
}

RC_GTEST_PROP(InjectProperty, SkippedObjectsAreLeftAlone, (uint64_t seed)) {
  RandomRules random(seed);
  boost::json::value pod = ParsedJson(random.Pod());
  pod.at("metadata").as_object()["annotations"] = {{"rules.huygens.dev/skip", "true"}};
  const std::string text = boost::json::serialize(pod);
  RC_ASSERT(WriteWith(PodWrite(text), RuleSet(Decoded(RandomTexts(random)))).outcome.patch == "");
}

Quantity AmountAt(const boost::json::value& container, const char* list, const char* resource) {
  const std::string text = At(container, Concat("/resources/", list, "/", resource));
  return text.empty() ? Quantity() : *Quantity::Parse(text);
}

RC_GTEST_PROP(InjectProperty, WhatAnApiServerTakesItTakesAfterwards, (uint64_t seed)) {
  RandomRules random(seed);
  const std::string pod = random.Pod();
  const boost::json::value is = WriteWith(PodWrite(pod), RuleSet(Decoded(RandomTexts(random)))).object;
  for (const boost::json::value& container : is.at("spec").at("containers").as_array()) {
    for (const char* resource : {"cpu", "memory"}) {
      const Quantity limit = AmountAt(container, "limits", resource);
      if (!limit.IsZero()) RC_ASSERT(AmountAt(container, "requests", resource) <= limit);
    }
  }
  std::set<std::string> spreads;
  if (const auto* list = is.at("spec").as_object().if_contains("topologySpreadConstraints")) {
    for (const boost::json::value& each : list->as_array()) {
      RC_ASSERT(spreads.insert(At(each, "/topologyKey") + At(each, "/whenUnsatisfiable")).second);
    }
  }
  // A priority that goes with no class is refused, as is a class whose priority is another.
  const std::string name = At(is, "/spec/priorityClassName"), was = At(ParsedJson(pod), "/spec/priorityClassName");
  if (name != was) RC_ASSERT(At(is, "/spec/priority") == "");
}

RC_GTEST_PROP(InjectProperty, TermsOfAffinityAreOnlyNarrowed, (uint64_t seed)) {
  RandomRules random(seed);
  const std::string pod = random.Pod();
  const boost::json::value is = WriteWith(PodWrite(pod), RuleSet(Decoded(RandomTexts(random)))).object;
  constexpr std::string_view kTerms =
      "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms";
  const boost::json::value was_pod = ParsedJson(pod);
  boost::system::error_code none;
  const auto* was = was_pod.find_pointer(boost::json::string_view(kTerms.data(), kTerms.size()), none);
  if (was == nullptr) return;
  const boost::json::array& now = is.at_pointer(boost::json::string_view(kTerms.data(), kTerms.size())).as_array();
  RC_ASSERT(now.size() == was->as_array().size());
  for (size_t i = 0; i < now.size(); ++i) {
    const boost::json::value& before = was->as_array()[i];
    if (before.as_object().empty()) {
      RC_ASSERT(now[i] == before);  // it is for no node, and stays so
      continue;
    }
    for (const boost::json::value& each : before.at("matchExpressions").as_array()) {
      const boost::json::array& all = now[i].at("matchExpressions").as_array();
      RC_ASSERT(std::find(all.begin(), all.end(), each) != all.end());
    }
  }
}

std::string Broken(RandomRules& random, std::string text) {
  for (int i = 1 + random.Below(4); i > 0; --i) {
    const size_t at = static_cast<size_t>(random.Below(static_cast<int>(text.size())));
    switch (random.Below(4)) {
      case 0:
        text[at] = static_cast<char>(random.Below(256));
        break;
      case 1:
        text.erase(at, static_cast<size_t>(1 + random.Below(6)));
        break;
      case 2:
        text.insert(at, random.Pick({"\"", "{", "}", "[", "]", ",", "null", "-1", "1e99", "\\u0000", "..", "A_!"}));
        break;
      default:
        text.insert(at, text.substr(0, at));
    }
    if (text.empty()) text = "{}";
  }
  return text;
}

RC_GTEST_PROP(InjectProperty, ABrokenRuleChangesNothingForTheOthers, (uint64_t seed)) {
  RandomRules random(seed);
  const std::string pod = random.Pod();
  const std::vector<std::string> texts = RandomTexts(random);
  std::vector<SchedulingRule> rules = Decoded(texts);
  const std::string patch = WriteWith(PodWrite(pod), RuleSet(rules)).outcome.patch;
  int broken = 0;
  for (int i = 0; i < 20; ++i) {
    StatusOr<SchedulingRule> rule = DecodeRule(Broken(random, random.Rule(100 + i)));
    if (!rule.ok() || rule->defect.empty()) continue;
    rules.push_back(*std::move(rule));
    ++broken;
  }
  RC_TAG(broken > 0 ? "with broken rules" : "without");
  const Written written = WriteWith(PodWrite(pod), RuleSet(rules));
  RC_ASSERT(written.outcome.patch == patch);
}

RC_GTEST_PROP(InjectProperty, ARuleIsReadBackAsItIsWritten, (uint64_t seed)) {
  RandomRules random(seed);
  for (const SchedulingRule& rule : Decoded(RandomTexts(random))) {
    const StatusOr<SchedulingRule> again = DecodeRule(EncodeRule(rule));
    RC_ASSERT(again.ok());
    RC_ASSERT(again->defect == "");
    RC_ASSERT(*again == rule);
  }
}

}  // namespace
}  // namespace huygens::rules
