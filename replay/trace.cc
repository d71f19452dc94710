#include "replay/trace.h"

#include <charconv>
#include <cmath>
#include <string_view>

#include "base/text.h"
#include "replay/gzip_file.h"

namespace huygens::replay {

namespace {

constexpr double kMostAtOnce = 1e9;

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// One value for all points, or one for each.
bool ReadCurve(std::string_view text, std::vector<double>& curve) {
  const std::vector<std::string_view> points = Split(text, '|');
  if (points.size() != 1 && points.size() != kPoints) return false;
  curve.reserve(kPoints);
  for (std::string_view point : points) {
    const std::optional<double> use = ReadNumber(point);
    if (!use) return false;
    curve.push_back(*use);
  }
  curve.resize(kPoints, curve.front());
  return true;
}

}  // namespace

std::optional<double> ReadNumber(std::string_view text) {
  double value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && std::isfinite(value) && value >= 0 ? std::optional(value) : std::nullopt;
}

Status ReadLines(const std::string& path, size_t cells,
                 absl::FunctionRef<bool(const std::vector<std::string_view>& cells)> each) {
  HUYGENS_ASSIGN_OR_RETURN(const std::string text, ReadGzip(path));
  size_t number = 0;
  for (std::string_view line : Split(text, '\n')) {
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    const std::vector<std::string_view> parts = Split(line, ',');
    if (parts.size() != cells || !each(parts)) {
      return absl::DataLossError(Concat(path, ":", std::to_string(number), " cannot be understood"));
    }
  }
  return absl::OkStatus();
}

StatusOr<Trace> ReadTrace(const std::string& folder) {
  Trace trace;
  TextMap<uint32_t> numbers;
  constexpr size_t kResources = kTraceResources.size();
  HUYGENS_RETURN_IF_ERROR(ReadLines(folder + "/app_resources.csv.gz", 1 + kResources, [&](const auto& cells) {
    App& app = trace.apps.emplace_back();
    app.name = cells[0];
    bool good = numbers.emplace(app.name, static_cast<uint32_t>(trace.apps.size() - 1)).second;
    for (size_t r = 0; r < kResources; ++r) good = good && ReadCurve(cells[1 + r], app.use[r]);
    return good;
  }));
  HUYGENS_RETURN_IF_ERROR(ReadLines(folder + "/machine_resources.csv.gz", 1 + kResources, [&](const auto& cells) {
    Machine& machine = trace.machines.emplace_back();
    machine.name = cells[0];
    for (size_t r = 0; r < kResources; ++r) {
      const std::optional<double> capacity = ReadNumber(cells[1 + r]);
      if (!capacity) return false;
      machine.capacity[r] = *capacity;
    }
    return true;
  }));
  HUYGENS_RETURN_IF_ERROR(ReadLines(folder + "/instance_deploy.csv.gz", 3, [&](const auto& cells) {
    const auto app = numbers.find(cells[1]);
    if (app == numbers.end()) return false;
    trace.instances.push_back(app->second);
    trace.first_machines.emplace_back(cells[2]);
    return true;
  }));
  HUYGENS_RETURN_IF_ERROR(ReadLines(folder + "/app_interference.csv.gz", 3, [&](const auto& cells) {
    const auto present = numbers.find(cells[0]);
    const auto limited = numbers.find(cells[1]);
    const std::optional<double> most = ReadNumber(cells[2]);
    if (present == numbers.end() || limited == numbers.end() || !most || *most > kMostAtOnce) return false;
    const bool itself = present == limited;
    trace.apps[present->second].at_most.emplace_back(limited->second, static_cast<uint32_t>(*most) + (itself ? 1 : 0));
    return true;
  }));
  return trace;
}

}  // namespace huygens::replay
