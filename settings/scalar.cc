#include "settings/scalar.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/duration_text.h"
#include "base/millionths.h"
#include "base/nearest_name.h"
#include "base/quantity.h"
#include "base/status.h"
#include "json/append.h"

namespace huygens::settings {

namespace {

constexpr int64_t kMillion = 1'000'000;

std::string Quoted(std::string_view text) {
  std::string out;
  AppendJsonString(out, text.substr(0, 64));
  return out;
}

std::string NumberText(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e9) return std::to_string(static_cast<int64_t>(value));
  std::string out;
  AppendJsonDouble(out, value);
  return out;
}

// Decimal only: YAML 1.1 would read 010 as eight.
bool ParseInteger(std::string_view text, int64_t& value) {
  std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  if (digits.size() > 1 && digits.front() == '0') return false;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool ParseNumber(std::string_view text, double& value) {
  if (text.empty() || text.find_first_not_of("0123456789.eE+-") != text.npos) return false;
  if (text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9') return false;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

std::string SetShare(std::string_view text, bool zero, int64_t most, int64_t& millionths) {
  const std::optional<int64_t> share = ParseMillionths(text);
  if (!share) return Concat("not a share (want text such as 50% or 0.5, at most six decimals): ", Quoted(text));
  if (*share > most * kMillion || (*share == 0 && !zero)) {
    return Concat("must be ", zero ? "from 0 to " : "above 0 and at most ", std::to_string(most), " (",
                  std::to_string(most * 100), "%), not ", text,
                  *share > most * kMillion && *share <= 100 * kMillion && text.back() != '%'
                      ? Concat("; did you mean ", text, "%?")
                      : std::string());
  }
  millionths = *share;
  return "";
}

}  // namespace

Scalar Text(std::string& value, std::string_view kind, Rule rule) {
  return {.kind = std::string(kind), .text = YamlText(value), .set = [&value, rule](std::string_view text, bool) {
            if (std::string fault = rule(text); !fault.empty()) return fault;
            value = text;
            return std::string();
          }};
}

Scalar Flag(bool& value) {
  return {
      .kind = "true or false", .text = value ? "true" : "false", .set = [&value](std::string_view text, bool quoted) {
        if (quoted || (text != "true" && text != "false")) return Concat("must be true or false, not ", Quoted(text));
        value = text == "true";
        return std::string();
      }};
}

Scalar InQuotes(Scalar scalar) {
  scalar.kind = Concat(scalar.kind, ", in quotes");
  scalar.text = Concat("\"", scalar.text, "\"");
  scalar.set = [set = std::move(scalar.set)](std::string_view text, bool) { return set(text, false); };
  return scalar;
}

Scalar Integer(int64_t& value, int64_t least, int64_t most) {
  std::string range = Concat(std::to_string(least), " to ", std::to_string(most));
  return {.kind = Concat("whole number, ", range),
          .text = std::to_string(value),
          .set = [&value, least, most, range](std::string_view text, bool quoted) {
            int64_t number = 0;
            if (quoted || !ParseInteger(text, number))
              return Concat("not a whole number (decimal, without quotes): ", Quoted(text));
            if (number < least || number > most) return Concat("must be from ", range, ", not ", text);
            value = number;
            return std::string();
          }};
}

Scalar Number(double& value, double least, double most) {
  std::string range = Concat(NumberText(least), " to ", NumberText(most));
  return {.kind = Concat("number, ", range),
          .text = NumberText(value),
          .set = [&value, least, most, range](std::string_view text, bool quoted) {
            double number = 0;
            if (quoted || !ParseNumber(text, number)) return Concat("not a number: ", Quoted(text));
            if (number < least || number > most) return Concat("must be from ", range, ", not ", text);
            value = number;
            return std::string();
          }};
}

Scalar Share(double& value) {
  return {
      .kind = "share, 0 to 1 or in percent", .text = NumberText(value), .set = [&value](std::string_view text, bool) {
        int64_t share = 0;
        std::string fault = SetShare(text, true, 1, share);
        if (fault.empty()) value = static_cast<double>(share) / kMillion;
        return fault;
      }};
}

Scalar Share(int64_t& millionths) {
  return {.kind = "share, 0 to 1 or in percent",
          .text = MillionthsText(millionths),
          .set = [&millionths](std::string_view text, bool) { return SetShare(text, true, 1, millionths); }};
}

Scalar Share(std::optional<int64_t>& millionths, int64_t most) {
  return {.kind = Concat("share, above 0 to ", std::to_string(most), " or in percent"),
          .text = millionths ? MillionthsText(*millionths) : "",
          .set = [&millionths, most](std::string_view text, bool) {
            int64_t share = 0;
            std::string fault = SetShare(text, false, most, share);
            if (fault.empty()) millionths = share;
            return fault;
          }};
}

Scalar Bytes(int64_t& value, int64_t least, int64_t most) {
  std::string range = Concat(BytesText(least), " to ", BytesText(most));
  return {.kind = Concat("size, ", range),
          .text = BytesText(value),
          .set = [&value, least, most, range](std::string_view text, bool) {
            StatusOr<Quantity> quantity = Quantity::Parse(text);
            if (!quantity.ok()) return Concat("not a size (want text such as 64Mi or 1G): ", Quoted(text));
            if (!(*quantity == Quantity::FromInt(quantity->Value())))
              return Concat("not a whole number of bytes: ", text);
            if (quantity->Value() < least || quantity->Value() > most)
              return Concat("must be from ", range, ", not ", text);
            value = quantity->Value();
            return std::string();
          }};
}

Scalar Span(Duration& value, Duration least, Duration most) {
  std::string range = Concat(DurationText(least), " to ", DurationText(most));
  return {.kind = Concat("duration, ", range),
          .text = DurationText(value),
          .set = [&value, least, most, range](std::string_view text, bool) {
            StatusOr<Duration> duration = ParseDuration(text);
            if (!duration.ok()) return std::string(Message(duration.status()));
            if (*duration < least || *duration > most) return Concat("must be from ", range, ", not ", text);
            value = *duration;
            return std::string();
          }};
}

Scalar Choice(std::span<const std::string_view> words, size_t now, std::function<void(size_t)> assign) {
  return {.kind = JoinNames(words, " \\| "),
          .text = now < words.size() ? std::string(words[now]) : "",
          .set = [words, assign = std::move(assign)](std::string_view text, bool quoted) {
            auto found = std::find(words.begin(), words.end(), text);
            // What reads YAML by its older rules, such as helm, takes an `off` without quotes for false, and writes
            // that.
            if (!quoted && text == "false") found = std::find(words.begin(), words.end(), "off");
            if (found == words.end()) return Concat("must be ", JoinNames(words, " or "), ", not ", Quoted(text));
            assign(static_cast<size_t>(found - words.begin()));
            return std::string();
          }};
}

Scalar Word(std::span<const std::string_view> words, std::string& value) {
  auto now = static_cast<size_t>(std::find(words.begin(), words.end(), value) - words.begin());
  return Choice(words, now, [words, &value](size_t position) { value = words[position]; });
}

Scalar Exactly(std::string_view only) {
  return {.kind = "fixed", .text = std::string(only), .set = [only](std::string_view text, bool) {
            return text == only ? "" : Concat("must be ", only, ", not ", text);
          }};
}

std::string YamlText(std::string_view text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/:";
  constexpr std::string_view kOther[] = {"true", "false", "null", "yes", "no", "on", "off"};
  double number = 0;
  bool plain = !text.empty() && text.find_first_not_of(kPlain) == text.npos && text.front() != '-' &&
               text.front() != ':' && text.back() != ':' && !ParseNumber(text, number) &&
               std::find(std::begin(kOther), std::end(kOther), text) == std::end(kOther);
  if (plain) return std::string(text);
  std::string out;
  AppendJsonString(out, text);
  return out;
}

std::string BytesText(int64_t bytes) { return Quantity::FromInt(bytes, Quantity::Format::kBinarySI).Canonical(); }

}  // namespace huygens::settings
