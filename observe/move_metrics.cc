#include "observe/move_metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

namespace huygens::observe {
namespace {

using Counts = prometheus::Family<prometheus::Counter>;
using Levels = prometheus::Family<prometheus::Gauge>;

Counts& CountsNamed(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}
Levels& LevelsNamed(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
}

void GrowTo(Counts& family, const prometheus::Labels& labels, double total) {
  prometheus::Counter& counter = family.Add(labels);
  counter.Increment(total - counter.Value());
}

// What is not among `now` is 0.
template <typename Words>
void SetEach(Levels& family, const char* label, const Words& words, const MoveTotals::By<int64_t>& now) {
  for (const char* word : words) {
    const auto found = now.find(word);
    family.Add({{label, word}}).Set(found == now.end() ? 0 : static_cast<double>(found->second));
  }
}

constexpr const char* kPhases[] = {"Reserved", "Evicting", "Evicted", "Bound"};
constexpr const char* kCauses[] = {"ceiling", "zones", "model", "rule", "emergency"};

}  // namespace

struct MoveMetrics::Families {
  explicit Families(prometheus::Registry& registry)
      : moves(CountsNamed(registry, "huygens_moves_total", "Moves of pods that ended, by cause and outcome.")),
        landings(CountsNamed(registry, "huygens_move_landings_total",
                             "Replacements of moved pods that were bound, by where: target, elsewhere, source.")),
        evictions(CountsNamed(registry, "huygens_evictions_total",
                              "Evictions sent, dry runs left out, by code of the answer; none: there was none.")),
        stage_seconds(CountsNamed(registry, "huygens_move_stage_seconds_total",
                                  "Seconds that moves took from the eviction until the replacement was bound, and from "
                                  "there until it was Ready.")),
        stages(CountsNamed(registry, "huygens_move_stages_total", "How many moves these seconds are of.")),
        limits(CountsNamed(registry, "huygens_move_limit_total",
                           "How often a limit held a planned move back when it was asked.")),
        plans(CountsNamed(registry, "huygens_move_plans_total", "Searches for pods that stand wrong.")),
        plan_seconds(CountsNamed(registry, "huygens_move_plan_seconds_total",
                                 "Seconds of the decision thread that these searches took.")),
        in_flight(LevelsNamed(registry, "huygens_moves_in_flight", "Moves under way, by phase.")),
        queue(LevelsNamed(registry, "huygens_move_queue", "Planned moves that have not begun, by cause.")),
        hot_nodes(LevelsNamed(registry, "huygens_move_hot_nodes",
                              "Nodes above a ceiling at some time of the week, at the last search.")),
        unrecovered(LevelsNamed(registry, "huygens_moves_unrecovered",
                                "Replacements of moves that failed within a day and that are missing or not Ready.")),
        breaker(LevelsNamed(registry, "huygens_move_breaker_open", "1: too many moves failed, and none begins.")),
        leads(LevelsNamed(registry, "huygens_move_leader", "1: this instance moves pods.")) {}
  Counts& moves;
  Counts& landings;
  Counts& evictions;
  Counts& stage_seconds;
  Counts& stages;
  Counts& limits;
  Counts& plans;
  Counts& plan_seconds;
  Levels& in_flight;
  Levels& queue;
  Levels& hot_nodes;
  Levels& unrecovered;
  Levels& breaker;
  Levels& leads;
};

MoveMetrics::MoveMetrics(prometheus::Registry& registry) : families_(std::make_unique<Families>(registry)) {}
MoveMetrics::~MoveMetrics() = default;

void MoveMetrics::Set(const MoveTotals& totals) {
  Families& to = *families_;
  for (const auto& [what, count] : totals.moves)
    GrowTo(to.moves, {{"cause", what.first}, {"outcome", what.second}}, static_cast<double>(count));
  for (const auto& [where, count] : totals.landings)
    GrowTo(to.landings, {{"where", where}}, static_cast<double>(count));
  for (const auto& [code, count] : totals.evictions) GrowTo(to.evictions, {{"code", code}}, static_cast<double>(count));
  for (const auto& [stage, sum] : totals.stages) {
    GrowTo(to.stages, {{"stage", stage}}, static_cast<double>(sum.first));
    GrowTo(to.stage_seconds, {{"stage", stage}}, sum.second);
  }
  for (const auto& [limit, count] : totals.limits) GrowTo(to.limits, {{"limit", limit}}, static_cast<double>(count));
  GrowTo(to.plans, {}, static_cast<double>(totals.plans));
  GrowTo(to.plan_seconds, {}, totals.plan_seconds);
  SetEach(to.in_flight, "phase", kPhases, totals.in_flight);
  SetEach(to.queue, "cause", kCauses, totals.queue);
  to.hot_nodes.Add({}).Set(static_cast<double>(totals.hot_nodes));
  to.unrecovered.Add({}).Set(static_cast<double>(totals.unrecovered));
  to.breaker.Add({}).Set(totals.breaker_open ? 1 : 0);
  to.leads.Add({}).Set(totals.leads ? 1 : 0);
}

}  // namespace huygens::observe
