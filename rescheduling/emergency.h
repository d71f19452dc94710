// Nodes that use too much CPU right now, whatever the week says, and one pod for each that should leave at once. A node
// acts from two polls in a row above the high water mark until one below the low one; figures that are not fresh begin
// and continue nothing. Of CPU alone, which takes effect at once and harms nobody when it was wrong.
//
// Who leaves: the smallest pod that brings the node below the low mark, else the largest that has a target. A target
// stays below the low mark now and at or under its ceilings all week, and passes all checks. What pods use now is read
// from their weekly curves, whose open slot has what was measured last.
//
//   every minute: emergency.Poll(now); if (emergency.Begin(now)) while (emergency.Step(now)) {}  then Take()
// Decision thread only; steps as the planner's.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rescheduling/target_search.h"

namespace huygens::rescheduling {

struct EmergencyOptions {
  int64_t high = 900'000, low = 800'000;  // water marks: shares of a node's real allocatable CPU, in millionths
  int polls = 2;
  int64_t step = 40'000;  // as PlannerOptions
};

class Emergency {
 public:
  // Both must outlive it.
  Emergency(placement::Placement& placement, const Facts& facts, EmergencyOptions options = {});
  ~Emergency();

  // Looks at what was measured since the last poll.
  void Poll(Time now);
  // The names of the nodes that act, in order.
  std::vector<std::string> acting() const;
  bool Acts(std::string_view node) const;

  // Chooses a move for each node that acts and that moves under way do not bring below the low mark, the hottest first.
  // False: there is none.
  bool Begin(Time now);
  bool Step(Time now);
  std::vector<Move> Take() { return std::exchange(moves_, {}); }
  // Nodes that act and for which Step found nobody who may leave and has a target.
  const std::vector<std::string>& helpless() const { return helpless_; }

 private:
  class Calm;  // facts: targets that stay calm now
  struct Water {
    Time measured;  // of the newest that counts
    int above = 0;  // polls in a row
    bool acts = false;
  };
  struct Hot {
    NodeIndex node = 0;
    int64_t excess = 0;  // above the low mark
    double share = 0;
  };
  int64_t NowOf(const Load& load, Time now) const;
  // What moves that are under way will take off the node.
  int64_t Leaving(NodeIndex node, Time now) const;
  void ListChoices(Time now);

  placement::Placement& placement_;
  const Facts& facts_;
  const EmergencyOptions options_;
  std::optional<size_t> cpu_;  // resource; nothing: its use is not looked at
  std::map<std::string, Water, std::less<>> water_;
  PlannedUse use_;
  PlannedPods planned_;
  std::unique_ptr<Calm> calm_;
  TargetSearch search_;
  NodesByShare order_;
  std::vector<Hot> hot_;
  size_t next_ = 0;  // in hot_
  struct Choice {
    std::shared_ptr<const cluster::Pod> pod, stand_in;
    Load load;
    int64_t now;
  };
  std::vector<Choice> choices_;  // of hot_[next_]
  size_t choice_ = 0;
  bool listed_ = false, searching_ = false;
  std::vector<Move> moves_;
  std::vector<std::string> helpless_;
  uint64_t last_number_ = 0;
};

}  // namespace huygens::rescheduling
