#include "controller/pod_spans.h"

#include <algorithm>
#include <utility>

#include "quota/pod_usage.h"

namespace huygens::controller {

using workloads::WorkloadObject;

void PodSpans::Set(const WorkloadObject& pod, const workloads::WorkloadIndex& known, const workloads::Costs& costs,
                   IsCounted is_counted, Time now) {
  if (!pod.scheduled || pod.templates.empty() || finished_.contains(pod.uid)) return;
  const auto running = pods_.find(pod.uid);
  if (pod.counted.finished && running != pods_.end()) {
    finished_.insert(pod.uid);
    return End(pod.uid, pod.ended.value_or(now));
  }
  const workloads::Payer payer = workloads::PayerOf(pod, known);
  if (payer.complete || running != pods_.end()) {
    unresolved_.erase(pod.uid);
  } else {
    unresolved_.insert(pod.uid);
  }
  if (running != pods_.end() && !payer.complete) return;
  if (payer.workload == nullptr || !is_counted(payer.workload->labels.group)) return End(pod.uid, now);
  const std::string& group = payer.workload->labels.group;
  CountedPod counted{
      .uid = pod.uid,
      .span = {.start = *pod.scheduled, .end = std::nullopt},
      .usage = quota::PodUsage(pod.templates.front(), payer.workload->labels, costs.names, costs.keys, costs.classes)};
  if (running != pods_.end()) {
    if (running->second.group == group && running->second.pod.usage == counted.usage) return;
    End(pod.uid, now);
    counted.span.start = std::max(counted.span.start, now);
  }
  if (pod.counted.finished) {  // since hours were counted last, perhaps; if not, it adds nothing
    counted.span.end = pod.ended.value_or(counted.span.start);
    finished_.insert(pod.uid);
    ended_[group].push_back(std::move(counted));
    return;
  }
  running_[group].insert(pod.uid);
  pods_.insert_or_assign(pod.uid, Running{group, std::move(counted)});
}

void PodSpans::Gone(std::string_view uid, Time now) {
  End(uid, now);
  finished_.erase(uid);
  unresolved_.erase(uid);
}

void PodSpans::End(std::string_view uid, Time at) {
  const auto found = pods_.find(uid);
  if (found == pods_.end()) return;
  Running ended = std::move(found->second);
  pods_.erase(found);
  if (const auto of_group = running_.find(ended.group); of_group != running_.end()) {
    of_group->second.erase(ended.pod.uid);
    if (of_group->second.empty()) running_.erase(of_group);
  }
  ended.pod.span.end = std::max(at, ended.pod.span.start);
  ended_[ended.group].push_back(std::move(ended.pod));
}

std::vector<CountedPod> PodSpans::Of(std::string_view group) const {
  std::vector<CountedPod> pods;
  if (const auto running = running_.find(group); running != running_.end()) {
    for (const std::string& uid : running->second) pods.push_back(pods_.find(uid)->second.pod);
  }
  if (const auto ended = ended_.find(group); ended != ended_.end()) {
    pods.insert(pods.end(), ended->second.begin(), ended->second.end());
  }
  return pods;
}

void PodSpans::Counted(std::string_view group, Time until) {
  const auto ended = ended_.find(group);
  if (ended == ended_.end()) return;
  std::erase_if(ended->second, [until](const CountedPod& each) { return *each.span.end <= until; });
  if (ended->second.empty()) ended_.erase(ended);
}

}  // namespace huygens::controller
