#include "rescheduling/planner.h"

#include <algorithm>

#include "rescheduling/search.h"

namespace huygens::rescheduling {

Planner::Planner(placement::Placement& placement, const Facts& facts, PlannerOptions options)
    : search_(std::make_unique<Search>(placement, facts, options)) {}
Planner::~Planner() = default;

void Planner::Begin(Time now, const std::vector<Violation>& rules) { search_->Begin(now, rules); }
bool Planner::Step(Time now) { return search_->Step(now); }
bool Planner::planning() const { return search_->planning(); }
void Planner::Clear() { search_->queue.clear(); }
const std::deque<Move>& Planner::queue() const { return search_->queue; }
Readiness Planner::Recheck(const Move& move, Time now) { return search_->Recheck(move, now); }
void Planner::Remove(uint64_t number) {
  std::erase_if(search_->queue, [&](const Move& move) { return move.number == number; });
}
std::span<const Stuck> Planner::stuck() const { return search_->stuck; }
size_t Planner::hot_nodes() const { return search_->hot_nodes; }

}  // namespace huygens::rescheduling
