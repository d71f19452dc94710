// Objects of huygens.dev as an API server sends them. What can be read comes back as it is when it is written.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "recommendation_api/checkpoint.h"
#include "recommendation_api/recommendation.h"
#include "recommendation_api/recommendation_template.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace huygens;
  namespace api = recommendation_api;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Time now{std::chrono::sys_days(std::chrono::year(2026) / 3 / 2)};
  if (const auto recommendation = api::DecodeRecommendation(text); recommendation.ok()) {
    (void)api::ModelOf(recommendation->status, now);
    (void)recommendation->target.ObjectName();
    const std::string written = api::EncodeRecommendation(*recommendation);
    const auto again = api::DecodeRecommendation(written);
    fuzz::Require(again.ok(), "what was read can be written and read");
    fuzz::Require(api::EncodeRecommendation(*again) == written, "and is the same then");
  }
  if (const auto object = api::DecodeRecommendationTemplate(text); object.ok()) {
    fuzz::Require(api::DecodeRecommendationTemplate(api::EncodeTemplateStatus(*object)).ok(), "so can a template");
    (void)object->Selects("shop", [](std::string_view) { return std::nullopt; });
  }
  if (const auto checkpoint = api::DecodeCheckpoint(text); checkpoint.ok()) {
    const auto again = api::DecodeCheckpoint(api::EncodeCheckpoint(*checkpoint));
    fuzz::Require(again.ok() && again->history == checkpoint->history, "and a checkpoint");
  }
  return 0;
}
