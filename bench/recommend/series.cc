#include "bench/recommend/series.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "bench/recommend/numpy_random.h"
#include "replay/gzip_file.h"

namespace huygens::recommend {

namespace {

namespace fs = std::filesystem;

constexpr size_t kQuarters = 96;  // of an hour, in a day

std::vector<std::string_view> Split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find_first_of(separators, begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// Nothing if one of them is no number, or none that use can be.
std::optional<std::vector<double>> Numbers(const std::vector<std::string_view>& texts) {
  std::vector<double> numbers;
  for (const std::string_view text : texts) {
    double& number = numbers.emplace_back();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    if (!whole || !std::isfinite(number) || number < 0) return std::nullopt;
  }
  return numbers;
}

double MaxOf(const std::vector<double>& values) { return *std::max_element(values.begin(), values.end()); }

std::vector<double> Slice(const std::vector<double>& values, size_t begin, size_t end) {
  return {values.begin() + static_cast<std::ptrdiff_t>(begin), values.begin() + static_cast<std::ptrdiff_t>(end)};
}

Case CutAt(const std::vector<double>& values, size_t at) {
  return {Slice(values, 0, at), Slice(values, at, values.size())};
}

// So many days from one real one: a factor of the day and of weekends, a slow drift, noise, now and then a spike. The
// first day is a Monday.
std::vector<double> MadeDays(const std::vector<double>& day, size_t days, NumpyRandom& random) {
  const double base = random.Uniform(0.85, 1.15), trend = random.Normal(0, 0.01), weekend = random.Uniform(0.55, 1.05);
  std::vector<double> made;
  for (size_t d = 0; d < days; ++d) {
    const double factor =
        base * (1 + trend * static_cast<double>(d)) * (d % 7 >= 5 ? weekend : 1) * random.Lognormal(0, 0.05);
    for (const double use : day) made.push_back(use * factor * random.Lognormal(0, 0.08));
    if (random.Random() >= 0.1) continue;
    const size_t start = d * day.size() + static_cast<size_t>(random.Integer(0, static_cast<int64_t>(day.size()) - 4));
    const auto length = static_cast<size_t>(random.Integer(1, 4));
    const double height = random.Uniform(1.3, 2.5);
    for (size_t i = start; i < start + length; ++i) made[i] *= height;
  }
  return made;
}

StatusOr<std::vector<Trace>> ReadContest(const std::string& path, const TraceOptions& options) {
  HUYGENS_ASSIGN_OR_RETURN(const std::string text, replay::ReadGzip(path));
  std::vector<std::vector<double>> curves;
  size_t row = 0;
  for (const std::string_view line : Split(text, "\n")) {
    const std::vector<std::string_view> cells = Split(line, ",");
    std::optional<std::vector<double>> curve = cells.size() > 1 ? Numbers(Split(cells[1], "|")) : std::nullopt;
    if (!curve || curve->size() < kQuarters) {
      return absl::DataLossError(ToAbsl(Concat(path, ":", std::to_string(row + 1), " cannot be understood")));
    }
    if (row++ % 2 == options.part && MaxOf(*curve) > 0) curves.push_back(*std::move(curve));
  }
  const std::string seed = std::to_string(options.seed), next = std::to_string(options.seed + 1);
  std::vector<Trace> traces = {{"T1: one real day, 16 hours seen, the rest judged", 900, 1, {}},
                               {"T1m: those whose peak is above 1.2 times the mean", 900, 1, {}},
                               {Concat("T2: made fortnight seen, the Monday after it judged, seed ", seed), 900, 1, {}},
                               {Concat("T3: made week seen, the next judged, seed ", next), 900, 1, {}}};
  NumpyRandom fortnights(options.seed), weeks(options.seed + 1);
  for (const std::vector<double>& curve : curves) {
    const std::vector<double> day = Slice(curve, 0, kQuarters);
    traces[0].cases.push_back(CutAt(curve, 64));
    const double mean = std::accumulate(curve.begin(), curve.end(), 0.0) / static_cast<double>(curve.size());
    if (MaxOf(curve) > 1.2 * mean) traces[1].cases.push_back(CutAt(curve, 64));
    traces[2].cases.push_back(CutAt(MadeDays(day, 15, fortnights), 14 * kQuarters));
    traces[3].cases.push_back(CutAt(MadeDays(day, 14, weeks), 7 * kQuarters));
  }
  return traces;
}

StatusOr<std::vector<Trace>> ReadPlanetLab(const std::set<std::string>& days, const TraceOptions& options) {
  constexpr size_t kDay = 288, kSeen = 7;
  std::map<std::string, std::vector<std::vector<double>>> machines;
  for (const std::string& day : days) {
    std::set<std::string> paths;
    std::error_code error;
    for (const fs::directory_entry& file : fs::directory_iterator(day, error)) {
      if (file.is_regular_file()) paths.insert(file.path());
    }
    if (error) return NotFound(Concat(day, ": ", error.message()));
    for (const std::string& path : paths) {
      HUYGENS_ASSIGN_OR_RETURN(const std::string text, replay::ReadGzip(path));
      std::optional<std::vector<double>> percents = Numbers(Split(text, " \t\r\n"));
      if (!percents || percents->size() < kDay) continue;
      percents->resize(kDay);
      for (double& percent : *percents) percent /= 100;
      machines[fs::path(path).filename()].push_back(*std::move(percents));
    }
  }
  Trace trace{"P: PlanetLab's machines of eight days or more, seven seen, the rest judged", 300, 4, {}};
  size_t number = 0;
  for (const auto& [name, of_days] : machines) {
    if (of_days.size() <= kSeen || number++ % 2 != options.part) continue;
    std::vector<double> all;
    for (const std::vector<double>& day : of_days) all.insert(all.end(), day.begin(), day.end());
    trace.cases.push_back(CutAt(all, kSeen * kDay));
  }
  return std::vector<Trace>{std::move(trace)};
}

struct File {
  double step = 0;  // seconds
  std::vector<double> use;
};

// What is more often than once a minute becomes means of minutes. The peak is scaled to 4 cores, since units differ.
StatusOr<File> ReadSeries(const std::string& path) {
  HUYGENS_ASSIGN_OR_RETURN(const std::string text, replay::ReadGzip(path));
  std::vector<double> times, use;
  const std::vector<std::string_view> lines = Split(text, " \t\r\n");
  for (size_t i = 1; i < lines.size(); ++i) {
    const std::optional<std::vector<double>> cells = Numbers(Split(lines[i], ","));
    if (!cells || cells->size() < 2) {
      return absl::DataLossError(ToAbsl(Concat(path, ":", std::to_string(i + 1), " is not \"seconds,use\"")));
    }
    times.push_back((*cells)[0]);
    use.push_back((*cells)[1]);
  }
  if (use.size() < 2) return File{60, {}};
  std::vector<double> steps;
  for (size_t i = 1; i < times.size(); ++i) steps.push_back(times[i] - times[i - 1]);
  std::nth_element(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2), steps.end());
  const double step = std::round(steps[steps.size() / 2]);
  if (step <= 0 || step > 86'400) return Invalid(Concat(path, ": times must rise, by a day at most"));
  if (step < 60) {
    const auto joined = static_cast<size_t>(60 / step);
    std::vector<double> minutes(use.size() / joined);
    for (size_t i = 0; i < minutes.size() * joined; ++i) minutes[i / joined] += use[i] / static_cast<double>(joined);
    use = std::move(minutes);
  }
  const double peak = std::max(use.empty() ? 0 : MaxOf(use), 1e-9);
  for (double& each : use) each *= 4 / peak;
  return File{std::max(step, 60.0), std::move(use)};
}

// Those of one step together.
StatusOr<std::vector<Trace>> ReadFiles(const std::set<std::string>& paths) {
  std::map<double, Trace> by_step;
  for (const std::string& path : paths) {
    HUYGENS_ASSIGN_OR_RETURN(const File file, ReadSeries(path));
    Trace& trace = by_step[file.step];
    trace.name = Concat("C: a file for each series, every ", std::to_string(static_cast<int>(file.step)),
                        " s, all days before seen, the next judged, from the eighth on");
    trace.step = file.step;
    const auto day = static_cast<size_t>(86'400 / file.step);
    for (size_t cut = 7 * day; cut + day <= file.use.size(); cut += day) {
      trace.cases.push_back({Slice(file.use, 0, cut), Slice(file.use, cut, cut + day)});
    }
  }
  std::vector<Trace> traces;
  traces.reserve(by_step.size());
  for (auto& [step, trace] : by_step) traces.push_back(std::move(trace));
  return traces;
}

}  // namespace

StatusOr<std::vector<Trace>> ReadTraces(const std::string& folder, const TraceOptions& options) {
  std::error_code error;
  std::set<std::string> days, files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    if (name == "app_resources.csv.gz") return ReadContest(entry.path(), options);
    if (entry.is_directory() && name.starts_with("2011")) days.insert(entry.path());
    const bool csv = name.ends_with(".csv") || name.ends_with(".csv.gz");
    if (csv && entry.is_regular_file()) files.insert(entry.path());
  }
  if (error) return NotFound(Concat(folder, ": ", error.message()));
  if (!days.empty()) return ReadPlanetLab(days, options);
  if (!files.empty()) return ReadFiles(files);
  return NotFound(Concat(folder, " has neither app_resources.csv.gz nor 2011*/ nor *.csv"));
}

}  // namespace huygens::recommend
