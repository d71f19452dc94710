// What is made of external facts: which attributes of zones follow from them, by which formula, and how fast they may
// move. Plain values; settings/real_capacity_options.h makes them from the configuration. Amounts are whole thousandths
// of a unit, as in milli-CPUs.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "real_capacity/formula.h"

namespace huygens::real_capacity {

// Names that every formula knows besides those of the queries: CPUs of the zone, as its topology object has them.
inline constexpr size_t kOwnNames = 2;
inline constexpr const char* kOwnNameTexts[kOwnNames] = {"allocatable", "capacity"};
// Beside each attribute stands one with this at its end: since when it is so, in RFC 3339.
inline constexpr char kUpdatedSuffix[] = "_updated";

// `queries` with the names that every formula knows before them: what Formula::Parse is given.
std::vector<std::string> FormulaNames(std::span<const std::string> queries);

enum class Unit : uint8_t {
  kCpu,    // CPUs, written as a quantity of Kubernetes: "14500m"
  kNumber  // anything else, written as a decimal number: "1250.5"
};

struct AttributeRule {
  std::string name;  // "offline_capacity"
  Formula formula;   // over FormulaNames
  Unit unit = Unit::kCpu;
  int64_t step = 0;                   // a change of no more than this is none
  std::optional<int64_t> rise, fall;  // what one write may change it by; absent: anything
  std::optional<int64_t> most;        // a larger amount is not believed; nor is one below zero
  uint64_t vanished_after = 5;        // good answers in a row without a series, before the attribute is removed
};

struct Rules {
  std::vector<AttributeRule> attributes;
  Duration period = std::chrono::minutes(1);   // between two writes of one object, at least
  Duration refresh = std::chrono::minutes(2);  // an amount that stays is written again, for its time; zero: never
};

// An amount as the attribute says it.
std::string AmountText(int64_t thousandths, Unit unit);
// What an attribute says; nothing if that is no number.
std::optional<int64_t> ParseAmount(std::string_view text);

}  // namespace huygens::real_capacity
