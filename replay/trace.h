// The public trace of the Alibaba Global Scheduling Contest 2018, preliminary round, data set B: 9338 applications,
// 68 224 instances of them, 6000 machines of two models, and which applications disturb each other. Use is given at 98
// points of 15 minutes for CPU and memory; disk and the counts P, M and PM are constant. Every instance of an
// application uses the same.
//
// Files, gzip-compressed CSV without header lines: app_resources (app, curve of cores, curve of GB, disk, P, M, PM;
// points separated by |), machine_resources (machine, cores, GB, disk, P, M, PM), instance_deploy (instance, app,
// first machine or nothing), app_interference (A, B, k).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "base/status.h"

namespace huygens::replay {

inline constexpr size_t kPoints = 98;
inline constexpr std::array kTraceResources = {"cpu", "memory", "disk", "p", "m", "pm"};
inline constexpr size_t kTraceCpu = 0;
inline constexpr size_t kTraceMemory = 1;

struct App {
  std::string name;
  std::array<std::vector<double>, kTraceResources.size()> use;  // of one instance, by point
  // A machine with an instance of this application may have at most so many of that other one, by its number. An entry
  // for the application itself counts all its instances there: the data's k, and the one that is there already.
  std::vector<std::pair<uint32_t, uint32_t>> at_most;
};

struct Machine {
  std::string name;
  std::array<double, kTraceResources.size()> capacity{};
};

struct Trace {
  std::vector<App> apps;
  std::vector<Machine> machines;            // as in the file: the small model, then the large
  std::vector<uint32_t> instances;          // the application of each, by its number, as in the file
  std::vector<std::string> first_machines;  // of each, its name; empty: none
};

// Errors name the file and the line.
StatusOr<Trace> ReadTrace(const std::string& folder);

// Calls `each` with the cells of each line of a file that is not empty; what it refuses is an error that names the line.
Status ReadLines(const std::string& path, size_t cells,
                 absl::FunctionRef<bool(const std::vector<std::string_view>& cells)> each);
// A finite number of at least 0; nothing: it is none.
std::optional<double> ReadNumber(std::string_view text);

}  // namespace huygens::replay
