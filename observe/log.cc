#include "observe/log.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include "base/text.h"
#include "json/append.h"
#include "observe/utf8.h"

namespace huygens::observe {

namespace {

constexpr size_t kMaxValueBytes = 1024;
constexpr std::string_view kCut = "...";

bool IsPlain(std::string_view text) {
  if (text.empty()) return false;
  for (char c : text) {
    if (static_cast<unsigned char>(c) <= ' ' || c == '"' || c == '=' || c == '\\' || c == 0x7f) return false;
  }
  return true;
}

// At most kMaxValueBytes of it, counted after escaping, which makes six bytes of a control character.
void AppendText(std::string& out, std::string_view text, LogFormat format) {
  size_t before = out.size();
  if (text.size() <= kMaxValueBytes && IsUtf8(text)) {
    if (format == LogFormat::kText && IsPlain(text)) {
      out += text;
    } else {
      AppendJsonString(out, text);
    }
  } else {
    AppendJsonString(out, Concat(RepairUtf8(text.substr(0, kMaxValueBytes)), text.size() > kMaxValueBytes ? kCut : ""));
  }
  for (size_t keep = kMaxValueBytes / 2; out.size() - before > kMaxValueBytes + 16; keep /= 2) {
    out.resize(before);
    AppendJsonString(out, Concat(RepairUtf8(text.substr(0, keep)), kCut));
  }
}

void AppendValue(std::string& out, const LogField& field, LogFormat format) {
  if (auto* text = std::get_if<std::string_view>(&field.value)) return AppendText(out, *text, format);
  if (auto* flag = std::get_if<bool>(&field.value)) {
    out += *flag ? "true" : "false";
  } else if (auto* number = std::get_if<int64_t>(&field.value)) {
    AppendJsonInt(out, *number);
  } else {
    AppendJsonDouble(out, std::get<double>(field.value));
  }
}

void AppendKey(std::string& out, std::string_view key, LogFormat format) {
  if (format == LogFormat::kJson) {
    if (out.size() > 1) out += ',';
    AppendJsonString(out, key);
    out += ':';
  } else {
    if (!out.empty()) out += ' ';
    out += key;
    out += '=';
  }
}

// Fields that no longer fit are left out, and the line says so: it stays readable by a program.
void Compose(std::string& line, Time now, LogLevel level, std::string_view event, Log::Fields fields,
             LogFormat format) {
  line.clear();
  if (format == LogFormat::kJson) line += '{';
  auto append = [&](std::string_view key, std::string_view text) {
    AppendKey(line, key, format);
    AppendText(line, text, format);
  };
  append("time", FormatRfc3339Micro(now));
  append("level", Name(level));
  append("msg", event);
  constexpr size_t kTailBytes = 32;
  for (const LogField& field : fields) {
    size_t before = line.size();
    AppendKey(line, field.key, format);
    AppendValue(line, field, format);
    if (line.size() + kTailBytes <= Log::kMaxLineBytes) continue;
    line.resize(before);
    AppendKey(line, "cut", format);
    line += "true";
    break;
  }
  line += format == LogFormat::kJson ? "}\n" : "\n";
}

}  // namespace

std::string_view Name(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarn:
      return "warn";
    case LogLevel::kError:
      return "error";
  }
  return "unknown";
}

Log::Log(const Clock& clock, LogLevel level, LogFormat format, int file_descriptor)
    : clock_(clock), level_(level), format_(format), file_descriptor_(file_descriptor) {
  line_.reserve(kMaxLineBytes);
}

void Log::Write(LogLevel level, std::string_view event, Fields fields) {
  if (!Enabled(level)) return;
  std::lock_guard lock(mutex_);
  Time now = clock_.Now();
  if (unreported_ > 0) {
    Compose(line_, now, LogLevel::kWarn, "log lines dropped", {{"count", unreported_}}, format_);
    if (Emit(line_)) unreported_ = 0;
  }
  Compose(line_, now, level, event, fields, format_);
  if (Emit(line_)) return;
  ++unreported_;
  ++dropped_;
}

// A pipe with room for PIPE_BUF bytes polls as writable, so a write of no more than that cannot block; a file always
// does.
bool Log::Emit(std::string_view line) {
  pollfd ready{.fd = file_descriptor_, .events = POLLOUT, .revents = 0};
  if (poll(&ready, 1, 0) != 1 || (ready.revents & POLLOUT) == 0) return false;
  ssize_t written;
  do {
    written = write(file_descriptor_, line.data(), line.size());
  } while (written < 0 && errno == EINTR);
  return written == static_cast<ssize_t>(line.size());
}

}  // namespace huygens::observe
