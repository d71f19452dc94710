#include "recommendation_api/recommendation_template.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "json/document.h"
#include "json/reader.h"

namespace huygens::recommendation_api {

namespace {

constexpr Duration kLongestHalfLife = std::chrono::hours(24 * 365);

Status ReadTexts(JsonReader& in, std::vector<std::string>& out) {
  return ReadList(in, out, [&](std::string& each) { return in.Read(each); });
}

Status ReadExpression(JsonReader& in, LabelSelector& out) {
  std::string key, operation;
  std::vector<std::string> values;
  HUYGENS_RETURN_IF_ERROR(
      in.Fields("key", key, "operator", operation, "values", [&] { return ReadTexts(in, values); }));
  HUYGENS_ASSIGN_OR_RETURN(LabelRequirement requirement, LabelSelector::Requirement(key, operation, std::move(values)));
  out.requirements.push_back(std::move(requirement));
  return absl::OkStatus();
}

Status ReadSelector(JsonReader& in, LabelSelector& out) {
  return in.Fields(
      "matchLabels",
      [&] {
        return in.Members([&](const JsonKey& key) -> Status {
          const std::string name(key.text);
          std::string value;
          HUYGENS_RETURN_IF_ERROR(in.Read(value));
          HUYGENS_ASSIGN_OR_RETURN(LabelRequirement requirement,
                                   LabelSelector::Requirement(name, "In", {std::move(value)}));
          out.requirements.push_back(std::move(requirement));
          return absl::OkStatus();
        });
      },
      "matchExpressions", [&] { return in.Elements([&](size_t) { return ReadExpression(in, out); }); });
}

Status ReadShare(JsonReader& in, std::optional<double>& out) {
  if (in.SkipNull()) return absl::OkStatus();
  double share = 0;
  HUYGENS_RETURN_IF_ERROR(in.Read(share));
  if (!(share > 0 && share <= 1)) return Invalid("must be above 0 and at most 1");
  out = share;
  return absl::OkStatus();
}

Status ReadHalfLife(JsonReader& in, std::optional<Duration>& out) {
  std::string text;
  HUYGENS_RETURN_IF_ERROR(in.Read(text));
  if (text.empty()) return absl::OkStatus();
  HUYGENS_ASSIGN_OR_RETURN(const Duration half_life, ParseDuration(text));
  if (half_life < std::chrono::minutes(1) || half_life > kLongestHalfLife) {
    return Invalid("must be from 1m to a year");
  }
  out = half_life;
  return absl::OkStatus();
}

Status ReadPolicy(JsonReader& in, TemplatePolicy& out) {
  HUYGENS_RETURN_IF_ERROR(in.Fields(
      "profile", out.profile, "halfLife", [&] { return ReadHalfLife(in, out.half_life); }, "cpuPercentile",
      [&] { return ReadShare(in, out.cpu_percentile); }, "memoryPercentile",
      [&] { return ReadShare(in, out.memory_percentile); }));
  if (out.profile.empty() || out.profile == "weekly" || out.profile == "daily") return absl::OkStatus();
  return Invalid(Concat("profile: must be weekly or daily, not ", CutText(out.profile, 32)));
}

Status ReadSpec(JsonReader& in, RecommendationTemplate& out) {
  std::string dimension;
  HUYGENS_RETURN_IF_ERROR(in.Fields(
      "namespaces", [&] { return ReadTexts(in, out.namespaces); }, "selector",
      [&] { return ReadSelector(in, out.selector); }, "kinds", [&] { return ReadTexts(in, out.kinds); }, "dimension",
      dimension, "policy", [&] { return ReadPolicy(in, out.policy); }));
  if (dimension.empty()) return absl::OkStatus();
  const std::optional<Dimension> known = DimensionOf(dimension);
  if (!known) return Invalid(Concat("dimension: there is no ", CutText(dimension, 32)));
  out.dimension = *known;
  return absl::OkStatus();
}

// Without the spec: for one whose spec cannot be read.
struct Outside {
  Metadata metadata;
  TemplateStatus status;

  static void Describe(auto& self, auto& fields) {
    fields.Always("metadata", self.metadata);
    fields.Always("status", self.status);
  }
};

}  // namespace

bool RecommendationTemplate::Selects(std::string_view namespace_name, LabelLookup labels) const {
  const bool here = namespaces.empty() || std::ranges::find(namespaces, namespace_name) != namespaces.end();
  return here && defect.empty() && selector.Matches(labels);
}

StatusOr<RecommendationTemplate> DecodeRecommendationTemplate(std::string_view json) {
  HUYGENS_ASSIGN_OR_RETURN(Outside outside, DecodeJson<Outside>(json));
  if (outside.metadata.name.empty()) return Invalid("metadata.name is missing");
  const auto read = [](JsonReader& in, RecommendationTemplate& out) {
    return in.Fields("spec", [&] { return ReadSpec(in, out); });
  };
  StatusOr<RecommendationTemplate> object = DecodeObject<RecommendationTemplate>(json, read);
  RecommendationTemplate result;
  if (object.ok()) {
    result = *std::move(object);
  } else {
    result.defect = Message(object.status());
  }
  result.metadata = std::move(outside.metadata);
  result.status = std::move(outside.status);
  return result;
}

std::string EncodeTemplateStatus(const RecommendationTemplate& object) {
  std::string out = Concat(R"({"apiVersion":")", kApiVersion, R"(","kind":")", kTemplateKind, R"(","metadata":)");
  AppendJson(out, object.metadata);
  out += R"(,"status":)";
  AppendJson(out, object.status);
  out += '}';
  return out;
}

recommend::Profile ProfileWith(const TemplatePolicy& policy, recommend::Profile of_the_pool) {
  recommend::Profile profile = of_the_pool;
  if (policy.profile == "weekly") profile = recommend::kWeekly;
  if (policy.profile == "daily") profile = recommend::kDaily;
  profile.expansion = of_the_pool.expansion;  // who applies goes by the pool alone
  if (policy.half_life) profile.half_life = *policy.half_life;
  if (policy.cpu_percentile) profile.cpu_percentile = *policy.cpu_percentile;
  if (policy.memory_percentile) profile.memory_percentile = *policy.memory_percentile;
  return profile;
}

}  // namespace huygens::recommendation_api
