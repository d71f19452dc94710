// Any bytes as what Prometheus answers, as a whole and in pieces: where it is cut must not matter.
#include <numeric>
#include <string>

#include "tests/fuzz/require.h"
#include "usage_sources/prometheus_answer.h"

namespace {

using huygens::fuzz::Require;
using namespace huygens::usage_sources;

// What a visitor sees, as text, checked on the way.
class Seen {
 public:
  explicit Seen(size_t size) : size_(size) {}

  PrometheusVisitor Visitor() {
    return {[this](const PrometheusLabels& labels) {
              text += '|';
              for (const auto& [name, value] : labels) {
                Require(name.size() + value.size() <= size_, "labels come from the text");
                text.append(name).append("=").append(value).append(",");
              }
              return wanted_ = labels.size() % 2 == 0;
            },
            [this](huygens::Time time, double value) {
              Require(wanted_, "samples of no interest are passed over");
              Require(std::chrono::abs(time.time_since_epoch()) <= std::chrono::seconds(9'000'000'000),
                      "times are in range");
              text += std::to_string(time.time_since_epoch().count()) + ":" + std::to_string(value) + " ";
            }};
  }
  void Finish(const huygens::StatusOr<PrometheusAnswer>& answer) {
    Require(answer.ok() || !answer.status().message().empty(), "an error says something");
    if (answer.ok()) text += answer->success ? "success" : answer->error_type + answer->error;
    if (answer.ok()) text += std::to_string(answer->warnings.size());
    failed = !answer.ok();
  }

  std::string text;
  bool failed = false;

 private:
  const size_t size_;
  bool wanted_ = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Seen whole(size), pieces(size);
  const PrometheusVisitor of_whole = whole.Visitor(), of_pieces = pieces.Visitor();
  whole.Finish(DecodePrometheusAnswer(text, of_whole));

  PrometheusDecoder decoder(of_pieces);
  huygens::Status status;
  for (size_t at = 0, step = std::accumulate(data, data + size, size_t{0}); at < text.size() && status.ok();) {
    const size_t length = 1 + step % 13;
    status = decoder.Write(text.substr(at, length));
    at += length;
    step = step * 7 + 3;
  }
  pieces.Finish(status.ok() ? decoder.Finish() : huygens::StatusOr<PrometheusAnswer>(status));
  Require(whole.failed == pieces.failed, "where it is cut does not decide whether it can be read");
  Require(whole.text == pieces.text, "where it is cut does not change what is read");
  return 0;
}
