#include "recommendation_api/report.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "recommendation_api/amounts.h"

namespace huygens::recommendation_api {

namespace {

using recommend::Resource;

std::string UsedText(Resource resource, double used) {
  const double amount = std::ceil(used * recommend::UnitsOf(resource));
  return AmountText(resource, amount < 9e18 ? static_cast<int64_t>(amount) : INT64_MAX);
}

admin_api::RecommendedAmount AmountOf(Resource resource, const Amounts& amounts, const std::optional<Used>& used) {
  admin_api::RecommendedAmount out;
  out.original = amounts.original;
  out.requested = amounts.requested;
  out.fixed = amounts.fixed;
  out.recommended = amounts.recommended;
  if (used) {
    out.p50 = UsedText(resource, used->p50);
    out.p95 = UsedText(resource, used->p95);
    out.most = UsedText(resource, used->most);
  }
  const auto original = ParseAmount(resource, amounts.original), fit = ParseAmount(resource, amounts.recommended);
  if (original && fit && *original > 0) {
    out.saving = 1 - static_cast<double>(*fit) / static_cast<double>(*original);
  }
  return out;
}

}  // namespace

admin_api::RecommendationRow RowOf(const Recommendation& recommendation, Time now) {
  const RecommendationStatus& status = recommendation.status;
  admin_api::RecommendationRow row;
  row.namespace_name = recommendation.metadata.namespace_name;
  row.name = recommendation.metadata.name;
  row.dimension = Name(recommendation.target.dimension);
  row.kind = recommendation.target.kind;
  row.target = recommendation.target.name;
  row.pool = status.pool;
  row.pods = status.pods;
  row.cpu = AmountOf(Resource::kCpu, status.pod_cpu, status.cpu);
  row.memory = AmountOf(Resource::kMemory, status.pod_memory, status.memory);
  row.confidence = status.confidence;
  if (const recommend::Recommendation model = ModelOf(status, now); model.ready) {
    row.age_seconds = std::max<int64_t>(0, std::chrono::duration_cast<std::chrono::seconds>(model.age).count());
  }
  const Condition* applied = FindCondition(status.conditions, kApplied);
  if (applied == nullptr) applied = FindCondition(status.conditions, kReady);
  if (applied == nullptr) {
    row.reason = "New";
    row.message = "huygens controller has not looked at it yet";
    return row;
  }
  row.applied = applied->type == kApplied && applied->status == "True";
  row.reason = applied->reason;
  row.message = applied->message;
  return row;
}

}  // namespace huygens::recommendation_api
