// What a fact is worth, as a small expression over named numbers: "max(0, min(allocatable, capacity - busy * 1.1))".
// Numbers, names, + - * /, min(...), max(...) and parentheses; * and / before + and -, equals from left to right. Pure;
// a formula that was parsed may be worked out by several threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace huygens::real_capacity {

class Formula {
 public:
  static constexpr size_t kLongest = 1000;  // characters
  static constexpr int kDeepest = 50;       // parentheses, calls and signs within each other

  Formula() = default;  // 0
  // `names`: those that there are; a formula knows them by their position. Errors name the place, the name that is
  // nearest and what was expected: "character 5: there is no name bussy; did you mean busy?".
  static StatusOr<Formula> Parse(std::string_view text, std::span<const std::string> names);

  // `values` in the order of `names`. Fails, with the place, on a division by zero and on what no number holds, such as
  // a value that is none.
  StatusOr<double> Evaluate(std::span<const double> values) const;
  // Positions of the names in it, ascending, each once.
  const std::vector<size_t>& names() const { return names_; }

  // A name that a formula can have: letters, digits and _, no digit first, and not one of a function.
  static bool IsName(std::string_view text);

 private:
  enum class Operation : uint8_t { kNumber, kName, kNegate, kAdd, kSubtract, kMultiply, kDivide, kLeast, kGreatest };
  // In the order in which a stack of numbers is worked off.
  struct Step {
    Operation operation = Operation::kNumber;
    size_t place = 0;   // character of the text, from 1
    double number = 0;  // kNumber
    size_t count = 0;   // kName: which; kLeast, kGreatest: of how many
  };
  class Parser;

  std::vector<Step> steps_{Step{}};
  std::vector<size_t> names_;
};

}  // namespace huygens::real_capacity
