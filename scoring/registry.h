// Every term by the name it has in the configuration's `prioritize.terms`. A new term is a file of its own and one line
// in registry.cc.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "policy/registry.h"
#include "scoring/term.h"

namespace huygens::scoring {

using policy::Sources;

struct TermEntry {
  std::string_view name;
  std::unique_ptr<Term> (*make)(const Sources& sources);
  // Not null: the term means resources by weight, from 1; one without a weight has 1.
  std::unique_ptr<Term> (*make_weighted)(const Sources& sources, ResourceVector weights) = nullptr;
  // Not null: the term has a form in which one resource decides.
  std::unique_ptr<Term> (*make_dominant)(const Sources& sources, ResourceVector weights) = nullptr;
};

std::span<const TermEntry> KnownTerms();
// Null if no term bears this name.
const TermEntry* FindTerm(std::string_view name);

}  // namespace huygens::scoring
