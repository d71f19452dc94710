// What one MutatingAdmissionPolicy says about the objects of one kind: for each rule whether it is for the object, for
// each value which rule gives it, and the JSON patch of all. Its CEL decides as rules/editor.h and its like do, so that
// the webhook, which comes after the API server, finds nothing left to do. Pure; any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/kinds.h"
#include "rules/rule.h"

namespace huygens::rule_policies {

class PolicyWriter {
 public:
  // `rules` in the order in which they are applied; `kind` and they must outlive it.
  PolicyWriter(const rules::KnownKind& kind, std::vector<const rules::SchedulingRule*> rules);

  // Each with its name; an expression may use those before it.
  const std::vector<std::pair<std::string, std::string>>& variables() const { return variables_; }
  // The one expression of the patch.
  const std::string& patch() const { return patch_; }

 private:
  // A text that rules set: a label, a name in the spec, the value of a taint.
  struct TextPlace {
    std::string field;                 // as the record has it
    std::string present;               // CEL: whether the object has it
    std::string value;                 // CEL: what it has, where it has it
    std::optional<std::string> unset;  // a value that counts as none
    std::string open = "true";         // CEL: whether rules may set it at all
    // CEL: a list of patches, where `condition` holds, that set it to what `value` says.
    std::function<std::vector<std::string>(const std::string& condition, const std::string& value)> set;
  };
  struct TextOffer {
    size_t rule = 0;
    std::string value;
    std::string replaces;  // CEL: whether it may replace what the object says
  };
  // An element of a list of which Kubernetes takes one of its identity.
  struct ListOffer {
    size_t rule = 0;
    const rules::Tree* item = nullptr;
  };
  struct ListPlace {
    std::string list;     // CEL
    std::string pointer;  // JSON pointer of the list
    std::function<std::string(const rules::Tree& item)> identity;
    std::function<std::string(const rules::Tree& item, std::string_view element)> same;   // CEL: of that identity
    std::function<std::string(const rules::Tree& item, std::string_view element)> equal;  // CEL: and all else, too
  };

  std::string Variable(std::string_view stem, const std::string& expression);
  std::string Matches(size_t rule) const;      // CEL
  std::string MatchesSpec(size_t rule) const;  // and the pod can still be told where to go
  std::string PodPath(std::string_view member) const;
  std::string PodPointer(std::string_view member) const;
  void MakeParent(const std::string& absent, const std::string& condition, const std::string& pointer,
                  std::string_view empty);

  void WriteFacts();
  void WriteMatches();
  void WriteMetadata();
  void WriteSpec();
  void WriteTexts(const TextPlace& place, const std::vector<TextOffer>& offers);
  void WriteTexts(const std::string& map, std::string_view section, bool of_labels);
  void WriteSpecText(std::string_view member, std::string rules::Injection::* text, std::string unset);
  void WriteTaints();
  void WriteList(const ListPlace& place, const std::vector<ListOffer>& offers);
  void WriteTolerations();
  void WriteSpread();
  void WriteAffinity();
  void WriteRequiredNodes(const std::string& holder, const std::string& pointer);
  void WriteTerms(const std::string& holder, const std::string& pointer, std::string_view list,
                  std::vector<rules::Tree> rules::Injection::* terms);
  void WriteRecord();

  const rules::KnownKind& kind_;
  const std::vector<const rules::SchedulingRule*> rules_;
  std::vector<std::pair<std::string, std::string>> variables_;
  std::vector<std::string> parents_, patches_;               // CEL: lists of patches, the former first
  std::vector<std::pair<std::string, std::string>> before_;  // field, CEL of its entry in the record or ''
  std::vector<std::vector<std::string>> in_effect_;          // of each rule, CEL: any of them
  std::vector<std::string> annotated_;                       // CEL: whether annotations are set on the object itself
  std::string patch_;
};

}  // namespace huygens::rule_policies
