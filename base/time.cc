#include "base/time.h"

#include <array>
#include <limits>
#include <optional>

namespace huygens {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using Wide = __int128;

constexpr int64_t kNanosPerSecond = 1'000'000'000;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Reads text from the front; every step says whether it found what it looked for.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool empty() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

  bool Take(char expected) {
    if (rest_.empty() || rest_.front() != expected) return false;
    rest_.remove_prefix(1);
    return true;
  }

  // Exactly `width` digits.
  bool TakeNumber(size_t width, int& number) {
    if (rest_.size() < width) return false;
    number = 0;
    for (char c : rest_.substr(0, width)) {
      if (!IsDigit(c)) return false;
      number = number * 10 + (c - '0');
    }
    rest_.remove_prefix(width);
    return true;
  }

  std::string_view TakeDigits() {
    size_t count = 0;
    while (count < rest_.size() && IsDigit(rest_[count])) ++count;
    return TakeText(count);
  }

  std::string_view TakeText(size_t count) {
    std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

 private:
  std::string_view rest_;
};

// "Z" or "+hh:mm" / "-hh:mm".
bool TakeOffset(Reader& reader, seconds& offset) {
  offset = seconds(0);
  if (reader.Take('Z')) return true;
  bool east = reader.Take('+');
  if (!east && !reader.Take('-')) return false;
  int hour = 0;
  int minute = 0;
  if (!reader.TakeNumber(2, hour) || !reader.Take(':') || !reader.TakeNumber(2, minute)) return false;
  if (hour > 23 || minute > 59) return false;
  offset = hours(hour) + minutes(minute);
  if (!east) offset = -offset;
  return true;
}

// Nanoseconds of the digits behind a decimal point; digits past the ninth are dropped.
int64_t Fraction(std::string_view digits) {
  int64_t nanos = 0;
  for (size_t i = 0; i < 9; ++i) nanos = nanos * 10 + (i < digits.size() ? digits[i] - '0' : 0);
  return nanos;
}

struct Unit {
  std::string_view name;
  int64_t nanos;
};
// Longer names before their prefixes. Go writes microseconds with either of two characters that look like a mu.
constexpr std::array<Unit, 9> kUnits = {{{"ns", 1},
                                         {"us", 1'000},
                                         {"\u00b5s", 1'000},
                                         {"\u03bcs", 1'000},
                                         {"ms", 1'000'000},
                                         {"s", kNanosPerSecond},
                                         {"m", 60 * kNanosPerSecond},
                                         {"h", 3600 * kNanosPerSecond},
                                         {"d", 86400 * kNanosPerSecond}}};

std::optional<int64_t> TakeUnit(Reader& reader) {
  for (const Unit& unit : kUnits) {
    if (reader.rest().substr(0, unit.name.size()) == unit.name) {
      reader.TakeText(unit.name.size());
      return unit.nanos;
    }
  }
  return std::nullopt;
}

Status BadDuration(std::string_view text) {
  return Invalid(Concat("not a duration (want text such as 250ms, 1.5h or 7d): \"", text.substr(0, 64), "\""));
}

void AppendDigits(std::string& out, int64_t value, int width) {
  std::array<char, 20> digits;
  for (int i = width; i-- > 0; value /= 10) digits[static_cast<size_t>(i)] = static_cast<char>('0' + value % 10);
  out.append(digits.data(), static_cast<size_t>(width));
}

std::string FormatUtc(Time time, bool micro) {
  auto day = std::chrono::floor<days>(time);
  std::chrono::year_month_day date(day);
  Duration of_day = time - day;
  int64_t second = of_day.count() / kNanosPerSecond;
  std::string out;
  out.reserve(32);
  AppendDigits(out, static_cast<int>(date.year()), 4);
  out += '-';
  AppendDigits(out, static_cast<unsigned>(date.month()), 2);
  out += '-';
  AppendDigits(out, static_cast<unsigned>(date.day()), 2);
  out += 'T';
  AppendDigits(out, second / 3600, 2);
  out += ':';
  AppendDigits(out, second / 60 % 60, 2);
  out += ':';
  AppendDigits(out, second % 60, 2);
  if (micro) {
    out += '.';
    AppendDigits(out, of_day.count() % kNanosPerSecond / 1000, 6);
  }
  out += 'Z';
  return out;
}

}  // namespace

Time SystemClock::Now() const {
  return std::chrono::time_point_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now());
}

StatusOr<Time> ParseRfc3339(std::string_view text) {
  auto bad = [text] { return Invalid(Concat("not an RFC 3339 time: \"", text.substr(0, 64), "\"")); };
  Reader reader(text);
  int year = 0;
  int month = 0;
  int day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
  if (!reader.TakeNumber(4, year) || !reader.Take('-') || !reader.TakeNumber(2, month) || !reader.Take('-') ||
      !reader.TakeNumber(2, day) || !reader.Take('T') || !reader.TakeNumber(2, hour) || !reader.Take(':') ||
      !reader.TakeNumber(2, minute) || !reader.Take(':') || !reader.TakeNumber(2, second)) {
    return bad();
  }
  int64_t nanos = 0;
  if (reader.Take('.')) {
    std::string_view digits = reader.TakeDigits();
    if (digits.empty()) return bad();
    nanos = Fraction(digits);
  }
  seconds offset;
  if (!TakeOffset(reader, offset) || !reader.empty()) return bad();
  std::chrono::year_month_day date(std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                   std::chrono::day(static_cast<unsigned>(day)));
  // As Go: no leap second, no hour 24.
  if (!date.ok() || hour > 23 || minute > 59 || second > 59) return bad();
  auto whole = std::chrono::sys_days(date) + hours(hour) + minutes(minute) + seconds(second) - offset;
  Wide total = Wide{whole.time_since_epoch().count()} * kNanosPerSecond + nanos;
  if (total > std::numeric_limits<int64_t>::max() || total < std::numeric_limits<int64_t>::min()) {
    return OutOfRange(Concat("time outside the years 1678 to 2261: \"", text.substr(0, 64), "\""));
  }
  return Time(Duration(static_cast<int64_t>(total)));
}

std::string FormatRfc3339(Time time) { return FormatUtc(time, false); }
std::string FormatRfc3339Micro(Time time) { return FormatUtc(time, true); }

StatusOr<Duration> ParseDuration(std::string_view text) {
  Reader reader(text);
  bool negative = reader.Take('-');
  if (!negative) reader.Take('+');
  if (reader.rest() == "0") return Duration(0);
  if (reader.empty()) return BadDuration(text);
  // The magnitude stays below 2^63 after each part, so the wide sum cannot overflow.
  constexpr Wide kLimit = std::numeric_limits<int64_t>::max();
  Wide total = 0;
  while (!reader.empty()) {
    std::string_view whole = reader.TakeDigits();
    std::string_view fraction;
    if (reader.Take('.')) fraction = reader.TakeDigits();
    if (whole.empty() && fraction.empty()) return BadDuration(text);
    std::optional<int64_t> unit = TakeUnit(reader);
    if (!unit) return BadDuration(text);
    Wide number = 0;
    for (char c : whole) {
      number = number * 10 + (c - '0');
      if (number > kLimit) break;
    }
    total += number * *unit;
    // Below the nanosecond nothing counts; 15 digits of a day reach it.
    Wide numerator = 0;
    Wide denominator = 1;
    for (char c : fraction.substr(0, 18)) {
      numerator = numerator * 10 + (c - '0');
      denominator *= 10;
    }
    total += numerator * *unit / denominator;
    if (total > kLimit) return OutOfRange(Concat("duration longer than 292 years: \"", text.substr(0, 64), "\""));
  }
  auto nanos = static_cast<int64_t>(total);
  return Duration(negative ? -nanos : nanos);
}

}  // namespace huygens
