// What policies of recommending requests are worth on recorded use: each sees a part of every series, chooses one
// request, and is judged by what comes after it. The figures are those of recommend/outcome.h.
//
// Usage: huygens_recommend_bench FOLDER [--seed=N] [--part=0|1]     (bench/recommend/series.h says what a folder holds)
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>

#include "bench/recommend/series.h"
#include "recommend/histogram.h"
#include "recommend/outcome.h"
#include "recommend/profile.h"

namespace huygens::recommend {

namespace {

constexpr Duration kDay = std::chrono::hours(24);
constexpr Time kStart = Time(std::chrono::sys_days(std::chrono::year(2026) / 3 / 2));

// What a policy sees of one series, and what several policies make of it.
class Seen {
 public:
  Seen(const Trace& trace, const std::vector<double>& values)
      : trace_(trace), values_(values), day_(std::max<size_t>(1, static_cast<size_t>(86'400 / trace.step))) {}

  double scale() const { return trace_.scale; }
  double Percentile(Duration half_life, double share) const {
    return HistogramOf(half_life).Percentile(share) / trace_.scale;
  }
  double Peak(size_t days) const { return *std::max_element(values_.end() - Last(days), values_.end()); }
  double Peak() const { return *std::max_element(values_.begin(), values_.end()); }
  double Mean() const {
    double sum = 0;
    for (const double value : values_) sum += value;
    return sum / static_cast<double>(values_.size());
  }
  // Of all values alike, between two of them in proportion.
  double Flat(double share) const { return Quantile(values_, share); }
  // The second highest of the last seven days' P95.
  double SecondDaily() const {
    const size_t days = std::clamp<size_t>(values_.size() / day_, 1, 7);
    std::vector<double> highs;
    for (size_t d = 0; d < days; ++d) {
      if (values_.size() < day_) return Flat(0.95);
      const auto end = values_.end() - static_cast<std::ptrdiff_t>(d * day_);
      highs.push_back(Quantile({end - static_cast<std::ptrdiff_t>(day_), end}, 0.95));
    }
    std::sort(highs.begin(), highs.end());
    return highs.size() > 1 ? highs[highs.size() - 2] : highs[0];
  }

 private:
  std::ptrdiff_t Last(size_t days) const { return static_cast<std::ptrdiff_t>(std::min(values_.size(), days * day_)); }

  static double Quantile(std::vector<double> values, double share) {
    std::sort(values.begin(), values.end());
    const double place = share * static_cast<double>(values.size() - 1);
    const auto below = static_cast<size_t>(place);
    const double above = values[std::min(below + 1, values.size() - 1)];
    return values[below] + (above - values[below]) * (place - std::floor(place));
  }

  const Histogram& HistogramOf(Duration half_life) const {
    static const std::shared_ptr<const Buckets> buckets = std::make_shared<const Buckets>(Buckets::Cpu());
    const auto [at, added] = histograms_.try_emplace(half_life, HistogramOptions{buckets, half_life});
    for (size_t i = 0; added && i < values_.size(); ++i) {
      const std::chrono::duration<double> since(static_cast<double>(i) * trace_.step);
      const Time time = kStart + std::chrono::duration_cast<Duration>(since);
      const Status status = at->second.Add(values_[i] * trace_.scale, 1, time);
      if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
    }
    return at->second;
  }

  const Trace& trace_;
  const std::vector<double>& values_;
  const size_t day_;
  mutable std::map<Duration, Histogram> histograms_;
};

struct Policy {
  const char* name;
  std::function<double(const Seen&)> request;
};

Policy ByPercentile(const char* name, int half_lives_hours, double share, double factor = 1) {
  return {name,
          [=](const Seen& seen) { return factor * seen.Percentile(std::chrono::hours(half_lives_hours), share); }};
}

Policy ByProfile(const char* name, const Profile& profile) {
  return {name, [=](const Seen& seen) {
            return seen.Percentile(profile.half_life, profile.cpu_percentile) * static_cast<double>(profile.expansion) /
                   kOne;
          }};
}

std::vector<Policy> Policies() {
  return {
      {"peak of all that is seen", [](const Seen& seen) { return seen.Peak(); }},
      {"peak of the last 7 days", [](const Seen& seen) { return seen.Peak(7); }},
      {"peak of the last day", [](const Seen& seen) { return seen.Peak(1); }},
      {"mean x 1.5", [](const Seen& seen) { return 1.5 * seen.Mean(); }},
      {"flat P95", [](const Seen& seen) { return seen.Flat(0.95); }},
      {"flat P99", [](const Seen& seen) { return seen.Flat(0.99); }},
      {"VPA's target (P90, 24 h, x 1.15)",
       [](const Seen& seen) { return std::max(1.15 * seen.Percentile(kDay, 0.9), 0.025 / seen.scale()); }},
      ByPercentile("VPA's upper bound (P95, 24 h, x 1.15)", 24, 0.95, 1.15),
      ByPercentile("vivo's model (P95, 24 h)", 24, 0.95),
      ByPercentile("vivo's, x 1.1", 24, 0.95, 1.1),
      ByProfile("profile daily (vivo's, x 1.2)", kDaily),
      ByPercentile("P95, 72 h", 72, 0.95),
      ByPercentile("P95, 72 h, x 1.1", 72, 0.95, 1.1),
      ByPercentile("P96, 72 h, x 1.1", 72, 0.96, 1.1),
      ByProfile("profile weekly, the default", kWeekly),
      {"(P95, 72 h + 2nd daily P95) / 2, x 1.12",
       [](const Seen& seen) { return 1.12 * 0.5 * (seen.Percentile(3 * kDay, 0.95) + seen.SecondDaily()); }},
      ByPercentile("P98, 72 h, x 1.1", 72, 0.98, 1.1),
      ByPercentile("P99, 24 h", 24, 0.99),
      ByPercentile("P99, 168 h", 168, 0.99),
      ByPercentile("crane's (P99, 24 h, x 1.15)", 24, 0.99, 1.15),
      {"P95, 24 h, but 80 % of the 7-day peak",
       [](const Seen& seen) { return std::max(seen.Percentile(kDay, 0.95), 0.8 * seen.Peak(7)); }},
  };
}

void Report(const Trace& trace) {
  const std::vector<Policy> policies = Policies();
  std::vector<Outcome> outcomes(policies.size());
  for (const Case& each : trace.cases) {
    const Seen seen(trace, each.seen);
    for (size_t i = 0; i < policies.size(); ++i) outcomes[i].Add(policies[i].request(seen), each.judged);
  }
  std::printf("\n%s: %zu series\n%-42s %7s %9s %9s %8s %8s %9s\n", trace.name.c_str(), trace.cases.size(), "request",
              "slack", "exceeded", "deficit", "hit>5 %", "peak>2r", "by peak");
  for (size_t i = 0; i < policies.size() && !trace.cases.empty(); ++i) {
    const Outcome& outcome = outcomes[i];
    std::printf("%-42s %7.3f %7.2f %% %7.3f %% %6.1f %% %6.2f %% %9.3f\n", policies[i].name, outcome.slack(),
                100 * outcome.exceeded(), 100 * outcome.deficit(), 100 * outcome.hit(), 100 * outcome.short_peaks(),
                outcome.by_peak());
  }
}

int Run(int argc, char** argv) {
  std::string folder;
  TraceOptions options;
  bool good = true;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const auto number = [&](std::string_view flag, auto& value) {
      if (!argument.starts_with(flag)) return false;
      const std::string_view text = argument.substr(flag.size());
      good = good && std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc();
      return true;
    };
    if (number("--seed=", options.seed) || number("--part=", options.part)) continue;
    good = good && folder.empty() && !argument.starts_with("-");
    folder = argument;
  }
  if (folder.empty() || !good || options.part > 1) {
    return std::fprintf(stderr, "usage: huygens_recommend_bench FOLDER [--seed=N] [--part=0|1]\n"), 2;
  }
  const StatusOr<std::vector<Trace>> traces = ReadTraces(folder, options);
  if (absl::IsNotFound(traces.status())) {
    return std::printf("SKIPPED recommendations (%s)\n", traces.status().ToString().c_str()), 0;
  }
  if (!traces.ok()) return std::fprintf(stderr, "%s\n", traces.status().ToString().c_str()), 1;
  for (const Trace& trace : *traces) Report(trace);
  return 0;
}

}  // namespace
}  // namespace huygens::recommend

int main(int argc, char** argv) { return huygens::recommend::Run(argc, argv); }
