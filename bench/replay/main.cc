// What placement by real usage buys, on a public trace (replay/trace.h): the same instances in the same order,
// placed by huygens' decision core by what it is told of their use, on the first machine that fits or the best by
// score. What came of it is counted from the raw data, not by huygens (replay/outcome.h).
//
// Usage: huygens_replay_bench FOLDER [lowered]      the trace's files; lowered: only the part with lowered requests
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string_view>

#include "replay/replay.h"

namespace huygens::replay {

namespace {

constexpr size_t kMachinesOfBestCost = 4805;  // in use by the assignment behind the lower bound of cost

// Disk and the counts hardly matter to the score.
std::vector<placement::WeightedTerm> LeastUsedAndBalanced() {
  const ResourceVector weights{{kCpu, 1000}, {kMemory, 1000}};
  return {{"LeastUsed", 1, weights}, {"Balanced", 1, weights}};
}

class Report {
 public:
  explicit Report(const Trace& trace) : trace_(trace) {}

  void Heading(const char* text) const {
    std::printf("\n%-54s %8s %8s %8s %6s %6s %6s %9s %7s\n", text, "machines", "cores", "unplaced", ">65 %", ">80 %",
                ">100 %", "cost", "minimum");
  }

  std::optional<Outcome> Line(const char* what, const ReplayOptions& options) const {
    const StatusOr<Assignment> assignment = Replay(trace_, options);
    if (!assignment.ok()) {
      std::printf("%s: %s\n", what, assignment.status().ToString().c_str());
      return std::nullopt;
    }
    const Outcome outcome = Count(trace_, *assignment);
    std::printf("%-54s %8zu %8.0f %8zu %6zu %6zu %6zu %9.1f x %5.3f\n", what, outcome.machines, outcome.cores,
                outcome.unplaced, outcome.over_65, outcome.over_80, outcome.over_100, outcome.cost,
                outcome.cost / kCostLowerBound);
    if (outcome.overfull > 0) std::printf("  %zu machines have too little of another resource\n", outcome.overfull);
    if (options.anti_affinity) std::printf("  %zu broken rules of anti-affinity\n", outcome.conflicts);
    std::fflush(stdout);
    return outcome;
  }

 private:
  const Trace& trace_;
};

void OtherOrders(const Trace& trace, const char* what, ReplayOptions options) {
  std::vector<double> cores;
  size_t over = 0;
  for (options.seed = 1; options.seed <= 5; ++options.seed) {
    const StatusOr<Assignment> assignment = Replay(trace, options);
    if (!assignment.ok()) return;
    const Outcome outcome = Count(trace, *assignment);
    cores.push_back(outcome.cores);
    over += outcome.over_80;
  }
  std::sort(cores.begin(), cores.end());
  std::printf("%-54s %.0f to %.0f cores, median %.0f; %zu machines over 80 %%\n", what, cores.front(), cores.back(),
              cores[cores.size() / 2], over);
}

// What instances ask for is lowered to what is recommended for them, and the usage check has the last word.
void WithLoweredRequests(const Report& report) {
  report.Heading("by lowered requests, on the first machine that fits");
  ReplayOptions options{.requests = Requests::kRecommended, .usage_check = false};
  report.Line("requests as recommended", options);
  options.usage_check = true;
  report.Line("as recommended, peakOfSum, ceiling 80 %", options);

  report.Heading("the same on the best machine, one more when none fits");
  options = {.requests = Requests::kWritten, .usage_check = false, .terms = LeastUsedAndBalanced(), .grow = true};
  report.Line("requests as written", options);
  options.requests = Requests::kRecommended;
  report.Line("requests as recommended", options);
  options.usage_check = true;
  report.Line("as recommended, peakOfSum, ceiling 80 %", options);
  options.requests = Requests::kWritten;
  report.Line("as written, peakOfSum, ceiling 80 %", options);
}

int Run(int argc, char** argv) {
  const bool lowered_only = argc == 3 && std::string_view(argv[2]) == "lowered";
  if (argc != 2 && !lowered_only) return std::fprintf(stderr, "usage: huygens_replay_bench FOLDER [lowered]\n"), 2;
  const auto start = std::chrono::steady_clock::now();
  const StatusOr<Trace> trace = ReadTrace(argv[1]);
  if (!trace.ok()) return std::printf("SKIPPED placement (%s)\n", trace.status().ToString().c_str()), 0;
  std::printf("%zu applications, %zu instances in one random order, %zu machines, %zu points\n", trace->apps.size(),
              trace->instances.size(), trace->machines.size(), kPoints);

  Report report(*trace);
  if (lowered_only) return WithLoweredRequests(report), 0;

  using Estimator = usage::Estimator;
  const ReplayOptions curves;
  ReplayOptions peaks;
  peaks.estimator = Estimator::kSumOfPeaks;

  report.Heading("on the first machine that fits, the largest first");
  ReplayOptions requests{.knowledge = Knowledge::kRequested, .cpu_ceiling = usage::kMillion};
  report.Line("requests", requests);
  requests.oversold = 2;
  report.Line("requests, oversold by 2", requests);
  report.Line("use at the trough, to 80 %", {.knowledge = Knowledge::kAtTrough});
  report.Line("mean use, to 80 %", {.knowledge = Knowledge::kMean});
  report.Line("sumOfPeaks, ceiling 80 %", peaks);
  report.Line("peakOfSum, ceiling 80 %", curves);

  report.Heading("on the best machine by LeastUsed and Balanced");
  ReplayOptions scored{.terms = LeastUsedAndBalanced()};
  ReplayOptions trough = scored;
  trough.knowledge = Knowledge::kAtTrough;
  trough.machines = 4400;
  report.Line("use at the trough, to 80 %, 4400 machines", trough);
  report.Line("peakOfSum, ceiling 80 %, all machines", scored);
  scored.machines = kMachinesOfBestCost;
  report.Line("peakOfSum, ceiling 80 %, 4805 machines", scored);
  ReplayOptions growing{.terms = LeastUsedAndBalanced(), .grow = true};
  report.Line("peakOfSum, ceiling 80 %, a machine more when none fits", growing);

  report.Heading("with the trace's rules of anti-affinity");
  ReplayOptions apart = peaks;
  apart.anti_affinity = true;
  report.Line("sumOfPeaks, ceiling 80 %, first fit", apart);
  apart.estimator = Estimator::kPeakOfSum;
  report.Line("peakOfSum, ceiling 80 %, first fit", apart);
  growing.anti_affinity = true;
  report.Line("peakOfSum, ceiling 80 %, score, a machine more ...", growing);

  WithLoweredRequests(report);

  std::printf("\n");
  OtherOrders(*trace, "sumOfPeaks, first fit, five other orders:", peaks);
  OtherOrders(*trace, "peakOfSum, first fit, five other orders:", curves);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::printf("%.0f s\n", seconds.count());
  return 0;
}

}  // namespace
}  // namespace huygens::replay

int main(int argc, char** argv) { return huygens::replay::Run(argc, argv); }
