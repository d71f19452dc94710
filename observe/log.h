// The log: one line per event, as key=value or JSON, one write(2) per line. Thread-safe. Never blocks: a line that the
// reader of a full pipe does not take at once is dropped and counted, and the next line says how many were. Lines are
// cut to 4096 bytes, so that those of several processes on one pipe do not mix. Callers keep secrets out of it.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <string>
#include <string_view>
#include <variant>

#include "base/time.h"

namespace huygens::observe {

enum class LogLevel : uint8_t { kDebug, kInfo, kWarn, kError };
enum class LogFormat : uint8_t { kText, kJson };
std::string_view Name(LogLevel level);  // "debug", "info", "warn", "error"

// A key in lower camel case and its value; the views need to hold only during the call.
struct LogField {
  LogField(std::string_view key, std::string_view value) : key(key), value(value) {}
  LogField(std::string_view key, const char* value) : key(key), value(std::string_view(value)) {}
  LogField(std::string_view key, const std::string& value) : key(key), value(std::string_view(value)) {}
  LogField(std::string_view key, std::same_as<bool> auto value) : key(key), value(value) {}
  LogField(std::string_view key, std::integral auto value)
    requires(!std::same_as<decltype(value), bool>)
      : key(key), value(static_cast<int64_t>(value)) {}
  LogField(std::string_view key, std::floating_point auto value) : key(key), value(static_cast<double>(value)) {}
  // In seconds.
  LogField(std::string_view key, Duration value) : key(key), value(std::chrono::duration<double>(value).count()) {}

  std::string_view key;
  std::variant<std::string_view, bool, int64_t, double> value;
};

class Log {
 public:
  using Fields = std::initializer_list<LogField>;
  static constexpr size_t kMaxLineBytes = 4096;  // what POSIX guarantees for one write to a pipe

  // `clock` and `file_descriptor` must outlive the log.
  Log(const Clock& clock, LogLevel level, LogFormat format, int file_descriptor = 2);
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  void Debug(std::string_view event, Fields fields = {}) { Write(LogLevel::kDebug, event, fields); }
  void Info(std::string_view event, Fields fields = {}) { Write(LogLevel::kInfo, event, fields); }
  void Warn(std::string_view event, Fields fields = {}) { Write(LogLevel::kWarn, event, fields); }
  void Error(std::string_view event, Fields fields = {}) { Write(LogLevel::kError, event, fields); }
  void Write(LogLevel level, std::string_view event, Fields fields);

  bool Enabled(LogLevel level) const { return level >= level_; }
  // Lines lost since the start.
  uint64_t dropped() const { return dropped_; }

 private:
  bool Emit(std::string_view line);

  const Clock& clock_;
  const LogLevel level_;
  const LogFormat format_;
  const int file_descriptor_;
  std::mutex mutex_;  // guards line_ and unreported_, and keeps lines in order
  std::string line_;
  uint64_t unreported_ = 0;
  std::atomic<uint64_t> dropped_ = 0;
};

}  // namespace huygens::observe
