#include "observe/overcommit_metrics.h"

#include <string>
#include <utility>

#include "observe/by_value.h"
#include "observe/families.h"

namespace huygens::observe {
namespace {

using prometheus::Counter;

}  // namespace

struct OvercommitMetrics::Series {
  explicit Series(prometheus::Registry& registry)
      : created(CountersNamed(registry, "huygens_overcommit_pods_total",
                              "Pods seen on their way into the cluster, by why their requests were lowered or not.")),
        by_reason(kLoweringReasons,
                  [this](std::string reason) -> Counter& { return created.Add({{"reason", std::move(reason)}}); }),
        decided(CountersNamed(registry, "huygens_overcommit_requests_total",
                              "Requests of pods of pools, by resource and by what decided them.")),
        by_source(kLoweredResources, kLoweringSources,
                  [this](const std::string& resource, std::string source) -> Counter& {
                    return decided.Add({{"resource", resource}, {"source", std::move(source)}});
                  }),
        answered(CountersNamed(registry, "huygens_metrics_front_answers_total",
                               "Answers of the metrics API, by what was done to what upstream said.")),
        by_answer(kFrontAnswers,
                  [this](std::string how) -> Counter& { return answered.Add({{"answer", std::move(how)}}); }) {}

  CounterFamily& created;
  ByValue<Counter> by_reason;
  CounterFamily& decided;
  ByTwoValues<Counter> by_source;
  CounterFamily& answered;
  ByValue<Counter> by_answer;
};

OvercommitMetrics::OvercommitMetrics(prometheus::Registry& registry) : series_(std::make_unique<Series>(registry)) {}
OvercommitMetrics::~OvercommitMetrics() = default;

void OvercommitMetrics::PodCreated(std::string_view reason) { series_->by_reason[reason].Increment(); }
void OvercommitMetrics::RequestDecided(std::string_view resource, std::string_view source) {
  series_->by_source.At(resource, source).Increment();
}
void OvercommitMetrics::FrontAnswered(std::string_view how) { series_->by_answer[how].Increment(); }

}  // namespace huygens::observe
