#include "kube/yaml_json.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "base/text.h"
#include "json/append.h"

namespace huygens::kube {
namespace {

constexpr size_t kMaxText = size_t{64} << 20;
constexpr int kMaxDepth = 60;

Status At(const YAML::Node& node, std::string_view message) {
  return Invalid(Concat("line ", std::to_string(LineOf(node)), ": ", message));
}

// [-]digits[.digits][(e|E)[+-]digits] without leading zeros: what JSON and YAML both read as a number.
bool IsJsonNumber(std::string_view text) {
  const auto digits = [&] {
    size_t count = 0;
    while (count < text.size() && std::isdigit(static_cast<unsigned char>(text[count])) != 0) ++count;
    const bool leading_zero = count > 1 && text.front() == '0';
    text.remove_prefix(count);
    return std::pair(count, leading_zero);
  };
  if (text.starts_with('-')) text.remove_prefix(1);
  const auto [whole, leading_zero] = digits();
  if (whole == 0 || leading_zero) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (digits().first == 0) return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    if (digits().first == 0) return false;
  }
  return text.empty();
}

void AppendScalar(std::string& out, const YAML::Node& node) {
  const std::string& text = node.Scalar();
  const bool plain = node.Tag() == "?" || node.Tag().empty();
  const auto is = [&](std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), text) != words.end();
  };
  if (!plain) return AppendJsonString(out, text);
  if (is({"", "~", "null", "Null", "NULL"})) {
    out += "null";
  } else if (is({"true", "True", "TRUE"})) {
    out += "true";
  } else if (is({"false", "False", "FALSE"})) {
    out += "false";
  } else if (IsJsonNumber(text)) {
    out += text;
  } else {
    AppendJsonString(out, text);
  }
}

class Writer {
 public:
  explicit Writer(std::string& out) : out_(out), limit_(out.size() + kMaxText) {}

  Status Value(const YAML::Node& node, int depth) {
    if (depth > kMaxDepth) return At(node, "nested too deeply");
    if (out_.size() > limit_) return At(node, "the document is too large, counting its aliases");
    switch (node.Type()) {
      case YAML::NodeType::Undefined:
      case YAML::NodeType::Null:
        out_ += "null";
        return absl::OkStatus();
      case YAML::NodeType::Scalar:
        AppendScalar(out_, node);
        return absl::OkStatus();
      case YAML::NodeType::Sequence:
        return Sequence(node, depth);
      case YAML::NodeType::Map:
        return Map(node, depth);
    }
    return absl::OkStatus();
  }

 private:
  Status Sequence(const YAML::Node& node, int depth) {
    out_ += '[';
    for (const YAML::Node& item : node) {
      if (out_.back() != '[') out_ += ',';
      HUYGENS_RETURN_IF_ERROR(Value(item, depth + 1));
    }
    out_ += ']';
    return absl::OkStatus();
  }

  using Members = std::vector<std::pair<std::string, YAML::Node>>;

  // The members of a map; those that it merges come last and only where it has none of that name itself.
  Status Collect(const YAML::Node& node, Members& members, bool merged, int depth) {
    if (depth > kMaxDepth) return At(node, "nested too deeply");
    std::vector<YAML::Node> merges;
    const size_t own = members.size();
    for (const auto& member : node) {
      if (!member.first.IsScalar()) return At(member.first, "a key must be text");
      const std::string& key = member.first.Scalar();
      if (key == "<<" && member.first.Tag() == "?") {
        merges.push_back(member.second);
        continue;
      }
      const auto same = [&](const auto& known) { return known.first == key; };
      if (std::any_of(members.begin() + static_cast<ptrdiff_t>(merged ? own : 0), members.end(), same)) {
        return At(member.first, Concat("the key ", key, " occurs twice"));
      }
      if (merged && std::any_of(members.begin(), members.end(), same)) continue;
      members.emplace_back(key, member.second);
    }
    for (const YAML::Node& merge : merges) {
      if (merge.IsMap()) {
        HUYGENS_RETURN_IF_ERROR(Collect(merge, members, true, depth + 1));
      } else if (merge.IsSequence()) {
        for (const YAML::Node& each : merge) {
          if (!each.IsMap()) return At(each, "only maps can be merged");
          HUYGENS_RETURN_IF_ERROR(Collect(each, members, true, depth + 1));
        }
      } else {
        return At(merge, "only maps can be merged");
      }
    }
    return absl::OkStatus();
  }

  Status Map(const YAML::Node& node, int depth) {
    Members members;
    HUYGENS_RETURN_IF_ERROR(Collect(node, members, false, depth));
    out_ += '{';
    for (const auto& [key, value] : members) {
      if (out_.back() != '{') out_ += ',';
      AppendJsonString(out_, key);
      out_ += ':';
      HUYGENS_RETURN_IF_ERROR(Value(value, depth + 1));
    }
    out_ += '}';
    return absl::OkStatus();
  }

  std::string& out_;
  size_t limit_;
};

}  // namespace

int LineOf(const YAML::Node& node) { return node.Mark().line + 1; }

Status AppendYamlAsJson(std::string& out, const YAML::Node& node) { return Writer(out).Value(node, 0); }

}  // namespace huygens::kube
