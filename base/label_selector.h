// Which objects are meant, by their labels: LabelSelector of apimachinery (matchLabels, matchExpressions), and its text as
// kubectl's --selector has it. A selector without requirements matches everything: whoever means nothing must say so
// himself. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "base/status.h"

namespace huygens {

using Labels = std::vector<std::pair<std::string, std::string>>;
// The value of a key, if there is one.
using LabelLookup = absl::FunctionRef<std::optional<std::string_view>(std::string_view key)>;

struct LabelRequirement {
  // An object without the key satisfies kNotIn, as it does kDoesNotExist.
  enum class Operation : uint8_t { kIn, kNotIn, kExists, kDoesNotExist };

  std::string key;
  Operation operation = Operation::kIn;
  std::vector<std::string> values;  // of kIn and kNotIn, at least one
  friend bool operator==(const LabelRequirement&, const LabelRequirement&) = default;
};

struct LabelSelector {
  std::vector<LabelRequirement> requirements;  // all must hold

  // "app=cart,tier!=test,zone in (a,b),!canary,owner". Errors say which requirement cannot be read, and why.
  static StatusOr<LabelSelector> Parse(std::string_view text);
  // "In", "NotIn", "Exists", "DoesNotExist" of matchExpressions, with the values that each wants.
  static StatusOr<LabelRequirement> Requirement(std::string_view key, std::string_view operation,
                                                std::vector<std::string> values);

  bool Matches(LabelLookup label) const;
  bool Matches(const Labels& labels) const;
  friend bool operator==(const LabelSelector&, const LabelSelector&) = default;
};

// A key and a value as Kubernetes takes them; empty: good, else what is wrong.
std::string LabelKeyFault(std::string_view key);
std::string LabelValueFault(std::string_view value);

}  // namespace huygens
