// What the parts of a rule are made of, read with the faults an API server would find. Any thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/label_selector.h"
#include "base/status.h"
#include "json/reader.h"
#include "rules/tree.h"

namespace huygens::rules {

// Ok where `fault` is empty.
Status FaultStatus(std::string_view fault);

Status ReadTexts(JsonReader& in, std::vector<std::string>& out);
// A text, or a number as YAML has it without quotes.
Status ReadTextOrNumber(JsonReader& in, std::string& out);
// matchLabels and matchExpressions, and nothing else.
Status ReadSelector(JsonReader& in, LabelSelector& out);
Status ReadMatchLabels(JsonReader& in, LabelSelector& out);
Status ReadMatchExpressions(JsonReader& in, LabelSelector& out);

// The next value as it is, once `check(JsonReader&) -> Status` has read all of it.
template <typename Check>
Status ReadChecked(JsonReader& in, Tree& out, Check&& check) {
  const char* begin = in.position();
  HUYGENS_RETURN_IF_ERROR(check(in));
  HUYGENS_ASSIGN_OR_RETURN(out, Tree::Parse({begin, static_cast<size_t>(in.position() - begin)}));
  return absl::OkStatus();
}

// Each element of a list, of at most `most`.
template <typename Check>
Status ReadCheckedList(JsonReader& in, std::vector<Tree>& out, size_t most, Check&& check) {
  out.clear();
  return in.Elements([&](size_t index) -> Status {
    if (index == most) return Invalid(Concat("more than ", std::to_string(most)));
    return ReadChecked(in, out.emplace_back(), check);
  });
}

Status CheckToleration(JsonReader& in);
Status CheckTaint(JsonReader& in);
Status CheckSpread(JsonReader& in);
Status CheckNodeRequirement(JsonReader& in);
Status CheckPreferredNodes(JsonReader& in);
Status CheckPodTerm(JsonReader& in);
Status CheckPreferredPodTerm(JsonReader& in);

}  // namespace huygens::rules
