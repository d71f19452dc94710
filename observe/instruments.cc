#include "observe/instruments.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include "observe/render_families.h"

namespace huygens::observe {
namespace {

prometheus::Labels Plain(const Instruments::Labels& labels) { return {labels.begin(), labels.end()}; }

}  // namespace

void CounterSeries::Add(uint64_t count) const { counter_->Increment(static_cast<double>(count)); }
void GaugeSeries::Set(double value) const { gauge_->Set(value); }
void HistogramSeries::Observe(double value) const { histogram_->Observe(value); }

struct Instruments::Registry {
  prometheus::Registry registry;
};

Instruments::Instruments() : registry_(std::make_unique<Registry>()) {}
Instruments::~Instruments() = default;

CounterSeries Instruments::MakeCounter(const std::string& name, const std::string& help, const Labels& labels) {
  return CounterSeries(
      prometheus::BuildCounter().Name(name).Help(help).Register(registry_->registry).Add(Plain(labels)));
}

GaugeSeries Instruments::MakeGauge(const std::string& name, const std::string& help, const Labels& labels) {
  return GaugeSeries(prometheus::BuildGauge().Name(name).Help(help).Register(registry_->registry).Add(Plain(labels)));
}

HistogramSeries Instruments::MakeHistogram(const std::string& name, const std::string& help,
                                           std::span<const double> bounds, const Labels& labels) {
  auto& family = prometheus::BuildHistogram().Name(name).Help(help).Register(registry_->registry);
  return HistogramSeries(
      family.Add(Plain(labels), prometheus::Histogram::BucketBoundaries(bounds.begin(), bounds.end())));
}

std::string Instruments::Render() const { return RenderFamilies(registry_->registry.Collect()); }

}  // namespace huygens::observe
