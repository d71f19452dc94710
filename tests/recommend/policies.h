// Policies and recommendations as the vectors of decisions have them.
#pragma once

#include <optional>

#include "base/millionths.h"
#include "recommend/decision.h"
#include "tests/recommend/vectors.h"

namespace huygens::recommend {

inline int64_t Factor(const json::value& text) { return *ParseMillionths(Text(text)); }

inline PoolPolicy PolicyOf(const json::value& value) {
  PoolPolicy policy;
  const json::value& enabled = value.at("enabled");
  policy.enabled = enabled.is_null() ? EnabledByDefault(Text(value.at("pool"))) : enabled.as_bool();
  const std::string type = Text(value.at("type"));
  policy.type = type == "static"    ? PoolPolicy::Type::kStatic
                : type == "dynamic" ? PoolPolicy::Type::kDynamic
                                    : PoolPolicy::Type::kBoth;
  policy.memory = value.at("memory").as_bool();
  policy.auto_apply = value.at("autoApply").as_bool();
  policy.lower_guaranteed = value.at("guaranteed").as_string() == "lower";
  policy.min_history = std::chrono::seconds(value.at("minHistory_s").as_int64());
  policy.stale_after = std::chrono::seconds(value.at("staleAfter_s").as_int64());
  size_t resource = 0;
  for (const char* name : {"cpu", "memory"}) {
    if (!value.at("static").at(name).is_null()) {
      policy.static_factor[resource] = Factor(value.at("static").at(name));
    }
    policy.expansion[resource] = Factor(value.at("expansion").at(name));
    policy.rounding[resource] = {value.at("step").at(name).as_int64(), value.at("floor").at(name).as_int64()};
    ++resource;
  }
  return policy;
}

inline std::optional<Recommendation> RecommendationOf(const json::value& value) {
  if (value.is_null()) return std::nullopt;
  return Recommendation{value.at("state").as_string() == "Ready",
                        std::chrono::seconds(value.at("history_s").as_int64()),
                        std::chrono::seconds(value.at("age_s").as_int64()),
                        {Number(value.at("model").at("cpu")), Number(value.at("model").at("memory"))}};
}

}  // namespace huygens::recommend
