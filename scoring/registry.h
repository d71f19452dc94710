// Every term by the name it has in the configuration's `prioritize.terms`. A new term is a file of its own, which ends
// with its entry, and one line in registry.cc.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "policy/sources.h"
#include "scoring/term.h"

namespace huygens::scoring {

// Besides what any rule is made of.
struct Sources : policy::Sources {
  ResourceVector weights = {};  // of resources, where the term weighs such; one without a weight has 1
  bool dominant = false;        // of the resources one is to decide, where the term has that form
};

struct TermEntry {
  std::string_view name;
  std::string_view about;  // what makes a node good, in a few words
  policy::Needs needs = {};
  std::unique_ptr<policy::RuleOptions> (*options)() = nullptr;  // with its defaults; null: it has none
  bool weighs_resources = false;
  bool has_dominant_form = false;
  std::unique_ptr<Term> (*make)(const Sources& from);
};

std::span<const TermEntry> KnownTerms();
// Null if no term bears this name.
const TermEntry* FindTerm(std::string_view name);

}  // namespace huygens::scoring
