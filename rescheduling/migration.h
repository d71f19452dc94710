// What became of a move: the part of a PodMigration object that limits and reports are counted from. Pure; whoever
// reads and writes the objects fills it in.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "rescheduling/move.h"

namespace huygens::rescheduling {

enum class Outcome : uint8_t {
  kUnderWay,
  kSucceeded,  // the replacement is Ready
  kFailed,     // no replacement, or it is not Ready, within its time: tried again later
  kAbandoned,  // given up before anybody was evicted: no failure
};
std::string_view Name(Outcome outcome);

// Where the replacement was bound.
enum class Landed : uint8_t { kNowhere, kTarget, kElsewhere, kSource };
std::string_view Name(Landed landed);

struct Migration {
  std::string uid;  // of the object
  Move move;
  size_t replicas = 0;           // of the workload, when it began
  Time created;                  // room was held on the target: from here on it is in flight
  std::optional<Time> evicted;   // the API server said yes
  std::optional<Time> bound;     // the replacement was
  std::optional<Time> finished;  // Ready, failed or abandoned
  Outcome outcome = Outcome::kUnderWay;
  std::string reason;  // of a failure, one word: "NotReady"
  Landed landed = Landed::kNowhere;
  int attempts = 1;  // this one included
};

}  // namespace huygens::rescheduling
