#include "base/label_selector.h"

#include <algorithm>

#include "base/text.h"

namespace huygens {

namespace {

using Operation = LabelRequirement::Operation;

bool IsAlphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

bool IsNamePart(std::string_view text) {
  return !text.empty() && text.size() <= 63 && IsAlphanumeric(text.front()) && IsAlphanumeric(text.back()) &&
         std::ranges::all_of(text, [](char c) { return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

Status Judge(const LabelRequirement& requirement) {
  if (std::string fault = LabelKeyFault(requirement.key); !fault.empty()) return Invalid(fault);
  for (const std::string& value : requirement.values) {
    if (std::string fault = LabelValueFault(value); !fault.empty()) return Invalid(fault);
  }
  return absl::OkStatus();
}

// "(a,b)".
StatusOr<std::vector<std::string>> ValuesOf(std::string_view text) {
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') return Invalid("wants values in brackets: (a,b)");
  text = text.substr(1, text.size() - 2);
  std::vector<std::string> values;
  while (true) {
    const size_t comma = text.find(',');
    values.emplace_back(Trim(text.substr(0, comma)));
    if (comma == std::string_view::npos) return values;
    text.remove_prefix(comma + 1);
  }
}

StatusOr<LabelRequirement> ParseRequirement(std::string_view text) {
  if (text.starts_with('!')) return LabelRequirement{std::string(Trim(text.substr(1))), Operation::kDoesNotExist, {}};
  for (const auto& [word, operation] : {std::pair<std::string_view, Operation>(" notin ", Operation::kNotIn),
                                        std::pair<std::string_view, Operation>(" in ", Operation::kIn)}) {
    const size_t at = text.find(word);
    if (at == std::string_view::npos) continue;
    HUYGENS_ASSIGN_OR_RETURN(std::vector<std::string> values, ValuesOf(Trim(text.substr(at + word.size()))));
    return LabelRequirement{std::string(Trim(text.substr(0, at))), operation, std::move(values)};
  }
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) return LabelRequirement{std::string(text), Operation::kExists, {}};
  const bool negated = equals > 0 && text[equals - 1] == '!';
  std::string_view value = text.substr(equals + 1);
  if (!negated && value.starts_with('=')) value.remove_prefix(1);
  return LabelRequirement{std::string(Trim(text.substr(0, equals - (negated ? 1 : 0)))),
                          negated ? Operation::kNotIn : Operation::kIn,
                          {std::string(Trim(value))}};
}

bool Holds(const LabelRequirement& requirement, LabelLookup label) {
  const std::optional<std::string_view> value = label(requirement.key);
  const bool named = value && std::ranges::find(requirement.values, *value) != requirement.values.end();
  switch (requirement.operation) {
    case Operation::kIn:
      return named;
    case Operation::kNotIn:
      return !named;
    case Operation::kExists:
      return value.has_value();
    case Operation::kDoesNotExist:
      return !value.has_value();
  }
  return false;
}

}  // namespace

std::string LabelKeyFault(std::string_view key) {
  const size_t slash = key.find('/');
  const std::string_view prefix = slash == std::string_view::npos ? "" : key.substr(0, slash);
  const std::string_view name = slash == std::string_view::npos ? key : key.substr(slash + 1);
  const bool good = IsNamePart(name) && (slash == std::string_view::npos || (!prefix.empty() && prefix.size() <= 253));
  return good ? "" : Concat("\"", CutText(key, 64), "\" is no key of a label");
}

std::string LabelValueFault(std::string_view value) {
  return value.empty() || IsNamePart(value) ? "" : Concat("\"", CutText(value, 64), "\" is no value of a label");
}

StatusOr<LabelSelector> LabelSelector::Parse(std::string_view text) {
  LabelSelector selector;
  if (Trim(text).empty()) return selector;
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '(') ++depth;
    if (i < text.size() && text[i] == ')') --depth;
    if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
    const std::string_view part = Trim(text.substr(begin, i - begin));
    begin = i + 1;
    StatusOr<LabelRequirement> requirement = ParseRequirement(part);
    const Status fault = requirement.ok() ? Judge(*requirement) : requirement.status();
    if (!fault.ok()) return Annotate(fault, Concat("selector: \"", CutText(part, 64), "\""));
    selector.requirements.push_back(*std::move(requirement));
  }
  return selector;
}

StatusOr<LabelRequirement> LabelSelector::Requirement(std::string_view key, std::string_view operation,
                                                      std::vector<std::string> values) {
  LabelRequirement requirement{std::string(key), Operation::kIn, std::move(values)};
  if (operation == "NotIn") {
    requirement.operation = Operation::kNotIn;
  } else if (operation == "Exists") {
    requirement.operation = Operation::kExists;
  } else if (operation == "DoesNotExist") {
    requirement.operation = Operation::kDoesNotExist;
  } else if (operation != "In") {
    return Invalid(Concat("operator \"", CutText(operation, 32), "\": must be In, NotIn, Exists or DoesNotExist"));
  }
  const bool wants = requirement.operation == Operation::kIn || requirement.operation == Operation::kNotIn;
  if (wants == requirement.values.empty()) {
    return Invalid(Concat(operation, " of ", CutText(key, 64), wants ? " wants values" : " takes no values"));
  }
  HUYGENS_RETURN_IF_ERROR(Judge(requirement));
  return requirement;
}

bool LabelSelector::Matches(LabelLookup label) const {
  return std::ranges::all_of(requirements, [&](const LabelRequirement& each) { return Holds(each, label); });
}

bool LabelSelector::Matches(const Labels& labels) const {
  return Matches([&](std::string_view key) -> std::optional<std::string_view> {
    for (const auto& [name, value] : labels) {
      if (name == key) return value;
    }
    return std::nullopt;
  });
}

}  // namespace huygens
