// Families of metrics that are registered by name, and counters that are set to what others counted. For the files of
// observe/ alone: it shows prometheus-cpp.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

namespace huygens::observe {

using CounterFamily = prometheus::Family<prometheus::Counter>;
using GaugeFamily = prometheus::Family<prometheus::Gauge>;

inline CounterFamily& CountersNamed(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}
inline GaugeFamily& GaugesNamed(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
}

// `total`: what was counted elsewhere since the start.
template <typename Number>
void RaiseTo(prometheus::Counter& counter, Number total) {
  counter.Increment(static_cast<double>(total) - counter.Value());
}
template <typename Number>
void RaiseTo(CounterFamily& family, const prometheus::Labels& labels, Number total) {
  RaiseTo(family.Add(labels), total);
}

}  // namespace huygens::observe
