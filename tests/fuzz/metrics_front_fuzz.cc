// Any bytes as what the metrics API says, as an autoscaler, and as a pod that it is about. Amounts that are replaced leave
// a list that says them and is otherwise the same.
#include <algorithm>

#include "metrics_front/pod_metrics.h"
#include "metrics_front/scaled_answer.h"
#include "tests/fuzz/require.h"

namespace huygens {
namespace {

using fuzz::Require;
using metrics_front::PodMetrics;

void CheckList(std::string_view text) {
  const StatusOr<std::vector<PodMetrics>> list = metrics_front::DecodePodMetrics(text);
  if (!list.ok()) return Require(!Message(list.status()).empty(), "an error has a message");
  std::vector<metrics_front::Replacement> replacements;
  for (const PodMetrics& pod : *list) {
    for (const metrics_front::ContainerMetrics& container : pod.containers) {
      if (container.usage[0]) replacements.push_back({container.usage[0]->text, 7});
    }
  }
  const std::string told = metrics_front::WithAmounts(text, replacements);
  const StatusOr<std::vector<PodMetrics>> again = metrics_front::DecodePodMetrics(told);
  Require(again.ok() && again->size() == list->size(), "a list with other amounts is one");
  for (const PodMetrics& pod : *again) {
    for (const metrics_front::ContainerMetrics& container : pod.containers) {
      Require(!container.usage[0] || container.usage[0]->thousandths == 7, "it says them");
    }
  }
  metrics_front::Autoscaler autoscaler;
  autoscaler.metrics = {{"cpu", "", 50}, {"memory", "app", 80}};
  std::vector<metrics_front::AskedPod> pods(list->empty() ? 0 : 1);
  std::vector<const metrics_front::AskedPod*> pointers;
  for (metrics_front::AskedPod& pod : pods) {
    pod.name = list->front().name;
    for (auto& of : pod.of_resource) {
      of.name = pod.name;
      of.started = Time();
      of.ready = true;
      of.containers.push_back({.name = "app", .amounts = {1000, 2000, 4000}, .usage = std::nullopt});
    }
    pointers.push_back(&pod);
  }
  const auto answer = metrics_front::ScaleAnswerFor(autoscaler, {3, ""}, recommend::Basis::kLimit, pointers, text,
                                                    Time(std::chrono::hours(1)), {});
  Require(answer.ok() && metrics_front::DecodePodMetrics(answer->body).ok(), "what is served can be read");
}

}  // namespace
}  // namespace huygens

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  huygens::CheckList(text);
  const auto autoscaler = huygens::metrics_front::DecodeAutoscaler(text);
  if (autoscaler.ok()) (void)huygens::metrics_front::ScalePath(*autoscaler);
  (void)huygens::metrics_front::DecodeScale(text);
  (void)huygens::metrics_front::DecodeAskedPod(text, huygens::ResourceNames());
  return 0;
}
