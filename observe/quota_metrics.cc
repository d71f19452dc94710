#include "observe/quota_metrics.h"

#include <utility>

namespace huygens::observe {

void AppendQuotas(std::vector<prometheus::MetricFamily>& families, std::span<const QuotaFigures> quotas) {
  auto family = [](const char* name, const char* help) {
    return prometheus::MetricFamily{name, help, prometheus::MetricType::Gauge, {}};
  };
  auto hard = family("huygens_quota_hard", "Budget of a business group, in units; hours for cash keys.");
  auto used =
      family("huygens_quota_used", "What its own pods and its children's budgets take of a business group's budget.");
  auto append = [](prometheus::MetricFamily& to, const QuotaFigures& of, double value) {
    prometheus::ClientMetric& metric = to.metric.emplace_back();
    metric.label = {{"group", of.group}, {"key", of.key}};
    metric.gauge.value = value;
  };
  for (const QuotaFigures& each : quotas) {
    append(hard, each, each.hard);
    if (each.used) append(used, each, *each.used);
  }
  families.push_back(std::move(hard));
  families.push_back(std::move(used));
}

}  // namespace huygens::observe
