// The options that checks and terms have of their own (policy/rule_options.h), as fields of the configuration; and what
// the registries say of themselves in its comments.
#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/nearest_name.h"
#include "base/text.h"
#include "policy/registry.h"
#include "scoring/registry.h"
#include "settings/walk.h"

namespace huygens::settings {

namespace {

class OptionWalk final : public policy::OptionVisitor {
 public:
  explicit OptionWalk(Walk& walk) : walk_(walk) {}

  void Flag(std::string_view name, bool& value, std::string_view comment) override {
    walk_.Value(name, settings::Flag(value), comment);
  }
  void Integer(std::string_view name, int64_t& value, int64_t least, int64_t most, std::string_view comment) override {
    walk_.Value(name, settings::Integer(value, least, most), comment);
  }
  void Number(std::string_view name, double& value, double least, double most, std::string_view comment) override {
    walk_.Value(name, settings::Number(value, least, most), comment);
  }
  void Share(std::string_view name, double& value, std::string_view comment) override {
    walk_.Value(name, settings::Share(value), comment);
  }
  void Span(std::string_view name, Duration& value, Duration least, Duration most, std::string_view comment) override {
    walk_.Value(name, settings::Span(value, least, most), comment);
  }
  void Text(std::string_view name, std::string& value, std::string_view comment) override {
    walk_.Value(name, settings::Text(value, "text", AnyText), comment);
  }

 private:
  Walk& walk_;
};

template <typename Entry>
void DescribeOptions(Walk& walk, const Entry* entry, std::shared_ptr<policy::RuleOptions>& options) {
  if (entry == nullptr) return walk.Without("options", "");
  if (!entry->options) return walk.Without("options", Concat(entry->name, " has none"));
  if (!options) options = entry->options();
  walk.Section("options", *options, Concat("of ", entry->name));
}

// One for each rule that has options and is not listed.
template <typename Item, typename Entries>
std::vector<Item> Examples(const Entries& entries, const std::vector<Item>& listed) {
  std::vector<Item> examples;
  for (const auto& entry : entries) {
    if (!entry.options || std::ranges::find(listed, entry.name, &Item::name) != listed.end()) continue;
    examples.emplace_back().name = entry.name;
  }
  return examples;
}

template <typename Entries, typename Wanted>
std::vector<std::string_view> NamesOf(const Entries& entries, Wanted wanted) {
  std::vector<std::string_view> names;
  for (const auto& entry : entries) {
    if (wanted(entry)) names.push_back(entry.name);
  }
  return names;
}

constexpr auto kAll = [](const auto&) { return true; };

}  // namespace

void Describe(Walk& walk, policy::RuleOptions& options) {
  OptionWalk option_walk(walk);
  options.Describe(option_walk);
}

void DescribeOptionsOf(Walk& walk, placement::CheckSetting& check) {
  DescribeOptions(walk, policy::FindCheck(check.name), check.options);
}

void DescribeOptionsOf(Walk& walk, TermConfiguration& term) {
  DescribeOptions(walk, scoring::FindTerm(term.name), term.options);
}

std::vector<placement::CheckSetting> OtherChecks(const std::vector<placement::CheckSetting>& listed) {
  return Examples(policy::KnownChecks(), listed);
}

std::vector<TermConfiguration> OtherTerms(const std::vector<TermConfiguration>& listed) {
  return Examples(scoring::KnownTerms(), listed);
}

std::string CheckNames() { return JoinNames(NamesOf(policy::KnownChecks(), kAll), ", "); }

std::string TermNames() { return JoinNames(NamesOf(scoring::KnownTerms(), kAll), ", "); }

std::string WeighingTermNames() {
  std::vector<std::string_view> names =
      NamesOf(scoring::KnownTerms(), [](const auto& entry) { return entry.weighs_resources; });
  const std::string_view last = names.back();
  names.pop_back();
  return names.empty() ? std::string(last) : Concat(JoinNames(names, ", "), " and ", last);
}

std::string WhatTermsMean() {
  std::string text;
  const std::span<const scoring::TermEntry> terms = scoring::KnownTerms();
  for (size_t i = 0; i < terms.size(); ++i) {
    text += terms[i].name;
    const bool last = i + 1 == terms.size();
    if (!last && terms[i + 1].about == terms[i].about) {
      text += ", ";
    } else {
      text += Concat(": ", terms[i].about, last ? "." : "; ");
    }
  }
  return text;
}

}  // namespace huygens::settings
