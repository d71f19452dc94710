#include "usage_sources/prometheus_answer.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "base/text.h"
#include "json/token_parser.h"

namespace huygens::usage_sources {
namespace {

constexpr size_t kMaxDepth = 32;
constexpr double kLatest = 9e9;  // seconds since 1970, in the year 2255: Time ends a little later

// Go's strconv.FormatFloat: "0.25", "1e+06", "NaN", "+Inf", "-Inf".
std::optional<double> NumberIn(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::invalid_argument || end != text.data() + text.size()) return std::nullopt;
  return error == std::errc::result_out_of_range ? std::numeric_limits<double>::quiet_NaN() : value;
}

// Takes the tokens of Boost.JSON's parser, which checks the text. Knows at each moment which container it is in, and
// from that and the key or position what the next value has to be.
class Tokens : public AcceptTokens {
 public:
  explicit Tokens(const PrometheusVisitor& visitor) : visitor_(visitor) {}

  bool on_object_begin(JsonError& error) { return Enter(Found::kObject, error); }
  bool on_object_end(std::size_t, JsonError& error) { return Leave(0, error); }
  bool on_array_begin(JsonError& error) { return Enter(Found::kArray, error); }
  bool on_array_end(std::size_t size, JsonError& error) { return Leave(size, error); }
  bool on_key_part(Text text, std::size_t, JsonError&) { return AddToKey(text); }
  bool on_key(Text text, std::size_t, JsonError&) {
    AddToKey(text);
    key_ends_ = true;
    return true;
  }
  bool on_string_part(Text text, std::size_t, JsonError&) {
    if (skipping_ == 0) text_.append(text.data(), text.size());
    return true;
  }
  bool on_string(Text text, std::size_t, JsonError& error) {
    if (skipping_ == 0) text_.append(text.data(), text.size());
    const bool taken = Take(Found::kString, error);
    text_.clear();
    return taken;
  }
  // By its text: the parser's own number may differ in the last bit by where the text was cut.
  bool on_number_part(Text text, JsonError&) {
    if (skipping_ == 0) text_.append(text.data(), text.size());
    return true;
  }
  bool on_int64(std::int64_t, Text text, JsonError& error) { return on_number(text, error); }
  bool on_uint64(std::uint64_t, Text text, JsonError& error) { return on_number(text, error); }
  bool on_double(double, Text text, JsonError& error) { return on_number(text, error); }
  bool on_bool(bool, JsonError& error) { return Take(Found::kBool, error); }
  bool on_null(JsonError& error) { return Take(Found::kNull, error); }

  const Status& fault() const { return fault_; }
  StatusOr<PrometheusAnswer> Answer() {
    if (status_.empty()) return Invalid("not an answer of Prometheus: it has no status");
    if (answer_.success && !has_result_) return Invalid("not an answer to a query: it has no result");
    return std::move(answer_);
  }

 private:
  enum class Found : uint8_t { kNull, kBool, kNumber, kString, kArray, kObject };
  // The containers that matter. kSample: [time, value].
  enum class In : uint8_t { kAnswer, kWarnings, kData, kResult, kSeries, kMetric, kValues, kSample };
  enum class Wanted : uint8_t { kNothing, kObject, kArray, kString, kTime, kValue, kNoMore };
  struct Frame {
    In in;
    size_t elements = 0;  // so far, of an array
  };
  struct Next {
    Wanted wanted = Wanted::kNothing;
    In in = In::kAnswer;  // the container that begins
  };

  static constexpr std::string_view kFound[] = {"null", "a bool", "a number", "a string", "an array", "an object"};
  static constexpr std::string_view kWanted[] = {"nothing", "an object",          "an array", "a string",
                                                 "a time",  "a number in quotes", "nothing"};

  Next NextValue() const {
    if (frames_.empty()) return {Wanted::kObject, In::kAnswer};
    switch (frames_.back().in) {
      case In::kAnswer:
        if (key_ == "data") return {Wanted::kObject, In::kData};
        if (key_ == "warnings") return {Wanted::kArray, In::kWarnings};
        return {key_ == "status" || key_ == "errorType" || key_ == "error" ? Wanted::kString : Wanted::kNothing};
      case In::kData:
        if (key_ == "result") return {Wanted::kArray, In::kResult};
        return {};
      case In::kResult:
        return {Wanted::kObject, In::kSeries};
      case In::kSeries:
        if (key_ == "metric") return {Wanted::kObject, In::kMetric};
        if (shown_ && !interesting_) return {};
        if (key_ == "values") return {Wanted::kArray, In::kValues};
        if (key_ == "value") return {Wanted::kArray, In::kSample};
        return {};
      case In::kWarnings:
      case In::kMetric:
        return {Wanted::kString};
      case In::kValues:
        return {Wanted::kArray, In::kSample};
      case In::kSample:
        break;
    }
    const size_t index = frames_.back().elements;
    return {index == 0 ? Wanted::kTime : index == 1 ? Wanted::kValue : Wanted::kNoMore};
  }

  bool Enter(Found found, JsonError& error) {
    if (skipping_ > 0) {
      ++skipping_;
      return true;
    }
    const Next next = NextValue();
    if (next.wanted == Wanted::kNothing) {
      skipping_ = 1;
      return true;
    }
    if (next.wanted != (found == Found::kObject ? Wanted::kObject : Wanted::kArray)) {
      return Unexpected(next.wanted, found, error);
    }
    if (next.in == In::kResult) has_result_ = true;
    if (next.in == In::kSeries) {
      labels_.clear();
      label_bytes_.clear();
      pending_.clear();
      shown_ = interesting_ = false;
    }
    if (next.in == In::kMetric && shown_) return Fail("stated twice", error);
    if (next.in == In::kSample) sample_time_.reset();
    frames_.push_back({next.in});
    key_.clear();
    return true;
  }

  // `size`: elements of an array.
  bool Leave(size_t size, JsonError& error) {
    if (skipping_ > 0) {
      if (--skipping_ == 0) Advance();
      return true;
    }
    const In in = frames_.back().in;
    if (in == In::kSample && size == 1) return Fail("a sample has two parts", error);
    frames_.pop_back();
    if (in == In::kMetric || (in == In::kSeries && !shown_)) ShowSeries();
    Advance();
    return true;
  }

  bool on_number(Text text, JsonError& error) {
    on_number_part(text, error);
    const bool taken = Take(Found::kNumber, error);
    text_.clear();
    return taken;
  }

  bool Take(Found found, JsonError& error) {
    if (skipping_ > 0) return true;
    const Next next = NextValue();
    switch (next.wanted) {
      case Wanted::kNothing:
        break;
      case Wanted::kObject:
      case Wanted::kArray:
        if (found != Found::kNull || frames_.empty()) return Unexpected(next.wanted, found, error);
        if (next.in == In::kResult) has_result_ = true;
        break;
      case Wanted::kString:
        if (found != Found::kString && found != Found::kNull) return Unexpected(next.wanted, found, error);
        if (!TakeText(error)) return false;
        break;
      case Wanted::kTime: {
        if (found != Found::kNumber) return Unexpected(next.wanted, found, error);
        const std::optional<double> seconds = NumberIn(text_);
        if (!seconds || !(std::abs(*seconds) <= kLatest)) return Fail("time out of range", error);
        sample_time_ = Time(std::chrono::milliseconds(std::llround(*seconds * 1000)));
        break;
      }
      case Wanted::kValue: {
        const std::optional<double> value = found == Found::kString ? NumberIn(text_) : std::nullopt;
        if (!value) return Unexpected(next.wanted, found, error);
        if (shown_) {
          visitor_.on_sample(*sample_time_, *value);
        } else {
          pending_.emplace_back(*sample_time_, *value);
        }
        break;
      }
      case Wanted::kNoMore:
        return Fail("a sample has two parts", error);
    }
    Advance();
    return true;
  }

  // A string or null that is wanted, in text_.
  bool TakeText(JsonError& error) {
    switch (frames_.back().in) {
      case In::kWarnings:
        answer_.warnings.push_back(text_);
        break;
      case In::kMetric:
        labels_.emplace_back(key_.size(), text_.size());
        label_bytes_ += key_;
        label_bytes_ += text_;
        break;
      default:
        if (key_ == "error") answer_.error = text_;
        if (key_ == "errorType") answer_.error_type = text_;
        if (key_ != "status") break;
        status_ = text_;
        if (status_ != "success" && status_ != "error") return Fail("expected success or error", error);
        answer_.success = status_ == "success";
    }
    return true;
  }

  // Labels come first, as a rule; samples that came before them were kept.
  void ShowSeries() {
    views_.clear();
    std::string_view rest = label_bytes_;
    for (const auto& [name, value] : labels_) {
      views_.emplace_back(rest.substr(0, name), rest.substr(name, value));
      rest.remove_prefix(name + value);
    }
    shown_ = true;
    interesting_ = visitor_.on_series(views_);
    for (const auto& [time, value] : pending_) {
      if (interesting_) visitor_.on_sample(time, value);
    }
    pending_.clear();
  }

  bool AddToKey(Text text) {
    if (skipping_ > 0) return true;
    if (std::exchange(key_ends_, false)) key_.clear();
    key_.append(text.data(), text.size());
    return true;
  }

  void Advance() {
    if (!frames_.empty()) ++frames_.back().elements;
  }

  // Where the parser is: "data.result[3].metric.pod".
  std::string Place() const {
    std::string place;
    for (size_t i = 0; i < frames_.size(); ++i) {
      const bool last = i + 1 == frames_.size();
      switch (frames_[i].in) {
        case In::kWarnings:
        case In::kResult:
        case In::kValues:
        case In::kSample:
          place += Concat("[", std::to_string(frames_[i].elements), "]");
          break;
        default:
          if (!place.empty()) place += ".";
          place += last ? CutText(key_, 100) : NameOf(frames_[i + 1].in);
      }
    }
    return place;
  }
  static std::string_view NameOf(In in) {
    constexpr std::string_view kNames[] = {"", "warnings", "data", "result", "", "metric", "values", "value"};
    return kNames[static_cast<size_t>(in)];
  }

  bool Unexpected(Wanted wanted, Found found, JsonError& error) {
    return Fail(
        Concat("expected ", kWanted[static_cast<size_t>(wanted)], ", found ", kFound[static_cast<size_t>(found)]),
        error);
  }
  bool Fail(std::string_view what, JsonError& error) {
    const std::string place = Place();
    fault_ = Invalid(place.empty() ? std::string(what) : Concat(place, ": ", what));
    return Stop(error);
  }

  const PrometheusVisitor& visitor_;
  Status fault_;
  PrometheusAnswer answer_;
  std::string status_;
  bool has_result_ = false;

  std::vector<Frame> frames_;
  size_t skipping_ = 0;     // containers deep within what does not matter
  std::string key_, text_;  // text_: the string or number at hand
  bool key_ends_ = false;   // what comes next is another key

  // The series at hand.
  std::vector<std::pair<size_t, size_t>> labels_;  // lengths of name and value
  std::string label_bytes_;
  PrometheusLabels views_;
  bool shown_ = false, interesting_ = false;
  std::vector<std::pair<Time, double>> pending_;
  std::optional<Time> sample_time_;
};

}  // namespace

class PrometheusDecoder::Impl {
 public:
  explicit Impl(const PrometheusVisitor& visitor) : parser_(kMaxDepth, visitor) {}

  Status Write(std::string_view piece, bool more) {
    if (!fault_.ok()) return fault_;
    fault_ = parser_.Write(piece, more);
    if (const Status& told = parser_.handler().fault(); !told.ok()) fault_ = told;
    return fault_;
  }

  StatusOr<PrometheusAnswer> Finish() {
    HUYGENS_RETURN_IF_ERROR(Write({}, false));
    return parser_.handler().Answer();
  }

 private:
  TokenParser<Tokens> parser_;
  Status fault_;
};

PrometheusDecoder::PrometheusDecoder(const PrometheusVisitor& visitor) : impl_(std::make_unique<Impl>(visitor)) {}
PrometheusDecoder::~PrometheusDecoder() = default;

Status PrometheusDecoder::Write(std::string_view piece) { return impl_->Write(piece, true); }
StatusOr<PrometheusAnswer> PrometheusDecoder::Finish() { return impl_->Finish(); }

StatusOr<PrometheusAnswer> DecodePrometheusAnswer(std::string_view json, const PrometheusVisitor& visitor) {
  PrometheusDecoder decoder(visitor);
  HUYGENS_RETURN_IF_ERROR(decoder.Write(json));
  return decoder.Finish();
}

}  // namespace huygens::usage_sources
