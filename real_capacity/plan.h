// What one topology object should say of its zones by the facts, and whether that is to be written now. Never a guess:
// where a source says nothing that can be used, what is written stays with its old time, until whoever reads it finds
// that too old. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "real_capacity/facts.h"
#include "real_capacity/rules.h"

namespace huygens::real_capacity {

using Attributes = std::vector<std::pair<std::string, std::string>>;

// A zone as the object has it.
struct ZoneState {
  std::string name;  // as the object spells it
  int id = 0;
  bool counts = true;                       // of type Node; of others what is ours is taken away
  int64_t capacity = 0, allocatable = 0;    // milli-CPUs
  Attributes attributes;                    // all that it has, whoever wrote them
  std::set<std::string, std::less<>> ours;  // names of those that huygens owns
};

enum class Outcome : uint8_t {
  kNothing,  // there is no such fact, and the zone has no such attribute
  kCurrent,  // as it should be
  kWrite,    // another amount, or the same and its time
  kHeld,     // another amount, but the object was written a moment ago
  kAbsent,   // the source does not name the zone any more, not often enough to be believed
  kRemove,   // not any more, often enough; or no rule is for what huygens owns there
  kStale,    // the source said nothing that can be used
  kRefused   // what the formula gives cannot be
};
inline constexpr size_t kOutcomes = 8;
// As metrics have it: "current".
const char* Name(Outcome outcome);

// Of one attribute of one zone.
struct Finding {
  std::string zone, attribute;
  Outcome outcome = Outcome::kNothing;
  std::string before, after;  // texts of the amount; empty: there is none
  std::string why;            // kAbsent, kRemove, kStale, kRefused, and what a limit made of a jump
};

struct ZonePlan {
  std::string zone;
  Attributes attributes;  // all that huygens is to own there, ordered by name
};

struct Plan {
  bool write = false;
  std::vector<ZonePlan> zones;    // with `write`: all that the object is to have of huygens
  std::vector<Finding> findings;  // but those of kNothing
  std::optional<Duration> again;  // kHeld: how long
};

// `written`: when this process wrote the object last.
Plan PlanFor(const Rules& rules, std::span<const QueryFacts> facts, std::string_view node,
             std::span<const ZoneState> zones, Time now, std::optional<Time> written);

}  // namespace huygens::real_capacity
