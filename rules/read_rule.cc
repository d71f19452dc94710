#include <algorithm>
#include <utility>

#include "base/millionths.h"
#include "json/document.h"
#include "rules/judge_rule.h"
#include "rules/kinds.h"
#include "rules/names.h"
#include "rules/read_values.h"
#include "rules/rule.h"
#include "rules/strict_fields.h"

namespace huygens::rules {

namespace {

Status ReadNamespaces(JsonReader& in, std::vector<std::string>& out) {
  HUYGENS_RETURN_IF_ERROR(ReadTexts(in, out));
  for (const std::string& name : out) HUYGENS_RETURN_IF_ERROR(FaultStatus(NamespaceFault(name)));
  return absl::OkStatus();
}

Status ReadKinds(JsonReader& in, std::vector<std::string>& out) {
  HUYGENS_RETURN_IF_ERROR(ReadTexts(in, out));
  for (const std::string& kind : out) {
    if (FindKind("*", kind) == nullptr) {
      return Invalid(Concat("rules are not for \"", CutText(kind, 63), "\", only for ", JoinNames(KindNames(), ", ")));
    }
  }
  return absl::OkStatus();
}

Status ReadSelection(JsonReader& in, Selection& out) {
  return StrictFields(
      in, "kinds", [&] { return ReadKinds(in, out.kinds); }, "namespaces",
      [&] { return ReadNamespaces(in, out.namespaces); }, "namespaceSelector",
      [&] { return ReadSelector(in, out.namespace_labels.emplace()); }, "matchLabels",
      [&] { return ReadMatchLabels(in, out.labels); }, "matchExpressions",
      [&] { return ReadMatchExpressions(in, out.labels); }, "ownerKinds",
      [&] { return ReadTexts(in, out.owner_kinds); });
}

Status ReadExclusion(JsonReader& in, Exclusion& out) {
  LabelSelector labels;
  HUYGENS_RETURN_IF_ERROR(StrictFields(
      in, "namespaces", [&] { return ReadNamespaces(in, out.namespaces); }, "matchLabels",
      [&] { return ReadMatchLabels(in, labels); }, "matchExpressions",
      [&] { return ReadMatchExpressions(in, labels); }));
  if (!labels.requirements.empty()) out.labels = std::move(labels);
  return absl::OkStatus();
}

// A number of JSON as a whole number of millionths.
Status ReadMillionths(JsonReader& in, int64_t& out) {
  if (in.Next() != JsonType::kNumber) return in.Unexpected("a number");
  const std::string_view text = in.Skip();
  const std::optional<int64_t> value = ParseMillionths(text);
  if (!value || *value < 0) {
    return Invalid(Concat("\"", CutText(text, 32), "\" must be a decimal number of at most six places such as 1.5"));
  }
  out = *value;
  return absl::OkStatus();
}

Status ReadPercent(JsonReader& in, int64_t& per_ten_thousand) {
  int64_t millionths = 0;
  HUYGENS_RETURN_IF_ERROR(ReadMillionths(in, millionths));
  if (millionths > 100'000'000) return Invalid("must be from 0 to 100");
  if (millionths % 10'000 != 0) return Invalid("must have at most two places");
  per_ten_thousand = millionths / 10'000;
  return absl::OkStatus();
}

Status ReadBy(JsonReader& in, ShareOf& by) {
  std::string word;
  HUYGENS_RETURN_IF_ERROR(in.Read(word));
  HUYGENS_RETURN_IF_ERROR(FaultStatus(WordFault(word, {"workload", "pod"})));
  by = word == "pod" ? ShareOf::kPod : ShareOf::kWorkload;
  return absl::OkStatus();
}

Status ReadWindow(JsonReader& in, Window& out) {
  HUYGENS_RETURN_IF_ERROR(StrictFields(
      in, "from", [&] { return ReadTime(in, out.from); }, "until", [&] { return ReadTime(in, out.until); }));
  if (out.from && out.until && *out.from >= *out.until) return Invalid("until: must be after from");
  return absl::OkStatus();
}

Status ReadWord(JsonReader& in, std::initializer_list<std::string_view> words, std::string_view yes, bool& out) {
  std::string word;
  HUYGENS_RETURN_IF_ERROR(in.Read(word));
  out = word == yes;
  return FaultStatus(WordFault(word, words));
}

Status ReadTextMap(JsonReader& in, std::vector<std::pair<std::string, std::string>>& out) {
  return in.Members([&](const JsonKey& key) -> Status {
    auto& [name, value] = out.emplace_back(std::string(key.text), "");
    if (in.Next() != JsonType::kString) return in.Unexpected("a string");
    return in.Read(value);
  });
}

Status ReadQuantity(JsonReader& in, std::optional<Quantity>& out) {
  std::string text;
  HUYGENS_RETURN_IF_ERROR(ReadTextOrNumber(in, text));
  HUYGENS_ASSIGN_OR_RETURN(Quantity amount, Quantity::Parse(text));
  if (amount.Sign() < 0) return Invalid("must not be below 0");
  out = std::move(amount);
  return absl::OkStatus();
}

Status ReadFactor(JsonReader& in, std::optional<int64_t>& out) {
  int64_t factor = 0;
  HUYGENS_RETURN_IF_ERROR(ReadMillionths(in, factor));
  if (factor == 0 || factor > 100'000'000) return Invalid("must be above 0 and at most 100");
  out = factor;
  return absl::OkStatus();
}

Status ReadAmounts(JsonReader& in, std::vector<AmountChange>& out) {
  return in.Members([&](const JsonKey& key) {
    AmountChange& change = out.emplace_back();
    change.resource = key.text;
    return StrictFields(
        in, "factor", [&] { return ReadFactor(in, change.factor_millionths); }, "set",
        [&] { return ReadQuantity(in, change.set); }, "min", [&] { return ReadQuantity(in, change.min); }, "max",
        [&] { return ReadQuantity(in, change.max); });
  });
}

constexpr size_t kMostOfAList = 64;

template <typename Required, typename Preferred>
Status ReadAffinity(JsonReader& in, std::vector<Tree>& required, Required&& one, std::vector<Tree>& preferred,
                    Preferred&& other) {
  return StrictFields(
      in, "required", [&] { return ReadCheckedList(in, required, kMostOfAList, one); }, "preferred",
      [&] { return ReadCheckedList(in, preferred, kMostOfAList, other); });
}

Status ReadInjection(JsonReader& in, Injection& out) {
  return StrictFields(
      in, "labels", [&] { return ReadTextMap(in, out.labels); }, "annotations",
      [&] { return ReadTextMap(in, out.annotations); }, "resources",
      [&] {
        return StrictFields(
            in, "requests", [&] { return ReadAmounts(in, out.requests); }, "limits",
            [&] { return ReadAmounts(in, out.limits); });
      },
      "allocatable", [&] { return ReadAmounts(in, out.allocatable); }, "tolerations",
      [&] { return ReadCheckedList(in, out.tolerations, kMostOfAList, CheckToleration); }, "taints",
      [&] { return ReadCheckedList(in, out.taints, kMostOfAList, CheckTaint); }, "nodeAffinity",
      [&] {
        return ReadAffinity(in, out.required_nodes, CheckNodeRequirement, out.preferred_nodes, CheckPreferredNodes);
      },
      "podAffinity",
      [&] { return ReadAffinity(in, out.required_near, CheckPodTerm, out.preferred_near, CheckPreferredPodTerm); },
      "podAntiAffinity",
      [&] { return ReadAffinity(in, out.required_apart, CheckPodTerm, out.preferred_apart, CheckPreferredPodTerm); },
      "topologySpreadConstraints", [&] { return ReadCheckedList(in, out.topology_spread, kMostOfAList, CheckSpread); },
      "schedulerName", out.scheduler_name, "priorityClassName", out.priority_class_name);
}

Status ReadSpec(JsonReader& in, SchedulingRule& out) {
  bool enforce = false;
  HUYGENS_RETURN_IF_ERROR(StrictFields(
      in, "priority", out.priority, "selector", [&] { return ReadSelection(in, out.selection); }, "exclude",
      [&] { return ReadExclusion(in, out.exclusion); }, "rollout",
      [&] {
        return StrictFields(
            in, "percent", [&] { return ReadPercent(in, out.rollout.per_ten_thousand); }, "by",
            [&] { return ReadBy(in, out.rollout.by); });
      },
      "window", [&] { return ReadWindow(in, out.window); }, "mode",
      [&] { return ReadWord(in, {"report", "enforce"}, "enforce", enforce); }, "always", out.always, "onConflict",
      [&] { return ReadWord(in, {"keep", "override"}, "override", out.override_existing); }, "inject",
      [&] { return ReadInjection(in, out.injection); }));
  out.mode = enforce ? Mode::kEnforce : Mode::kReport;
  return JudgeRule(out);
}

struct RuleMetadata {
  std::string name, uid, resource_version;
  int64_t generation = 0;

  static void Describe(auto& self, auto& fields) {
    fields.Always("name", self.name);
    fields.IfSet("uid", self.uid);
    fields.IfSet("resourceVersion", self.resource_version);
    fields.IfSet("generation", self.generation);
  }
};

struct RuleOutside {
  RuleMetadata metadata;
  RuleStatus status;

  static void Describe(auto& self, auto& fields) {
    fields.Always("metadata", self.metadata);
    fields.Always("status", self.status);
  }
};

StatusOr<SchedulingRule> ReadSpecOf(std::string_view json) {
  HUYGENS_RETURN_IF_ERROR(Tree::Parse(json).status());  // a key that is there twice
  bool seen = false;
  auto rule = DecodeObject<SchedulingRule>(json, [&](JsonReader& in, SchedulingRule& out) {
    return in.Fields("spec", [&] {
      seen = true;
      return ReadSpec(in, out);
    });
  });
  if (rule.ok() && !seen) return Invalid("spec is missing");
  return rule;
}

}  // namespace

StatusOr<SchedulingRule> DecodeRule(std::string_view json) {
  HUYGENS_ASSIGN_OR_RETURN(RuleOutside outside, DecodeJson<RuleOutside>(json));
  if (const std::string fault = SubdomainFault(outside.metadata.name); !fault.empty()) {
    return Invalid(Concat("metadata.name: ", fault));
  }
  StatusOr<SchedulingRule> read = ReadSpecOf(json);
  SchedulingRule rule;
  if (read.ok()) {
    rule = *std::move(read);
  } else {
    rule.defect = Message(read.status());
  }
  rule.name = std::move(outside.metadata.name);
  rule.uid = std::move(outside.metadata.uid);
  rule.resource_version = std::move(outside.metadata.resource_version);
  rule.generation = outside.metadata.generation;
  rule.status = std::move(outside.status);
  return rule;
}

}  // namespace huygens::rules
