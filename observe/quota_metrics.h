// The budgets of business groups as metrics, made for each scrape, since groups and keys come and go. For the files of
// observe/ only: shows the library.
#pragma once

#include <prometheus/metric_family.h>

#include <span>
#include <vector>

#include "observe/metrics.h"

namespace huygens::observe {

void AppendQuotas(std::vector<prometheus::MetricFamily>& families, std::span<const QuotaFigures> quotas);

}  // namespace huygens::observe
