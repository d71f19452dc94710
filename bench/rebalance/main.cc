// What the planner of moves (rescheduling/) makes of a cluster with machines above their CPU ceiling: a state of the
// benchmark "rebalance" (replay/rebalance_state.h), from a public trace. What became of it is counted from the raw data,
// not by huygens (replay/machine_use.h).
//
// Usage: huygens_rebalance_bench FOLDER [TRACE]   a state; TRACE: the trace that it is laid over, else FOLDER/../../tianchi2018b
//        huygens_rebalance_bench                  time and memory of a plan for 10 000 nodes, made up
#include <cmath>
#include <cstdio>
#include <random>

#include "bench/rebalance/large.h"
#include "replay/rebalance.h"

namespace huygens::replay {
namespace {

constexpr int kWeeks = 5;
constexpr double kNoise = 0.1;

// The same everywhere, as std::normal_distribution is not.
double Normal(std::mt19937_64& dice) {
  const auto uniform = [&] { return (static_cast<double>(dice() >> 11) + 0.5) / 9007199254740992.0; };
  const double radius = std::sqrt(-2 * std::log(uniform()));
  return radius * std::cos(2 * 3.14159265358979323846 * uniform());
}

void Heading() {
  std::printf("%-22s %6s %6s %6s %8s %9s %9s %8s %7s %7s %8s %9s\n", "", "moves", "twice", "hot", "points", "made hot",
              "at end", "refused", "of app", "rounds", "plan s", "step ms");
}

void Line(const char* what, const RebalanceOutcome& outcome) {
  std::printf("%-22s %6zu %6zu %6zu %8zu %9zu %9zu %8zu %7zu %7zu %8.3f %9.3f\n", what, outcome.moves,
              outcome.moved_twice, outcome.hot_left, outcome.hot_points_left, outcome.made_hot, outcome.made_hot_end,
              outcome.rules_broken, outcome.most_of_app, outcome.rounds, outcome.plan_seconds,
              outcome.longest_step_seconds * 1000);
  for (const auto& [reason, count] : outcome.stuck) std::printf("    %zu nodes stay hot: %s\n", count, reason.c_str());
  std::fflush(stdout);
}

Status NoisyWeeks(const RebalanceState& settled) {
  std::mt19937_64 dice(1);
  RebalanceState week = settled;
  size_t moves = 0;
  for (int w = 1; w <= kWeeks; ++w) {
    for (size_t a = 0; a < week.trace.apps.size(); ++a) {
      const double factor = std::exp(kNoise * Normal(dice));
      auto& use = week.trace.apps[a].use[kTraceCpu];
      for (size_t p = 0; p < use.size(); ++p) use[p] = settled.trace.apps[a].use[kTraceCpu][p] * factor;
    }
    HUYGENS_ASSIGN_OR_RETURN(const RebalanceOutcome outcome, RunRebalance(week, nullptr));
    Line(Concat("noisy week ", std::to_string(w)).c_str(), outcome);
    moves += outcome.moves;
  }
  std::printf("%zu moves in %d weeks, each application's CPU times e^N(0, %.1f)\n", moves, kWeeks, kNoise);
  return absl::OkStatus();
}

Status Run(const std::string& folder, const std::string& trace) {
  HUYGENS_ASSIGN_OR_RETURN(const RebalanceState state, ReadRebalanceState(folder, trace));
  const MachineUse use(state);
  size_t machines = 0, pods = 0, hot = 0, points = 0;
  for (uint32_t m = 0; m < state.trace.machines.size(); ++m) {
    machines += state.exists[m] ? 1 : 0;
    hot += use.IsHot(m) ? 1 : 0;
    points += use.HotPoints(m);
  }
  for (const auto& on : state.on) pods += on ? 1 : 0;
  std::printf("%s: %zu machines, %zu instances, ceiling %.2f, %zu machines hot at %zu points\n", state.name.c_str(),
              machines, pods, state.cpu_ceiling, hot, points);
  const Bound bound = FewestMoves(state, use, false), movable = FewestMoves(state, use, true);
  std::printf("bound %zu; bound* %zu, %zu machines hopeless\n", bound.moves, movable.moves, movable.hopeless);

  Heading();
  RebalanceState settled = state;
  HUYGENS_ASSIGN_OR_RETURN(const RebalanceOutcome at_once, RunRebalance(settled, nullptr));
  Line("no limits", at_once);
  {
    RebalanceState paced = state;
    const rescheduling::LimitOptions limits;
    HUYGENS_ASSIGN_OR_RETURN(const RebalanceOutcome outcome, RunRebalance(paced, &limits));
    Line("default limits", outcome);
  }
  if (at_once.hot_left > machines / 10) return absl::OkStatus();  // nothing to settle
  return NoisyWeeks(settled);
}

}  // namespace
}  // namespace huygens::replay

int main(int argc, char** argv) {
  if (argc > 3 || (argc > 1 && argv[1][0] == '-')) {
    std::fprintf(stderr, "usage: huygens_rebalance_bench [FOLDER [TRACE]]\n");
    return 2;
  }
  if (argc == 1) return huygens::bench::PlanForLargeCluster();
  const std::string folder = argv[1];
  const std::string trace = argc > 2 ? argv[2] : folder + "/../../tianchi2018b";
  const huygens::Status status = huygens::replay::Run(folder, trace);
  if (status.ok()) return 0;
  std::fprintf(stderr, "huygens_rebalance_bench: %s\n", status.ToString().c_str());
  return 1;
}
