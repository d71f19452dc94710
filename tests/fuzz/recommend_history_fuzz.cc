// Any bytes as a stored history of a workload, and as its recorded use.
#include <cmath>
#include <string>
#include <string_view>

#include "recommend/simulation.h"
#include "recommend/target_history.h"
#include "tests/fuzz/require.h"

namespace {

using huygens::fuzz::Require;
using namespace huygens::recommend;

constexpr huygens::Time kNow = huygens::Time(std::chrono::sys_days(std::chrono::year(2026) / 3 / 2));

void RequirePossible(const Recommendation& recommendation) {
  for (const double model : recommendation.model)
    Require(std::isfinite(model) && model >= 0, "a model's value is an amount");
  Require(recommendation.memory_guard >= 0, "the guard is an amount");
}

void Load(std::string_view text) {
  static const ModelOptions cpu = ModelOptions::Cpu(), memory = ModelOptions::Memory();
  TargetHistory history(cpu, memory);
  const std::string empty = history.Save();
  if (const huygens::Status status = history.Load(text); !status.ok()) {
    Require(!status.message().empty(), "an error says something");
    Require(history.Save() == empty, "an error changes nothing");
    return;
  }
  RequirePossible(history.Recommend(kNow));
  TargetHistory again(cpu, memory);
  Require(again.Load(history.Save()).ok(), "what was loaded can be saved and loaded");
  const std::optional<int64_t> amounts[] = {1000, 1 << 30};
  history.Add({"a", kNow, 4000, amounts}, {"a", kNow, 4000, amounts});
  RequirePossible(history.Recommend(kNow));
}

void Play(std::string_view text) {
  const auto recorded = ParseRecordedUse(text);
  if (!recorded.ok()) return Require(!recorded.status().message().empty(), "an error says something");
  const Simulation simulation = Simulate(*recorded, kWeekly, PoolPolicy());
  for (const SimulatedResource& resource : simulation.resources) {
    Require(resource.outcome.series() <= simulation.days, "no more days are judged than there are");
    Require(resource.worst_share >= 0 && resource.worst_share <= 1, "shares are shares");
    Require(resource.recommended >= 0 && resource.recommended <= resource.highest,
            "the last is no higher than the highest");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Load(text);
  Play(text);
  return 0;
}
