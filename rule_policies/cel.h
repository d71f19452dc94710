// Pieces of CEL, the language of a MutatingAdmissionPolicy. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rules/tree.h"

namespace huygens::rule_policies {

// "it's" with quotes and escapes.
std::string CelText(std::string_view text);
// ['a', 'b']
std::string CelTexts(const std::vector<std::string>& texts);
// A value as maps and lists whose members are all dyn(...): CEL wants members of one type otherwise, and kube-apiserver
// 1.36 drops the connection over a list of typed objects in a patch:
// reflect.Set of a *structpb.Struct where a *structpb.Value is wanted.
std::string CelValue(const rules::Tree& value);

// Joined in parentheses; the word for none is that of an empty conjunction or disjunction.
std::string All(const std::vector<std::string>& conditions);
std::string Any(const std::vector<std::string>& conditions);
std::string Not(std::string_view condition);
// A sum of lists, in a balanced tree: the parser of CEL takes nothing that is nested more than 250 deep.
std::string SumOf(const std::vector<std::string>& lists);

// CONDITION ? [PATCH] : []
std::string PatchIf(std::string_view condition, std::string_view operation, std::string_view path_expression,
                    std::string_view value_expression = {});

}  // namespace huygens::rule_policies
