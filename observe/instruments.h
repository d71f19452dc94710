// Metrics that the parts of a service make for themselves, each those of its own work, and what a scrape of all of them
// answers. Any thread. A label has a closed list of values that the program knows, never a text from outside.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace prometheus {
class Counter;
class Gauge;
class Histogram;
}  // namespace prometheus

namespace huygens::observe {

class CounterSeries {
 public:
  void Add(uint64_t count = 1) const;

 private:
  friend class Instruments;
  explicit CounterSeries(prometheus::Counter& counter) : counter_(&counter) {}
  prometheus::Counter* counter_;
};

class GaugeSeries {
 public:
  void Set(double value) const;

 private:
  friend class Instruments;
  explicit GaugeSeries(prometheus::Gauge& gauge) : gauge_(&gauge) {}
  prometheus::Gauge* gauge_;
};

class HistogramSeries {
 public:
  void Observe(double value) const;

 private:
  friend class Instruments;
  explicit HistogramSeries(prometheus::Histogram& histogram) : histogram_(&histogram) {}
  prometheus::Histogram* histogram_;
};

class Instruments {
 public:
  static constexpr std::string_view kContentType = "text/plain; version=0.0.4; charset=utf-8";
  using Labels = std::vector<std::pair<std::string, std::string>>;

  Instruments();
  ~Instruments();

  // The series of that name and these labels, which begins at 0, or the one that there is. Of one name kind, help and
  // names of labels are always the same. What they return holds as long as this.
  CounterSeries MakeCounter(const std::string& name, const std::string& help, const Labels& labels = {});
  GaugeSeries MakeGauge(const std::string& name, const std::string& help, const Labels& labels = {});
  // `bounds`: the upper bound of each bucket, ascending; one without bound comes after them.
  HistogramSeries MakeHistogram(const std::string& name, const std::string& help, std::span<const double> bounds,
                                const Labels& labels = {});

  // Prometheus' text format (version 0.0.4), families and series in a fixed order, with what is known of the process.
  std::string Render() const;

 private:
  struct Registry;
  std::unique_ptr<Registry> registry_;
};

}  // namespace huygens::observe
