#include "metrics_front/asked_pod.h"

#include <utility>

#include "json/reader.h"

namespace huygens::metrics_front {
namespace {

using overcommit::AdmittedPod;
using recommend::Basis;
using recommend::ScaledContainer;
using recommend::ScaledPod;

constexpr ResourceId kResourceOf[] = {kCpu, kMemory};
// CPU is in thousandths already.
constexpr int64_t kThousandths[] = {1, 1000};

struct Condition {
  std::string type, status;
  std::optional<Time> since;
};

Status ReadConditions(JsonReader& in, ScaledPod& pod) {
  std::vector<Condition> conditions;
  HUYGENS_RETURN_IF_ERROR(ReadList(in, conditions, [&](Condition& each) {
    return in.Fields("type", each.type, "status", each.status, "lastTransitionTime",
                     [&] { return ReadTime(in, each.since); });
  }));
  for (const Condition& each : conditions) {
    if (each.type != "Ready") continue;
    pod.ready = each.status == "True";
    pod.ready_since = each.since.value_or(Time());
  }
  return absl::OkStatus();
}

ScaledPod::Phase PhaseOf(cluster::PodPhase phase) {
  switch (phase) {
    case cluster::PodPhase::kPending:
      return ScaledPod::Phase::kPending;
    case cluster::PodPhase::kRunning:
      return ScaledPod::Phase::kRunning;
    case cluster::PodPhase::kFailed:
      return ScaledPod::Phase::kFailed;
    default:
      return ScaledPod::Phase::kOther;
  }
}

std::optional<int64_t> AmountIn(const ResourceVector& amounts, size_t resource) {
  if (!amounts.Has(kResourceOf[resource])) return std::nullopt;
  return amounts.Get(kResourceOf[resource]) * kThousandths[resource];
}

ScaledContainer ContainerOf(const cluster::Container& container, const overcommit::Record& record, size_t resource) {
  ScaledContainer result{.name = std::string(container.name)};
  result.amounts[static_cast<size_t>(Basis::kRequest)] = AmountIn(container.requests, resource);
  result.amounts[static_cast<size_t>(Basis::kLimit)] = AmountIn(container.limits, resource);
  std::optional<int64_t>& original = result.amounts[static_cast<size_t>(Basis::kOriginal)];
  original = AmountIn(container.requests, resource);
  const overcommit::RecordedAmounts* recorded = overcommit::FindContainer(record, container.name);
  if (recorded == nullptr || !original) return result;
  const auto in_units = [&](const ResourceVector& amounts) -> std::optional<int64_t> {
    if (!amounts.Has(kResourceOf[resource])) return std::nullopt;
    return amounts.Get(kResourceOf[resource]);
  };
  const auto still =
      overcommit::StillRecorded((*recorded)[resource], in_units(container.requests), in_units(container.limits));
  if (still) original = still->original * kThousandths[resource];
  return result;
}

}  // namespace

StatusOr<AskedPod> DecodeAskedPod(std::string_view json, const ResourceNames& names) {
  HUYGENS_ASSIGN_OR_RETURN(AdmittedPod admitted, overcommit::DecodeAdmittedPod(json, names));
  ScaledPod common;
  HUYGENS_ASSIGN_OR_RETURN(
      AskedPod result, DecodeObject<AskedPod>(json, [&](JsonReader& in, AskedPod& out) {
        const auto metadata = [&] { return in.Fields("creationTimestamp", [&] { return ReadTime(in, out.created); }); };
        const auto status = [&] { return in.Fields("conditions", [&] { return ReadConditions(in, common); }); };
        return in.Fields("metadata", metadata, "status", status);
      }));
  const cluster::Pod& pod = admitted.pod;
  result.namespace_name = std::string(pod.namespace_name);
  result.name = pod.name;
  result.uid = std::string(pod.uid);
  result.basis = admitted.record.basis;
  result.workload = overcommit::WorkloadOf(admitted);
  common.name = pod.name;
  common.phase = PhaseOf(pod.phase);
  common.deleting = pod.deleting;
  common.started = pod.start_time;
  for (size_t resource = 0; resource < recommend::kResources; ++resource) {
    ScaledPod& of = result.of_resource[resource];
    of = common;
    for (const cluster::Container& each : pod.containers) {
      of.containers.push_back(ContainerOf(each, admitted.record, resource));
    }
    for (const cluster::Container& each : pod.init_containers) {
      if (each.restartable) of.containers.push_back(ContainerOf(each, admitted.record, resource));
    }
    if (pod.pod_level) of.pod_request = AmountIn(pod.pod_level->requests, resource);
  }
  result.labels = std::move(admitted.labels);
  return result;
}

}  // namespace huygens::metrics_front
