#include "resizing/resize_plan.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/quantity.h"
#include "cluster/pod_requests.h"
#include "json/append.h"

namespace huygens::resizing {
namespace {

using overcommit::RecordedAmount;
using overcommit::RecordedAmounts;
using recommend::kResources;

constexpr ResourceId kIdOf[kResources] = {kCpu, kMemory};
constexpr std::string_view kNameOf[kResources] = {"cpu", "memory"};

std::string AmountText(int64_t amount, size_t resource) { return ToQuantity(kIdOf[resource], amount).Canonical(); }

// {"name":"app","resources":{"requests":{"cpu":"800m"}}}; empty: nothing of it changes.
std::string ContainerText(std::string_view name, const recommend::PerResource<std::optional<int64_t>>& lowered) {
  std::string requests = "{";
  for (size_t resource = 0; resource < kResources; ++resource) {
    if (lowered[resource]) AppendJsonField(requests, kNameOf[resource], AmountText(*lowered[resource], resource));
  }
  if (requests == "{") return "";
  std::string text = "{";
  AppendJsonField(text, "name", name);
  return Concat(text, R"(,"resources":{"requests":)", requests, "}}}");
}

class Planning {
 public:
  Planning(const RunningPod& pod, overcommit::Record record) : pod_(pod), lowered_(pod.admitted.pod) {
    plan_.record = std::move(record);
  }

  ResizePlan Do() {
    std::string containers, sidecars;
    for (cluster::Container& each : lowered_.containers) Take(each, containers);
    for (cluster::Container& each : lowered_.init_containers) {
      if (each.restartable) Take(each, sidecars);
    }
    if (plan_.verdict != Verdict::kLower) return std::move(plan_);
    if (containers.empty() && sidecars.empty())
      return {.verdict = Verdict::kNothingToLower, .record = {}, .requests = {}};
    if (cluster::ComputeQos(lowered_) != cluster::QosClass::kBurstable) {
      return {.verdict = Verdict::kNotBurstable, .record = {}, .requests = {}};
    }
    plan_.requests = "{";
    if (!containers.empty()) plan_.requests += Concat(R"("containers":[)", containers, "]");
    if (!sidecars.empty()) {
      plan_.requests += Concat(containers.empty() ? "" : ",", R"("initContainers":[)", sidecars, "]");
    }
    plan_.requests += "}";
    return std::move(plan_);
  }

 private:
  void Take(cluster::Container& container, std::string& texts) {
    const std::string_view name = container.name;
    const auto recorded =
        std::ranges::find(plan_.record.containers, name, [](const auto& each) { return std::string_view(each.first); });
    if (recorded == plan_.record.containers.end()) return;
    recommend::PerResource<std::optional<int64_t>> lowered;
    for (size_t resource = 0; resource < kResources; ++resource) {
      std::optional<RecordedAmount>& amount = recorded->second[resource];
      if (!amount || !container.requests.Has(kIdOf[resource])) continue;
      const int64_t requested = container.requests.Get(kIdOf[resource]);
      if (amount->applied >= requested || !WorthTheStep(requested, amount->applied)) {
        amount->applied = requested;
        continue;
      }
      if (RestartsFor(pod_, name, resource)) plan_.verdict = Verdict::kWouldRestart;
      amount->before = requested;
      lowered[resource] = amount->applied;
      container.requests.Set(kIdOf[resource], amount->applied);
    }
    const std::string text = ContainerText(name, lowered);
    if (!text.empty()) texts += Concat(texts.empty() ? "" : ",", text);
  }

  const RunningPod& pod_;
  cluster::Pod lowered_;
  ResizePlan plan_;
};

}  // namespace

std::string_view Name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kLower:
      return "Lower";
    case Verdict::kNothingToLower:
      return "NothingToLower";
    case Verdict::kNotRunning:
      return "NotRunning";
    case Verdict::kNotBurstable:
      return "NotBurstable";
    case Verdict::kNotApplied:
      return "NotApplied";
    case Verdict::kBeingResized:
      return "BeingResized";
    case Verdict::kWouldRestart:
      return "WouldRestart";
    case Verdict::kPodAsAWhole:
      return "PodAsAWhole";
  }
  return "";
}

bool WorthTheStep(int64_t requested, int64_t wanted) {
  return wanted < requested &&
         static_cast<double>(requested - wanted) * 1e6 >= static_cast<double>(requested) * kSmallestStep;
}

ResizePlan PlanResize(const RunningPod& pod, const overcommit::PoolTerms& terms,
                      const recommend::Recommendation* recommendation) {
  const auto stays = [](Verdict verdict) { return ResizePlan{.verdict = verdict, .record = {}, .requests = {}}; };
  const cluster::Pod& known = pod.admitted.pod;
  if (known.phase != cluster::PodPhase::kRunning || known.deleting) return stays(Verdict::kNotRunning);
  if (pod.being_resized) return stays(Verdict::kBeingResized);
  if (known.pod_level) return stays(Verdict::kPodAsAWhole);
  if (cluster::ComputeQos(known) != cluster::QosClass::kBurstable) return stays(Verdict::kNotBurstable);
  overcommit::Lowering lowering = overcommit::LowerPod(pod.admitted, terms, recommendation);
  if (!lowering.record) return stays(Verdict::kNotApplied);
  return Planning(pod, *std::move(lowering.record)).Do();
}

std::string AnnotationPatch(const RunningPod& pod, const overcommit::Record& record) {
  std::string text = R"({"metadata":{)";
  AppendJsonField(text, "uid", pod.admitted.pod.uid);
  AppendJsonField(text, "resourceVersion", pod.resource_version);
  text += R"(,"annotations":{)";
  AppendJsonField(text, overcommit::kRecordAnnotation, overcommit::RecordText(record));
  return text + "}}}";
}

std::string ResizePatch(std::string_view uid, std::string_view resource_version, std::string_view requests) {
  std::string text = R"({"metadata":{)";
  AppendJsonField(text, "uid", uid);
  AppendJsonField(text, "resourceVersion", resource_version);
  return Concat(text, R"(},"spec":)", requests, "}");
}

}  // namespace huygens::resizing
