// What the sources said of nodes and zones, query by query, and how often in a row they have not said it any more. A
// source that fails, says nothing at all, or says two things of one zone says nothing that may be acted on. Pure; owned
// by one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "base/status.h"
#include "base/text.h"
#include "base/time.h"

namespace huygens::real_capacity {

// Of a whole node, where a query is of nodes and not of zones.
inline constexpr int kWholeNode = -1;

struct Fact {
  std::string node;
  int zone = kWholeNode;
  double value = 0;  // as the source has it, NaN and infinity too
};

// Of one query. `status` failed: whatever else is in it does not count.
struct Answer {
  Status status;
  Time at;  // when this was so
  std::vector<Fact> facts;
};

struct Reading {
  enum class State : uint8_t {
    kUnknown,    // the source failed: `why`
    kAmbiguous,  // it said two things of the zone: `why`
    kAbsent,     // it answered well and did not name the zone, `answers` times in a row
    kValue
  };
  State state = State::kUnknown;
  std::string why;
  uint64_t answers = 0;
  double value = 0;
  Time at;
};

class QueryFacts {
 public:
  // `per_zone`: its facts are of zones, else of nodes as wholes.
  QueryFacts(std::string name, bool per_zone) : name_(std::move(name)), per_zone_(per_zone) {}

  // The next answer, in the order in which they were asked for. One without any fact is none: what made the facts is
  // broken more likely than all zones are gone.
  void Take(const Answer& answer);
  Reading Of(std::string_view node, int zone) const;

  const std::string& name() const { return name_; }
  bool per_zone() const { return per_zone_; }
  // Why the last answer cannot be used; empty: it can, or there was none yet.
  const std::string& fault() const { return fault_; }
  // When the last answer that could be used was given.
  std::optional<Time> answered() const { return answered_; }
  // Each zone that the last answer named (kWholeNode: the node), where that could be used.
  void ForEach(absl::FunctionRef<void(std::string_view node, int zone)> visit) const;

 private:
  struct Known {
    double value = 0;
    uint64_t answer = 0;  // the last one that named it
    bool twice = false;   // by that
  };

  const std::string name_;
  const bool per_zone_;
  std::map<std::string, std::map<int, Known>, std::less<>> nodes_;
  uint64_t good_ = 0;    // answers that could be used
  uint64_t failed_ = 0;  // good_ as it was when one last could not
  std::optional<Time> answered_;
  std::string fault_;
};

}  // namespace huygens::real_capacity
