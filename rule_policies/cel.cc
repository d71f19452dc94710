#include "rule_policies/cel.h"

#include <span>

#include "base/text.h"

namespace huygens::rule_policies {

namespace {

using rules::Tree;

std::string Joined(const std::vector<std::string>& parts, std::string_view between, std::string_view none) {
  if (parts.empty()) return std::string(none);
  if (parts.size() == 1) return parts.front();
  std::string out = "(";
  for (size_t i = 0; i < parts.size(); ++i) out += Concat(i == 0 ? "" : between, parts[i]);
  return out + ")";
}

std::string Sum(std::span<const std::string> lists) {
  if (lists.size() == 1) return lists.front();
  const size_t half = lists.size() / 2;
  return Concat("(", Sum(lists.first(half)), " + ", Sum(lists.subspan(half)), ")");
}

}  // namespace

std::string CelText(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "'";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\'' || c == '\\') {
      out += Concat("\\", std::string_view(&c, 1));
    } else if (byte < 0x20 || byte == 0x7f) {
      out += Concat("\\u00", kHex.substr(byte >> 4, 1), kHex.substr(byte & 0xF, 1));
    } else {
      out += c;
    }
  }
  return out + "'";
}

std::string CelTexts(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (size_t i = 0; i < texts.size(); ++i) out += Concat(i == 0 ? "" : ", ", CelText(texts[i]));
  return out + "]";
}

std::string CelValue(const Tree& value) {
  std::string out;
  switch (value.kind()) {
    case Tree::Kind::kNull:
      return "null";
    case Tree::Kind::kPlain:
      return std::string(value.text());
    case Tree::Kind::kText:
      return CelText(value.text());
    case Tree::Kind::kObject:
      for (const auto& [key, member] : value.members()) {
        if (member.IsNull()) continue;
        out += Concat(out.empty() ? "" : ", ", CelText(key), ": dyn(", CelValue(member), ")");
      }
      return Concat("{", out, "}");
    case Tree::Kind::kList:
      for (const Tree& element : value.elements()) {
        out += Concat(out.empty() ? "" : ", ", "dyn(", CelValue(element), ")");
      }
      return Concat("[", out, "]");
  }
  return out;
}

std::string All(const std::vector<std::string>& conditions) { return Joined(conditions, " && ", "true"); }
std::string Any(const std::vector<std::string>& conditions) { return Joined(conditions, " || ", "false"); }
std::string Not(std::string_view condition) { return Concat("!(", condition, ")"); }

std::string SumOf(const std::vector<std::string>& lists) { return lists.empty() ? "[]" : Sum(lists); }

std::string PatchIf(std::string_view condition, std::string_view operation, std::string_view path_expression,
                    std::string_view value_expression) {
  return Concat("(", condition, " ? [JSONPatch{op: ", CelText(operation), ", path: ", path_expression,
                value_expression.empty() ? "" : ", value: ", value_expression, "}] : [])");
}

}  // namespace huygens::rule_policies
