#include "rules/read_values.h"

#include "rules/names.h"
#include "rules/strict_fields.h"

namespace huygens::rules {

namespace {

Status ReadExpression(JsonReader& in, LabelSelector& out) {
  std::string key, operation;
  std::vector<std::string> values;
  HUYGENS_RETURN_IF_ERROR(
      StrictFields(in, "key", key, "operator", operation, "values", [&] { return ReadTexts(in, values); }));
  HUYGENS_RETURN_IF_ERROR(FaultStatus(QualifiedNameFault(key)));
  HUYGENS_ASSIGN_OR_RETURN(LabelRequirement requirement, LabelSelector::Requirement(key, operation, std::move(values)));
  out.requirements.push_back(std::move(requirement));
  return absl::OkStatus();
}

}  // namespace

Status FaultStatus(std::string_view fault) { return fault.empty() ? absl::OkStatus() : Invalid(fault); }

Status ReadTexts(JsonReader& in, std::vector<std::string>& out) {
  return ReadList(in, out, [&](std::string& each) {
    return in.Next() == JsonType::kString ? in.Read(each) : in.Unexpected("a string");
  });
}

Status ReadTextOrNumber(JsonReader& in, std::string& out) {
  if (in.Next() != JsonType::kNumber) return in.Read(out);
  out = in.Skip();
  return absl::OkStatus();
}

Status ReadMatchLabels(JsonReader& in, LabelSelector& out) {
  return in.Members([&](const JsonKey& key) -> Status {
    const std::string name(key.text);
    std::string value;
    HUYGENS_RETURN_IF_ERROR(in.Read(value));
    HUYGENS_RETURN_IF_ERROR(FaultStatus(QualifiedNameFault(name)));
    HUYGENS_ASSIGN_OR_RETURN(LabelRequirement requirement, LabelSelector::Requirement(name, "In", {std::move(value)}));
    out.requirements.push_back(std::move(requirement));
    return absl::OkStatus();
  });
}

Status ReadMatchExpressions(JsonReader& in, LabelSelector& out) {
  return in.Elements([&](size_t) { return ReadExpression(in, out); });
}

Status ReadSelector(JsonReader& in, LabelSelector& out) {
  if (in.Next() != JsonType::kObject) return in.Unexpected("an object");
  return StrictFields(
      in, "matchLabels", [&] { return ReadMatchLabels(in, out); }, "matchExpressions",
      [&] { return ReadMatchExpressions(in, out); });
}

}  // namespace huygens::rules
