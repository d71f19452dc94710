// What an object says of the rules that were applied to it, in two annotations. `applied` names the rules with their
// versions. `before` has each single value that a rule replaced, and by what, so that rules always start from what the
// object said before any rule: applied twice is applied once, a factor does not grow with each write, and what a rule set
// goes when the rule goes. A value that somebody else has changed since is left to him. Any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/tree.h"

namespace huygens::rules {

inline constexpr std::string_view kAppliedAnnotation = "rules.huygens.dev/applied";
inline constexpr std::string_view kBeforeAnnotation = "rules.huygens.dev/before";

struct AppliedRule {
  std::string name;
  std::string version;  // the generation of the rule
  friend bool operator==(const AppliedRule&, const AppliedRule&) = default;
};

// "spread@3,taint@1"; parts that are no such thing are passed over, for anybody may write annotations.
std::vector<AppliedRule> ReadApplied(std::string_view text);
// By name.
std::string AppliedText(std::vector<AppliedRule> rules);

struct Replaced {
  std::string field;                  // "labels/pool", "requests/CONTAINER/cpu"
  std::optional<std::string> before;  // nothing: it was not there
  std::string set;
  friend bool operator==(const Replaced&, const Replaced&) = default;
};

class Before {
 public:
  // Empty where the text is none of ours.
  static Before Read(std::string_view text);

  const Replaced* Find(std::string_view field) const;
  void Remember(Replaced replaced);
  const std::vector<Replaced>& all() const { return all_; }
  // Empty where there is nothing.
  std::string Text() const;

 private:
  std::vector<Replaced> all_;  // by field
};

}  // namespace huygens::rules
