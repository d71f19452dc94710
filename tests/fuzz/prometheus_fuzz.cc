// Any bytes as what Prometheus answers.
#include "tests/fuzz/require.h"
#include "wire/prometheus.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using huygens::fuzz::Require;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  bool wanted = false;
  const huygens::wire::PrometheusVisitor visitor{
      [&](const huygens::wire::PrometheusLabels& labels) {
        for (const auto& [name, value] : labels)
          Require(name.size() + value.size() <= size, "labels come from the text");
        return wanted = labels.size() % 2 == 0;
      },
      [&](huygens::Time time, double) {
        Require(wanted, "samples of no interest are passed over");
        Require(std::chrono::abs(time.time_since_epoch()) <= std::chrono::seconds(9'000'000'000), "times are in range");
      }};
  const auto answer = huygens::wire::DecodePrometheusAnswer(text, visitor);
  Require(answer.ok() || !answer.status().message().empty(), "an error says something");
  return 0;
}
