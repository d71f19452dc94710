#include "rules/record.h"

#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "rules/names.h"

namespace huygens::rules {

namespace {

// More is not of us: as many values as all rules together can set in one object.
constexpr size_t kMostBytes = size_t{64} << 10;

bool IsVersion(std::string_view text) {
  return !text.empty() && text.size() < 20 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::optional<Replaced> ReplacedOf(const Tree::Member& member) {
  const auto& [field, pair] = member;
  if (pair.kind() != Tree::Kind::kList || pair.elements().size() != 2) return std::nullopt;
  const Tree& before = pair.elements()[0];
  const Tree& set = pair.elements()[1];
  if (set.kind() != Tree::Kind::kText || (!before.IsNull() && before.kind() != Tree::Kind::kText)) return std::nullopt;
  Replaced replaced{.field = field, .before = {}, .set = std::string(set.text())};
  if (!before.IsNull()) replaced.before = before.text();
  return replaced;
}

}  // namespace

std::vector<AppliedRule> ReadApplied(std::string_view text) {
  std::vector<AppliedRule> rules;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    const std::string_view part = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    const size_t at = part.find('@');
    if (at == std::string_view::npos) continue;
    AppliedRule rule{std::string(part.substr(0, at)), std::string(part.substr(at + 1))};
    if (SubdomainFault(rule.name).empty() && IsVersion(rule.version)) rules.push_back(std::move(rule));
  }
  return rules;
}

std::string AppliedText(std::vector<AppliedRule> rules) {
  std::ranges::sort(rules, [](const AppliedRule& a, const AppliedRule& b) {
    return std::tie(a.name, a.version) < std::tie(b.name, b.version);
  });
  std::string text;
  for (const AppliedRule& rule : rules) {
    if (!text.empty()) text += ',';
    text += Concat(rule.name, "@", rule.version);
  }
  return text;
}

Before Before::Read(std::string_view text) {
  Before before;
  if (text.empty() || text.size() > kMostBytes) return before;
  const StatusOr<Tree> tree = Tree::Parse(text);
  if (!tree.ok() || tree->kind() != Tree::Kind::kObject) return before;
  for (const Tree::Member& member : tree->members()) {
    if (std::optional<Replaced> replaced = ReplacedOf(member)) before.all_.push_back(*std::move(replaced));
  }
  std::ranges::sort(before.all_, {}, &Replaced::field);
  return before;
}

const Replaced* Before::Find(std::string_view field) const {
  const auto at = std::ranges::lower_bound(all_, field, {}, &Replaced::field);
  return at != all_.end() && at->field == field ? &*at : nullptr;
}

void Before::Remember(Replaced replaced) {
  const auto at = std::ranges::lower_bound(all_, replaced.field, {}, &Replaced::field);
  if (at != all_.end() && at->field == replaced.field) {
    *at = std::move(replaced);
  } else {
    all_.insert(at, std::move(replaced));
  }
}

std::string Before::Text() const {
  if (all_.empty()) return "";
  Tree object = Tree::Object();
  for (const Replaced& each : all_) {
    Tree& pair = object.Set(each.field, Tree::List());
    pair.elements().push_back(each.before ? Tree::Text(*each.before) : Tree());
    pair.elements().push_back(Tree::Text(each.set));
  }
  return object.Json();
}

}  // namespace huygens::rules
