#include "replay/requests.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "recommend/decision.h"
#include "recommend/target_history.h"

namespace huygens::replay {
namespace {

using recommend::kWeekly;

constexpr Duration kPoint = std::chrono::minutes(15);
constexpr size_t kDays = 7;
constexpr double kMilli = 1000;
constexpr double kGibi = double{1 << 30};

double Peak(const std::vector<double>& use) { return *std::max_element(use.begin(), use.end()); }

double WrittenFor(const std::vector<double>& use) {
  const double peak = Peak(use);
  return peak > 0 ? std::exp2(std::ceil(std::log2(peak))) : 0;
}

int64_t Up(double amount) { return static_cast<int64_t>(std::ceil(amount)); }

// What the webhook would make of a pod of the application after kDays of its use.
void Lower(const App& app, Asked& asked) {
  const int64_t cpu = Up(asked[kTraceCpu] * kMilli), memory = Up(asked[kTraceMemory] * kGibi);
  recommend::TargetHistory history(recommend::ModelOptions::Cpu(kWeekly), recommend::ModelOptions::Memory(kWeekly));
  Time now = Time(std::chrono::sys_days(std::chrono::year(2026) / 3 / 2));
  for (size_t i = 0; i < kDays * kPoints; ++i, now += kPoint) {
    const std::optional<int64_t> used[] = {Up(app.use[kTraceCpu][i % kPoints] * kMilli),
                                           Up(app.use[kTraceMemory][i % kPoints] * kGibi)};
    history.Add({"pod", now, cpu, std::span(used, 1)}, {"pod", now, cpu, std::span(used + 1, 1)});
  }
  const recommend::Recommendation recommendation = history.Recommend(now);
  recommend::PoolPolicy policy;
  policy.enabled = policy.auto_apply = policy.memory = true;
  policy.type = recommend::PoolPolicy::Type::kDynamic;
  recommend::PodRequests pod;
  pod.containers.push_back({.requests = {cpu, memory}, .recorded = {}});
  const recommend::Decision decision = recommend::Decide(pod, policy, &recommendation);
  asked[kTraceCpu] = static_cast<double>(*decision.containers[0].requests[0]) / kMilli;
  asked[kTraceMemory] = static_cast<double>(*decision.containers[0].requests[1]) / kGibi;
}

}  // namespace

std::vector<Asked> RequestsOf(const Trace& trace, Requests requests) {
  std::vector<Asked> all(trace.apps.size());
  if (requests == Requests::kNone) return all;
  for (size_t i = 0; i < all.size(); ++i) {
    const App& app = trace.apps[i];
    for (size_t r = 0; r < kTraceResources.size(); ++r) all[i][r] = Peak(app.use[r]);
    all[i][kTraceCpu] = WrittenFor(app.use[kTraceCpu]);
    all[i][kTraceMemory] = WrittenFor(app.use[kTraceMemory]);
    if (requests == Requests::kRecommended) Lower(app, all[i]);
  }
  return all;
}

}  // namespace huygens::replay
