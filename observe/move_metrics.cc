#include "observe/move_metrics.h"

#include "observe/families.h"

namespace huygens::observe {
namespace {

// What is not among `now` is 0.
template <typename Words>
void SetEach(GaugeFamily& family, const char* label, const Words& words, const MoveTotals::By<int64_t>& now) {
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
      : moves(CountersNamed(registry, "huygens_moves_total", "Moves of pods that ended, by cause and outcome.")),
        landings(CountersNamed(registry, "huygens_move_landings_total",
                               "Replacements of moved pods that were bound, by where: target, elsewhere, source.")),
        evictions(CountersNamed(registry, "huygens_evictions_total",
                                "Evictions sent, dry runs left out, by code of the answer; none: there was none.")),
        stage_seconds(
            CountersNamed(registry, "huygens_move_stage_seconds_total",
                          "Seconds that moves took from the eviction until the replacement was bound, and from "
                          "there until it was Ready.")),
        stages(CountersNamed(registry, "huygens_move_stages_total", "How many moves these seconds are of.")),
        limits(CountersNamed(registry, "huygens_move_limit_total",
                             "How often a limit held a planned move back when it was asked.")),
        plans(CountersNamed(registry, "huygens_move_plans_total", "Searches for pods that stand wrong.")),
        plan_seconds(CountersNamed(registry, "huygens_move_plan_seconds_total",
                                   "Seconds of the decision thread that these searches took.")),
        in_flight(GaugesNamed(registry, "huygens_moves_in_flight", "Moves under way, by phase.")),
        queue(GaugesNamed(registry, "huygens_move_queue", "Planned moves that have not begun, by cause.")),
        hot_nodes(GaugesNamed(registry, "huygens_move_hot_nodes",
                              "Nodes above a ceiling at some time of the week, at the last search.")),
        unrecovered(GaugesNamed(registry, "huygens_moves_unrecovered",
                                "Replacements of moves that failed within a day and that are missing or not Ready.")),
        breaker(GaugesNamed(registry, "huygens_move_breaker_open", "1: too many moves failed, and none begins.")),
        leads(GaugesNamed(registry, "huygens_move_leader", "1: this instance moves pods.")) {}
  CounterFamily& moves;
  CounterFamily& landings;
  CounterFamily& evictions;
  CounterFamily& stage_seconds;
  CounterFamily& stages;
  CounterFamily& limits;
  CounterFamily& plans;
  CounterFamily& plan_seconds;
  GaugeFamily& in_flight;
  GaugeFamily& queue;
  GaugeFamily& hot_nodes;
  GaugeFamily& unrecovered;
  GaugeFamily& breaker;
  GaugeFamily& leads;
};

MoveMetrics::MoveMetrics(prometheus::Registry& registry) : families_(std::make_unique<Families>(registry)) {}
MoveMetrics::~MoveMetrics() = default;

void MoveMetrics::Set(const MoveTotals& totals) {
  Families& to = *families_;
  for (const auto& [what, count] : totals.moves)
    RaiseTo(to.moves, {{"cause", what.first}, {"outcome", what.second}}, count);
  for (const auto& [where, count] : totals.landings) RaiseTo(to.landings, {{"where", where}}, count);
  for (const auto& [code, count] : totals.evictions) RaiseTo(to.evictions, {{"code", code}}, count);
  for (const auto& [stage, sum] : totals.stages) {
    RaiseTo(to.stages, {{"stage", stage}}, sum.first);
    RaiseTo(to.stage_seconds, {{"stage", stage}}, sum.second);
  }
  for (const auto& [limit, count] : totals.limits) RaiseTo(to.limits, {{"limit", limit}}, count);
  RaiseTo(to.plans, {}, totals.plans);
  RaiseTo(to.plan_seconds, {}, totals.plan_seconds);
  SetEach(to.in_flight, "phase", kPhases, totals.in_flight);
  SetEach(to.queue, "cause", kCauses, totals.queue);
  to.hot_nodes.Add({}).Set(static_cast<double>(totals.hot_nodes));
  to.unrecovered.Add({}).Set(static_cast<double>(totals.unrecovered));
  to.breaker.Add({}).Set(totals.breaker_open ? 1 : 0);
  to.leads.Add({}).Set(totals.leads ? 1 : 0);
}

}  // namespace huygens::observe
