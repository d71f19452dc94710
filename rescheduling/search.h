// One search of the planner: violations, then moves that cure them, in steps (planner.h). Decision thread only.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rescheduling/planner.h"
#include "rescheduling/relief.h"
#include "rescheduling/violations.h"
#include "rescheduling/zone_relief.h"

namespace huygens::rescheduling {

class Planner::Search {
 public:
  Search(placement::Placement& placement, const Facts& facts, PlannerOptions options);

  void Begin(Time now, const std::vector<Violation>& rules);
  bool Step(Time now);
  bool planning() const { return stage_ != Stage::kIdle; }
  Readiness Recheck(const Move& move, Time now);

  std::deque<Move> queue;
  std::vector<Stuck> stuck;  // of the last search that ended
  size_t hot_nodes = 0;      // likewise

 private:
  enum class Stage : uint8_t {
    kIdle,
    kQueue,      // what earlier moves will change
    kScan,       // violations, node by node
    kOrders,     // nodes by their share, one resource at a time
    kMisplaced,  // pods that should leave whatever their node uses
    kZones,      // nodes whose zones hold too much
    kHot,        // nodes above a ceiling, the hottest first
  };
  void Do(int64_t& budget, Time now);
  void TakeInQueue(int64_t& budget);
  void Scan(int64_t& budget, Time now);
  void DoMisplaced(int64_t& budget, Time now);
  void DoZones(int64_t& budget, Time now);
  void DoHot(int64_t& budget, Time now);
  void End();
  // Whether the plan is to be made once more, with targets that leave more room for large pods.
  bool TryAgain();
  void Next(Stage stage);
  bool IsPlanned(std::string_view uid) const;
  std::vector<std::shared_ptr<const Leaver>> Movable(NodeIndex node) const;
  // True: there may be more to do for this pod.
  bool SearchFor(const std::shared_ptr<const Leaver>& leaver, std::optional<int> max_zones, int64_t& budget, Time now);
  void StuckAt(NodeIndex node, const cluster::Pod* pod, Cause cause, std::string_view reason);
  void Reset(Time now);
  Move MoveOf(const Draft::Step& step);
  bool StillViolates(const Move& move, const cluster::PlacedPod& placed, Time now);
  size_t RankBy() const;

  placement::Placement& placement_;
  const Facts& facts_;
  const PlannerOptions options_;
  // A plan is made with the lowest targets first, and where that takes clearly more moves than have to be, or leaves
  // nodes hot, with comfortable ones; the better one counts.
  struct Attempt {
    std::vector<Draft::Step> steps;
    std::vector<Stuck> stuck;
    size_t stuck_hot = 0;
  };
  std::optional<Attempt> first_;
  int64_t comfort_ = 0;
  size_t least_ = 0, stuck_hot_ = 0;  // moves that the hot nodes take at least; nodes that stay hot
  Time began_{};
  Stage stage_ = Stage::kIdle;
  Draft draft_;
  std::vector<NodesByShare> orders_;  // by resource
  Relief relief_;
  ZoneRelief zone_relief_;
  TargetSearch target_;
  TextMap<std::string> rules_;  // by UID
  Violations found_;
  std::vector<Stuck> stuck_;
  size_t hot_nodes_ = 0;
  size_t next_ = 0;                       // in what the stage goes through
  size_t kept_steps_ = 0;                 // of the draft, which are in the queue already
  bool under_way_ = false;                // relief_ or target_ are about the one at next_
  std::shared_ptr<const Leaver> leaver_;  // target_ is about it
  size_t steps_before_pass_ = 0;
  uint64_t last_number_ = 0;
};

}  // namespace huygens::rescheduling
