#include "recommendations/measured_pod.h"

#include <algorithm>
#include <utility>

#include "cluster/pod_requests.h"
#include "json/reader.h"
#include "overcommit/admitted_pod.h"
#include "overcommit/lowering.h"

namespace huygens::recommendations {

namespace {

using recommend::kResources;

constexpr ResourceId kIds[kResources] = {kCpu, kMemory};
constexpr size_t kMostRunning = 64;
// They differ between the replicas of one workload.
constexpr std::string_view kReplicaLabels[] = {"statefulset.kubernetes.io/pod-name", "apps.kubernetes.io/pod-index"};

// What kubelet says of one container.
struct ContainerState {
  std::string name;
  bool running = false;
  std::optional<Time> oom_killed;
};

Status ReadTermination(JsonReader& in, std::optional<Time>& oom_killed) {
  std::string reason;
  std::optional<Time> finished;
  HUYGENS_RETURN_IF_ERROR(in.Fields("reason", reason, "finishedAt", [&] { return ReadTime(in, finished); }));
  if (reason == "OOMKilled" && finished) oom_killed = std::max(oom_killed.value_or(*finished), *finished);
  return absl::OkStatus();
}

Status ReadState(JsonReader& in, bool* running, std::optional<Time>& oom_killed) {
  return in.Members([&](const JsonKey& key) {
    if (key.Is("running") && running != nullptr) *running = in.Next() == JsonType::kObject;
    return key.Is("terminated") ? ReadTermination(in, oom_killed) : absl::OkStatus();
  });
}

Status ReadContainerStates(JsonReader& in, std::vector<ContainerState>& out) {
  return in.Elements([&](size_t) {
    ContainerState& state = out.emplace_back();
    return in.Fields(
        "name", state.name, "state", [&] { return ReadState(in, &state.running, state.oom_killed); }, "lastState",
        [&] { return ReadState(in, nullptr, state.oom_killed); });
  });
}

struct Seen {
  std::optional<Time> created;
  std::vector<ContainerState> states;
};

StatusOr<Seen> ReadSeen(std::string_view json) {
  return DecodeObject<Seen>(json, [](JsonReader& in, Seen& out) {
    const auto states = [&] { return ReadContainerStates(in, out.states); };
    return in.Fields(
        "metadata", [&] { return in.Fields("creationTimestamp", [&] { return ReadTime(in, out.created); }); }, "status",
        [&] { return in.Fields("containerStatuses", states, "initContainerStatuses", states); });
  });
}

std::optional<int64_t> AmountIn(const ResourceVector& amounts, size_t resource) {
  if (!amounts.Has(kIds[resource])) return std::nullopt;
  return amounts.Get(kIds[resource]);
}

// Puts the requests that a container was written with in place of those that it has, and says both.
PodContainer TakeContainer(cluster::Container& container, const overcommit::Record& record) {
  PodContainer out{.name = std::string(container.name), .original = {}, .requested = {}, .limit = {}};
  const overcommit::RecordedAmounts* recorded = overcommit::FindContainer(record, container.name);
  for (size_t i = 0; i < kResources; ++i) {
    out.requested[i] = out.original[i] = AmountIn(container.requests, i);
    out.limit[i] = AmountIn(container.limits, i);
    if (recorded == nullptr) continue;
    const auto still = overcommit::StillRecorded((*recorded)[i], out.requested[i], out.limit[i]);
    if (!still) continue;
    out.original[i] = still->original;
    container.requests.Set(kIds[i], still->original);
  }
  return out;
}

// Whether the pod would be kept as it is even by a pool that lowers all that it may.
bool IsPinned(const overcommit::AdmittedPod& as_written) {
  overcommit::PoolTerms terms;
  terms.policy.enabled = terms.policy.auto_apply = terms.policy.lower_guaranteed = true;
  return overcommit::LowerPod(as_written, terms, nullptr).reason == recommend::Decision::Reason::kGuaranteedKept;
}

std::shared_ptr<const PodShape> ShapeOf(overcommit::AdmittedPod& pod) {
  auto shape = std::make_shared<PodShape>();
  if (const auto owner = overcommit::WorkloadOf(pod)) shape->owner = {owner->group, owner->kind, owner->name};
  for (auto& [key, value] : pod.labels) {
    if (std::ranges::find(kReplicaLabels, key) == std::end(kReplicaLabels)) shape->labels.emplace_back(key, value);
  }
  for (cluster::Container& each : pod.pod.containers) shape->containers.push_back(TakeContainer(each, pod.record));
  for (cluster::Container& each : pod.pod.init_containers) {
    if (each.restartable) shape->containers.push_back(TakeContainer(each, pod.record));
  }
  shape->opted_out = pod.opted_out;
  // As written: of the pod as it is now, the record would be wrong.
  pod.record = {};
  pod.record_text.clear();
  pod.opted_out = false;
  shape->guaranteed = cluster::ComputeQos(pod.pod) == cluster::QosClass::kGuaranteed;
  shape->pinned = IsPinned(pod);
  return shape;
}

// What a container may use of memory; else what it asks for.
int64_t MostMemory(const PodContainer& container) {
  constexpr auto kOfMemory = static_cast<size_t>(recommend::Resource::kMemory);
  return container.limit[kOfMemory].value_or(container.original[kOfMemory].value_or(0));
}

void TakeStates(const std::vector<ContainerState>& states, MeasuredPod& pod) {
  const std::vector<PodContainer>& containers = pod.shape->containers;
  for (const ContainerState& state : states) {
    const auto at = std::ranges::find(containers, state.name, &PodContainer::name);
    if (at == containers.end()) continue;
    const auto position = static_cast<size_t>(at - containers.begin());
    if (state.running && position < kMostRunning) pod.running |= uint64_t{1} << position;
    if (!state.oom_killed) continue;
    int64_t bytes = 0;
    for (const PodContainer& each : containers) {
      const int64_t of_it = &each == &*at ? MostMemory(each) : each.requested[1].value_or(0);
      bytes = SaturatingAdd(bytes, of_it);
    }
    pod.oom_kills.push_back({*state.oom_killed, bytes});
  }
}

}  // namespace

std::optional<int64_t> PodShape::SumOf(recommend::PerResource<std::optional<int64_t>> PodContainer::* amounts,
                                       recommend::Resource resource) const {
  std::optional<int64_t> sum;
  for (const PodContainer& each : containers) {
    const std::optional<int64_t>& amount = (each.*amounts)[static_cast<size_t>(resource)];
    if (amount) sum = SaturatingAdd(sum.value_or(0), *amount);
  }
  return sum;
}

recommend::PodRequests PodShape::AsWritten() const {
  recommend::PodRequests pod;
  for (const PodContainer& each : containers) pod.containers.push_back({.requests = each.original, .recorded = {}});
  pod.guaranteed = guaranteed;
  pod.opted_out = opted_out;
  pod.pinned = pinned;
  return pod;
}

StatusOr<MeasuredPod> DecodeMeasuredPod(std::string_view json, const ResourceNames& names) {
  HUYGENS_ASSIGN_OR_RETURN(overcommit::AdmittedPod admitted, overcommit::DecodeAdmittedPod(json, names));
  HUYGENS_ASSIGN_OR_RETURN(const Seen seen, ReadSeen(json));
  MeasuredPod pod;
  pod.namespace_name = std::string_view(admitted.pod.namespace_name);
  pod.name = admitted.pod.name;
  pod.uid = std::string_view(admitted.pod.uid);
  pod.counts = admitted.pod.phase == cluster::PodPhase::kRunning && !admitted.pod.deleting;
  pod.created = seen.created.value_or(Time());
  pod.shape = ShapeOf(admitted);
  TakeStates(seen.states, pod);
  return pod;
}

}  // namespace huygens::recommendations
