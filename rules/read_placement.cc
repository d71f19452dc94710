// Tolerations, taints, affinity and spread: the fields and values that the API server takes, so that no pod is refused
// for what a rule put into it.
#include <cstdlib>
#include <optional>

#include "base/label_selector.h"
#include "rules/names.h"
#include "rules/read_values.h"
#include "rules/strict_fields.h"

namespace huygens::rules {

namespace {

Status AtField(std::string_view fault, std::string_view field) {
  return fault.empty() ? absl::OkStatus() : Invalid(Concat(field, ": ", fault));
}

Status ReadWeight(JsonReader& in, int64_t& weight) {
  HUYGENS_RETURN_IF_ERROR(in.Read(weight));
  return weight >= 1 && weight <= 100 ? absl::OkStatus() : Invalid("must be from 1 to 100");
}

bool IsInteger(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.size() <= 18 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

Status ReadKeys(JsonReader& in, std::vector<std::string>& keys) {
  HUYGENS_RETURN_IF_ERROR(ReadTexts(in, keys));
  for (const std::string& key : keys) HUYGENS_RETURN_IF_ERROR(FaultStatus(QualifiedNameFault(key)));
  return absl::OkStatus();
}

Status ReadNodeRequirements(JsonReader& in, size_t& count) {
  return in.Elements([&](size_t index) {
    count = index + 1;
    return CheckNodeRequirement(in);
  });
}

// An integer of at least `least`.
Status ReadAtLeast(JsonReader& in, int64_t least, std::optional<int64_t>& out) {
  int64_t value = least;
  if (in.Next() != JsonType::kNumber) return in.Unexpected("a number");
  HUYGENS_RETURN_IF_ERROR(in.Read(value));
  if (value < least || value > 1'000'000) return Invalid(Concat("must be at least ", std::to_string(least)));
  out = value;
  return absl::OkStatus();
}

}  // namespace

Status CheckToleration(JsonReader& in) {
  std::string key, operation, value, effect;
  std::optional<int64_t> seconds;
  HUYGENS_RETURN_IF_ERROR(StrictFields(in, "key", key, "operator", operation, "value", value, "effect", effect,
                                       "tolerationSeconds", [&] { return ReadAtLeast(in, 0, seconds); }));
  if (operation.empty()) operation = "Equal";
  HUYGENS_RETURN_IF_ERROR(AtField(WordFault(operation, {"Equal", "Exists"}), "operator"));
  if (!effect.empty()) {
    HUYGENS_RETURN_IF_ERROR(AtField(WordFault(effect, {"NoSchedule", "PreferNoSchedule", "NoExecute"}), "effect"));
  }
  if (!key.empty()) HUYGENS_RETURN_IF_ERROR(AtField(QualifiedNameFault(key), "key"));
  if (key.empty() && operation != "Exists") return Invalid("key: is missing; without it operator must be Exists");
  if (operation == "Exists" && !value.empty()) return Invalid("value: must be empty where operator is Exists");
  HUYGENS_RETURN_IF_ERROR(AtField(LabelValueFault(value), "value"));
  if (seconds && effect != "NoExecute") return Invalid("tolerationSeconds: is for the effect NoExecute alone");
  return absl::OkStatus();
}

Status CheckTaint(JsonReader& in) {
  std::string key, value, effect;
  HUYGENS_RETURN_IF_ERROR(StrictFields(in, "key", key, "value", value, "effect", effect));
  HUYGENS_RETURN_IF_ERROR(AtField(QualifiedNameFault(key), "key"));
  HUYGENS_RETURN_IF_ERROR(AtField(LabelValueFault(value), "value"));
  return AtField(WordFault(effect, {"NoSchedule", "PreferNoSchedule", "NoExecute"}), "effect");
}

Status CheckSpread(JsonReader& in) {
  std::optional<int64_t> skew, domains;
  std::string topology_key, unsatisfiable, affinity = "Honor", taints = "Ignore";
  std::optional<LabelSelector> selector;
  std::vector<std::string> keys;
  HUYGENS_RETURN_IF_ERROR(StrictFields(
      in, "maxSkew", [&] { return ReadAtLeast(in, 1, skew); }, "minDomains",
      [&] { return ReadAtLeast(in, 1, domains); }, "topologyKey", topology_key, "whenUnsatisfiable", unsatisfiable,
      "labelSelector", [&] { return ReadSelector(in, selector.emplace()); }, "matchLabelKeys",
      [&] { return ReadKeys(in, keys); }, "nodeAffinityPolicy", affinity, "nodeTaintsPolicy", taints));
  if (!skew) return Invalid("maxSkew: is missing");
  HUYGENS_RETURN_IF_ERROR(AtField(QualifiedNameFault(topology_key), "topologyKey"));
  HUYGENS_RETURN_IF_ERROR(AtField(WordFault(unsatisfiable, {"DoNotSchedule", "ScheduleAnyway"}), "whenUnsatisfiable"));
  HUYGENS_RETURN_IF_ERROR(AtField(WordFault(affinity, {"Honor", "Ignore"}), "nodeAffinityPolicy"));
  HUYGENS_RETURN_IF_ERROR(AtField(WordFault(taints, {"Honor", "Ignore"}), "nodeTaintsPolicy"));
  if (!selector) return Invalid("labelSelector: is missing, so that no pod would be counted");
  if (domains && unsatisfiable != "DoNotSchedule") return Invalid("minDomains: is for DoNotSchedule alone");
  for (const LabelRequirement& each : selector->requirements) {
    if (std::ranges::find(keys, each.key) != keys.end()) {
      return Invalid(Concat("matchLabelKeys: ", each.key, " is in labelSelector, too"));
    }
  }
  return absl::OkStatus();
}

Status CheckNodeRequirement(JsonReader& in) {
  std::string key, operation;
  std::vector<std::string> values;
  HUYGENS_RETURN_IF_ERROR(
      StrictFields(in, "key", key, "operator", operation, "values", [&] { return ReadTexts(in, values); }));
  HUYGENS_RETURN_IF_ERROR(AtField(QualifiedNameFault(key), "key"));
  if (operation == "Gt" || operation == "Lt") {
    const bool good = values.size() == 1 && IsInteger(values[0]);
    return good ? absl::OkStatus() : Invalid(Concat("values: ", operation, " wants one whole number"));
  }
  // Words and counts are those of a selector of labels.
  return LabelSelector::Requirement(key, operation, std::move(values)).status();
}

Status CheckPreferredNodes(JsonReader& in) {
  int64_t weight = 0;
  size_t count = 0;
  HUYGENS_RETURN_IF_ERROR(StrictFields(
      in, "weight", [&] { return ReadWeight(in, weight); }, "preference",
      [&] { return StrictFields(in, "matchExpressions", [&] { return ReadNodeRequirements(in, count); }); }));
  if (weight == 0) return Invalid("weight: is missing");
  return count > 0 ? absl::OkStatus() : Invalid("preference.matchExpressions: is missing");
}

Status CheckPodTerm(JsonReader& in) {
  std::string topology_key;
  std::optional<LabelSelector> selector, namespace_selector;
  std::vector<std::string> namespaces, keys, mismatched;
  HUYGENS_RETURN_IF_ERROR(StrictFields(
      in, "topologyKey", topology_key, "labelSelector", [&] { return ReadSelector(in, selector.emplace()); },
      "namespaceSelector", [&] { return ReadSelector(in, namespace_selector.emplace()); }, "namespaces",
      [&] { return ReadTexts(in, namespaces); }, "matchLabelKeys", [&] { return ReadKeys(in, keys); },
      "mismatchLabelKeys", [&] { return ReadKeys(in, mismatched); }));
  HUYGENS_RETURN_IF_ERROR(AtField(QualifiedNameFault(topology_key), "topologyKey"));
  if (!selector) return Invalid("labelSelector: is missing, so that no pod would be meant");
  for (const std::string& name : namespaces) HUYGENS_RETURN_IF_ERROR(AtField(NamespaceFault(name), "namespaces"));
  for (const std::string& key : keys) {
    const bool twice =
        std::ranges::find(mismatched, key) != mismatched.end() ||
        std::ranges::find(selector->requirements, key, &LabelRequirement::key) != selector->requirements.end();
    if (twice) return Invalid(Concat("matchLabelKeys: ", key, " is in labelSelector or mismatchLabelKeys, too"));
  }
  return absl::OkStatus();
}

Status CheckPreferredPodTerm(JsonReader& in) {
  int64_t weight = 0;
  bool term = false;
  HUYGENS_RETURN_IF_ERROR(StrictFields(
      in, "weight", [&] { return ReadWeight(in, weight); }, "podAffinityTerm",
      [&] {
        term = true;
        return CheckPodTerm(in);
      }));
  if (weight == 0) return Invalid("weight: is missing");
  return term ? absl::OkStatus() : Invalid("podAffinityTerm: is missing");
}

}  // namespace huygens::rules
