#include "wire/prometheus.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "wire/json_reader.h"

namespace huygens::wire {
namespace {

constexpr double kLatest = 9e9;  // seconds since 1970, in the year 2255: Time ends a little later

Status ReadTime(JsonReader& in, Time& out) {
  if (in.Next() != JsonType::kNumber) return in.Unexpected("a time");
  const std::string_view text = in.Skip();
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size() || !(std::abs(seconds) <= kLatest)) {
    return Invalid("time out of range");
  }
  out = Time(std::chrono::milliseconds(std::llround(seconds * 1000)));
  return absl::OkStatus();
}

// Go's strconv.FormatFloat in quotes: "0.25", "1e+06", "NaN", "+Inf", "-Inf".
Status ReadValue(JsonReader& in, OwnedTexts& owned, double& out) {
  if (in.Next() != JsonType::kString) return in.Unexpected("a number in quotes");
  std::string_view text;
  HUYGENS_RETURN_IF_ERROR(in.Read(text, owned));
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error == std::errc::invalid_argument || end != text.data() + text.size()) {
    return Invalid("expected a number in quotes");
  }
  if (error == std::errc::result_out_of_range) out = std::numeric_limits<double>::quiet_NaN();
  return absl::OkStatus();
}

class Decoder {
 public:
  explicit Decoder(const PrometheusVisitor& visitor) : visitor_(visitor) {}

  Status Read(JsonReader& in, PrometheusAnswer& out) {
    return in.Members([&](const JsonKey& key) -> Status {
      if (key.Is("status")) {
        HUYGENS_RETURN_IF_ERROR(in.Read(status_));
        if (status_ != "success" && status_ != "error") return Invalid("expected success or error");
        out.success = status_ == "success";
      }
      if (key.Is("errorType")) return in.Read(out.error_type);
      if (key.Is("error")) return in.Read(out.error);
      if (key.Is("warnings")) return ReadList(in, out.warnings, [&](std::string& text) { return in.Read(text); });
      if (key.Is("data")) return ReadData(in);
      return absl::OkStatus();
    });
  }

  Status Check(const PrometheusAnswer& answer) const {
    if (status_.empty()) return Invalid("not an answer of Prometheus: it has no status");
    if (answer.success && !has_result_) return Invalid("not an answer to a query: it has no result");
    return absl::OkStatus();
  }

 private:
  Status ReadData(JsonReader& in) {
    return in.Members([&](const JsonKey& key) {
      if (!key.Is("result")) return absl::OkStatus();
      has_result_ = true;
      return in.Elements([&](size_t) { return ReadSeries(in); });
    });
  }

  Status ReadSeries(JsonReader& in) {
    labels_.clear();
    OwnedTexts owned;
    std::vector<std::pair<JsonReader, bool>> samples;  // where they begin, and whether they are many: labels come first
    HUYGENS_RETURN_IF_ERROR(in.Members([&](const JsonKey& key) -> Status {
      if (key.Is("metric")) {
        return in.Members([&](const JsonKey& label) {
          auto& [name, value] = labels_.emplace_back();
          name = label.escaped ? owned.Keep(std::string(label.text)) : label.text;
          return in.Read(value, owned);
        });
      }
      if (key.Is("value") || key.Is("values")) {
        samples.emplace_back(in, key.Is("values"));
        if (in.Next() != JsonType::kArray && in.Next() != JsonType::kNull) return in.Unexpected("an array");
      }
      return absl::OkStatus();
    }));
    if (!visitor_.on_series(labels_)) return absl::OkStatus();
    for (auto& [at, many] : samples) {
      HUYGENS_RETURN_IF_ERROR(many ? at.Elements([&, &from = at](size_t) { return ReadSample(from); })
                                   : ReadSample(at));
    }
    return absl::OkStatus();
  }

  Status ReadSample(JsonReader& in) {
    Time time;
    double value = 0;
    size_t parts = 0;
    OwnedTexts owned;
    HUYGENS_RETURN_IF_ERROR(in.Elements([&](size_t index) -> Status {
      parts = index + 1;
      if (index == 0) return ReadTime(in, time);
      return index == 1 ? ReadValue(in, owned, value) : Invalid("a sample has two parts");
    }));
    if (parts == 1) return Invalid("a sample has two parts");
    if (parts == 2) visitor_.on_sample(time, value);  // none: null
    return absl::OkStatus();
  }

  const PrometheusVisitor& visitor_;
  PrometheusLabels labels_;
  std::string status_;
  bool has_result_ = false;
};

}  // namespace

StatusOr<PrometheusAnswer> DecodePrometheusAnswer(std::string_view json, const PrometheusVisitor& visitor) {
  Decoder decoder(visitor);
  auto answer = DecodeObject<PrometheusAnswer>(
      json, [&](JsonReader& in, PrometheusAnswer& out) { return decoder.Read(in, out); });
  if (!answer.ok()) return answer;
  HUYGENS_RETURN_IF_ERROR(decoder.Check(*answer));
  return answer;
}

}  // namespace huygens::wire
