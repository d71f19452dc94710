#include "observe/process_metrics.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace huygens::observe {

namespace {

using prometheus::MetricFamily;
using prometheus::MetricType;

void Append(std::vector<MetricFamily>& families, const char* name, const char* help, MetricType type, double value) {
  prometheus::ClientMetric metric;
  (type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
  families.push_back({name, help, type, {std::move(metric)}});
}

// Fields 23 and 24 of /proc/self/stat (proc(5)), counted after the name in parentheses, which may hold blanks.
bool ReadStat(double& virtual_bytes, double& resident_bytes, double& start_ticks) {
  std::ifstream in("/proc/self/stat");
  std::string text;
  if (!std::getline(in, text)) return false;
  size_t name_end = text.rfind(')');
  if (name_end == text.npos) return false;
  long long start = 0;
  long long size = 0;
  long long pages = 0;
  int read = std::sscanf(text.c_str() + name_end + 1,
                         " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %lld %lld %lld",
                         &start, &size, &pages);
  if (read != 3) return false;
  start_ticks = static_cast<double>(start);
  virtual_bytes = static_cast<double>(size);
  resident_bytes = static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE));
  return true;
}

bool ReadBootTime(double& seconds) {
  std::ifstream in("/proc/stat");
  std::string word;
  while (in >> word) {
    if (word == "btime") return static_cast<bool>(in >> seconds);
    std::getline(in, word);
  }
  return false;
}

bool CountOpenFiles(double& count) {
  std::error_code error;
  std::filesystem::directory_iterator files("/proc/self/fd", error);
  count = -1;  // the descriptor that reads this
  for (; !error && files != std::filesystem::directory_iterator(); files.increment(error)) ++count;
  return !error;
}

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

void AppendProcessMetrics(std::vector<MetricFamily>& families) {
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    Append(families, "process_cpu_seconds_total", "CPU time used, user and system.", MetricType::Counter,
           Seconds(usage.ru_utime) + Seconds(usage.ru_stime));
  }
  double virtual_bytes = 0;
  double resident_bytes = 0;
  double start_ticks = 0;
  double boot = 0;
  if (ReadStat(virtual_bytes, resident_bytes, start_ticks)) {
    Append(families, "process_resident_memory_bytes", "Resident memory.", MetricType::Gauge, resident_bytes);
    Append(families, "process_virtual_memory_bytes", "Virtual memory.", MetricType::Gauge, virtual_bytes);
    if (ReadBootTime(boot)) {
      Append(families, "process_start_time_seconds", "When the process started, in seconds since 1970.",
             MetricType::Gauge, boot + start_ticks / static_cast<double>(sysconf(_SC_CLK_TCK)));
    }
  }
  double open_files = 0;
  if (CountOpenFiles(open_files))
    Append(families, "process_open_fds", "Open file descriptors.", MetricType::Gauge, open_files);
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    Append(families, "process_max_fds", "Most file descriptors that may be open.", MetricType::Gauge,
           static_cast<double>(limit.rlim_cur));
  }
}

}  // namespace huygens::observe
