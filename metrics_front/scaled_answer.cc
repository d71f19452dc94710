#include "metrics_front/scaled_answer.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "metrics_front/pod_metrics.h"
#include "recommend/metrics_front.h"

namespace huygens::metrics_front {
namespace {

using recommend::Basis;
using recommend::FrontAnswer;
using recommend::ScaledContainer;
using recommend::ScaledPod;
using recommend::ScaleQuestion;

constexpr std::string_view kResourceNames[] = {"cpu", "memory"};

std::optional<Basis> BasisNamed(std::string_view name) {
  if (name == "limit") return Basis::kLimit;
  if (name == "original") return Basis::kOriginal;
  if (name == "native") return Basis::kRequest;
  return std::nullopt;
}

using MetricsByPod = TextMap<const PodMetrics*>;

// Of a pod that is listed twice the last counts.
MetricsByPod ByPod(const std::vector<PodMetrics>& metrics) {
  MetricsByPod by_pod;
  for (const PodMetrics& each : metrics) by_pod.insert_or_assign(each.name, &each);
  return by_pod;
}

const PodMetrics* Find(const MetricsByPod& all, std::string_view pod) {
  const auto at = all.find(pod);
  return at == all.end() ? nullptr : at->second;
}

// The pod with what was measured of it. The controller adds up what the list has, whatever containers the pod has.
ScaledPod WithUse(ScaledPod pod, const PodMetrics* metrics, size_t resource) {
  pod.has_metric = metrics != nullptr && !metrics->containers.empty();
  if (!pod.has_metric) return pod;
  pod.metric_time = metrics->timestamp;
  pod.metric_window = metrics->window;
  for (ScaledContainer& each : pod.containers) each.usage = 0;
  for (const ContainerMetrics& measured : metrics->containers) {
    auto at = std::ranges::find(pod.containers, measured.name, &ScaledContainer::name);
    if (at == pod.containers.end()) {
      at = pod.containers.insert(at, ScaledContainer{.name = measured.name, .amounts = {0, 0, 0}, .usage = 0});
    }
    const auto& amount = measured.usage[resource];
    at->usage = amount ? std::optional<int64_t>(amount->thousandths) : std::nullopt;
  }
  return pod;
}

// Several metrics of one resource that cannot all be told the truth by one list; empty: none.
std::string ConflictOf(const Autoscaler& autoscaler, std::string_view resource) {
  std::vector<const ResourceMetric*> metrics;
  for (const ResourceMetric& each : autoscaler.metrics) {
    if (each.resource == resource) metrics.push_back(&each);
  }
  if (metrics.size() < 2) return "";
  for (const ResourceMetric* each : metrics) {
    const auto same = std::ranges::count_if(
        metrics, [&](const ResourceMetric* other) { return other->container == each->container; });
    if (each->container.empty() || same > 1 || !each->utilization) {
      return Concat("several metrics of ", resource, " that one answer cannot serve");
    }
  }
  return "";
}

StatusOr<FrontAnswer> AnswerBy(const ScaleQuestion& question, Basis basis) {
  StatusOr<FrontAnswer> answer = recommend::AnswerFor(question, basis);
  if (answer.ok() || basis != Basis::kLimit) return answer;
  return recommend::AnswerFor(question, Basis::kOriginal);
}

class Rewriting {
 public:
  Rewriting(const MetricsByPod& measured, std::vector<Replacement>& out) : measured_(measured), out_(out) {}

  void Tell(const ScaleQuestion& question, const FrontAnswer& answer, size_t resource) {
    for (size_t i = 0; i < question.pods.size(); ++i) {
      const PodMetrics* metrics = answer.usage[i] ? Find(measured_, question.pods[i].name) : nullptr;
      if (metrics != nullptr) TellPod(question, *metrics, *answer.usage[i], resource);
    }
  }

 private:
  void TellPod(const ScaleQuestion& question, const PodMetrics& metrics, int64_t total, size_t resource) {
    std::vector<int64_t> used;
    std::vector<std::string_view> places;
    for (const ContainerMetrics& each : metrics.containers) {
      if (!question.container.empty() && each.name != question.container) continue;
      if (!each.usage[resource]) continue;
      used.push_back(std::max<int64_t>(0, each.usage[resource]->thousandths));
      places.push_back(each.usage[resource]->text);
    }
    if (places.empty()) return;
    const std::vector<int64_t> parts = recommend::Spread(total, used);
    for (size_t i = 0; i < parts.size(); ++i) out_.push_back({places[i], parts[i]});
  }

  const MetricsByPod& measured_;
  std::vector<Replacement>& out_;
};

}  // namespace

Basis BasisOf(const Autoscaler& autoscaler, std::span<const AskedPod* const> pods) {
  if (const auto named = BasisNamed(autoscaler.basis)) return *named;
  const AskedPod* youngest = nullptr;
  for (const AskedPod* each : pods) {
    if (!BasisNamed(each->basis)) continue;
    if (youngest == nullptr || each->created > youngest->created) youngest = each;
  }
  return youngest == nullptr ? Basis::kRequest : *BasisNamed(youngest->basis);
}

StatusOr<ScaledAnswer> ScaleAnswerFor(const Autoscaler& autoscaler, const Scale& scale, Basis basis,
                                      std::span<const AskedPod* const> pods, std::string_view measured, Time now,
                                      const ControllerOptions& options) {
  HUYGENS_ASSIGN_OR_RETURN(const std::vector<PodMetrics> metrics, DecodePodMetrics(measured));
  const MetricsByPod by_pod = ByPod(metrics);
  ScaledAnswer result;
  std::vector<Replacement> replacements;
  Rewriting rewriting(by_pod, replacements);
  for (size_t resource = 0; resource < recommend::kResources && basis != Basis::kRequest; ++resource) {
    const std::string conflict = ConflictOf(autoscaler, kResourceNames[resource]);
    if (!conflict.empty()) {
      result.conflict = conflict;
      continue;
    }
    for (const ResourceMetric& metric : autoscaler.metrics) {
      if (metric.resource != kResourceNames[resource] || !metric.utilization) continue;
      ScaleQuestion question{.resource = metric.resource,
                             .container = metric.container,
                             .current_replicas = scale.replicas,
                             .target_percent = *metric.utilization,
                             .tolerance_down = autoscaler.tolerance_down.value_or(options.tolerance),
                             .tolerance_up = autoscaler.tolerance_up.value_or(options.tolerance),
                             .now = now,
                             .cpu_initialization = options.cpu_initialization,
                             .initial_readiness_delay = options.initial_readiness_delay};
      for (const AskedPod* each : pods) {
        question.pods.push_back(WithUse(each->of_resource[resource], Find(by_pod, each->name), resource));
      }
      const StatusOr<FrontAnswer> answer = AnswerBy(question, basis);
      if (answer.ok()) rewriting.Tell(question, *answer, resource);
    }
  }
  result.changed = !replacements.empty();
  result.body = result.changed ? WithAmounts(measured, std::move(replacements)) : std::string(measured);
  return result;
}

}  // namespace huygens::metrics_front
