#include "observe/render_families.h"

#include <prometheus/text_serializer.h>

#include <algorithm>

#include "observe/process_metrics.h"

namespace huygens::observe {

std::string RenderFamilies(std::vector<prometheus::MetricFamily> families) {
  AppendProcessMetrics(families);
  // The registry keeps series in a hash map.
  std::sort(families.begin(), families.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  for (prometheus::MetricFamily& family : families) {
    std::sort(family.metric.begin(), family.metric.end(),
              [](const auto& a, const auto& b) { return a.label < b.label; });
  }
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace huygens::observe
