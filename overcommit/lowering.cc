#include "overcommit/lowering.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/quantity.h"
#include "cluster/pod_requests.h"
#include "json/append.h"
#include "overcommit/json_patch.h"

namespace huygens::overcommit {
namespace {

using recommend::ContainerRequests;
using recommend::Decision;
using recommend::kResources;
using recommend::PodRequests;
using recommend::Source;

constexpr ResourceId kIdOf[kResources] = {kCpu, kMemory};
constexpr std::string_view kNameOf[kResources] = {"cpu", "memory"};

// A container that runs for as long as the pod does.
struct Running {
  cluster::Container* container;
  std::string path;  // of its resources in the pod
};

std::vector<Running> RunningOf(cluster::Pod& pod) {
  std::vector<Running> running;
  const auto add = [&](cluster::Container& container, std::string_view list, size_t index) {
    running.push_back({&container, Concat("/spec/", list, "/", std::to_string(index), "/resources")});
  };
  for (size_t i = 0; i < pod.containers.size(); ++i) add(pod.containers[i], "containers", i);
  for (size_t i = 0; i < pod.init_containers.size(); ++i) {
    if (pod.init_containers[i].restartable) add(pod.init_containers[i], "initContainers", i);
  }
  return running;
}

std::optional<int64_t> AmountIn(const ResourceVector& amounts, size_t resource) {
  if (!amounts.Has(kIdOf[resource])) return std::nullopt;
  return amounts.Get(kIdOf[resource]);
}

ContainerRequests RequestsOf(const ResourceVector& requests, const ResourceVector& limits,
                             const RecordedAmounts& recorded) {
  ContainerRequests result;
  for (size_t resource = 0; resource < kResources; ++resource) {
    result.requests[resource] = AmountIn(requests, resource);
    result.recorded[resource] =
        StillRecorded(recorded[resource], result.requests[resource], AmountIn(limits, resource));
  }
  return result;
}

bool HasWholeCpus(const cluster::Pod& pod) {
  const auto whole = [](const cluster::Container& container) {
    const int64_t cpu = container.requests.Get(kCpu);
    return cpu > 0 && cpu % 1000 == 0;
  };
  return std::ranges::any_of(pod.containers, whole) || std::ranges::any_of(pod.init_containers, whole);
}

bool AsksForZones(const cluster::Pod& pod) {
  return (pod.cpu_policy != cluster::CpuPolicy::kUnset && pod.cpu_policy != cluster::CpuPolicy::kNone) ||
         pod.smt != cluster::Smt::kUnset || pod.topology_awareness == true;
}

PodRequests AsDecided(const AdmittedPod& pod, const PoolTerms& terms) {
  PodRequests result;
  result.guaranteed = cluster::ComputeQos(pod.pod) == cluster::QosClass::kGuaranteed;
  result.opted_out = pod.opted_out;
  result.pinned = AsksForZones(pod.pod) || (result.guaranteed && terms.keep_whole_cpus && HasWholeCpus(pod.pod));
  return result;
}

// What is to be recorded of a request: what was decided, or where nothing was, what is recorded and still true.
std::optional<RecordedAmount> NowRecorded(const std::optional<recommend::Recorded>& decided, Source source,
                                          const RecordedAmounts* before, size_t resource,
                                          const ResourceVector& limits) {
  if (!decided) return std::nullopt;
  if (source == Source::kNone && before != nullptr && (*before)[resource]) source = (*before)[resource]->source;
  return RecordedAmount{decided->original, decided->applied, AmountIn(limits, resource), source};
}

std::string AmountText(int64_t amount, size_t resource) { return ToQuantity(kIdOf[resource], amount).Canonical(); }

std::string JsonText(std::string_view text) {
  std::string out;
  AppendJsonString(out, text);
  return out;
}

// All requests of a container whose object has no map of them.
std::string JsonMap(const ResourceVector& requests) {
  std::string out = "{";
  for (size_t resource = 0; resource < kResources; ++resource) {
    if (const auto amount = AmountIn(requests, resource)) {
      AppendJsonField(out, kNameOf[resource], AmountText(*amount, resource));
    }
  }
  return out + "}";
}

class PodLowering {
 public:
  PodLowering(const AdmittedPod& pod, const PoolTerms& terms, const recommend::Recommendation* recommendation)
      : admitted_(pod), terms_(terms), recommendation_(recommendation), lowered_(pod.pod) {}

  Lowering Do() {
    DecideContainers();
    DecidePodLevel();
    for (size_t resource = 0; resource < kResources; ++resource) {
      result_.applied[resource] = cluster::PodRequests(lowered_).Get(kIdOf[resource]);
    }
    // What was asked for at first: what is asked for now, and what was taken of it.
    for (size_t resource = 0; resource < kResources; ++resource) {
      result_.original[resource] = cluster::PodRequests(originally_).Get(kIdOf[resource]);
    }
    if (AnySource()) WriteRecord();
    result_.patch = patch_.Text();
    return std::move(result_);
  }

 private:
  bool AnySource() const {
    return std::ranges::any_of(result_.source, [](Source source) { return source != Source::kNone; });
  }

  void DecideContainers() {
    originally_ = admitted_.pod;
    std::vector<Running> running = RunningOf(lowered_), originally = RunningOf(originally_);
    PodRequests pod = AsDecided(admitted_, terms_);
    for (const Running& each : running) {
      const RecordedAmounts* recorded = FindContainer(admitted_.record, each.container->name);
      pod.containers.push_back(RequestsOf(each.container->requests, each.container->limits,
                                          recorded == nullptr ? RecordedAmounts() : *recorded));
    }
    const Decision decision = recommend::Decide(pod, terms_.policy, recommendation_);
    result_.reason = decision.reason;
    result_.source = decision.source;
    for (size_t i = 0; i < running.size(); ++i) {
      const ContainerRequests& decided = decision.containers[i];
      const RecordedAmounts* before = FindContainer(admitted_.record, running[i].container->name);
      RecordedAmounts record;
      bool changed = false;
      for (size_t resource = 0; resource < kResources; ++resource) {
        record[resource] = NowRecorded(decided.recorded[resource], decision.source[resource], before, resource,
                                       running[i].container->limits);
        if (record[resource]) originally[i].container->requests.Set(kIdOf[resource], record[resource]->original);
        changed |= Set(running[i], resource, decided.requests[resource]);
      }
      if (changed && WithoutMap(running[i])) {
        patch_.Add(Concat(running[i].path, "/requests"), JsonMap(running[i].container->requests));
      }
      if (record[0] || record[1]) record_.containers.emplace_back(std::string(running[i].container->name), record);
    }
  }

  bool WithoutMap(const Running& running) const {
    const std::string_view name = running.container->name;
    return std::ranges::any_of(admitted_.without_requests, [&](const std::string& each) { return each == name; });
  }

  bool Set(const Running& running, size_t resource, const std::optional<int64_t>& amount) {
    if (amount == AmountIn(running.container->requests, resource)) return false;
    running.container->requests.Set(kIdOf[resource], *amount);
    if (!WithoutMap(running)) {
      patch_.Add(Concat(running.path, "/requests/", kNameOf[resource]), JsonText(AmountText(*amount, resource)));
    }
    return true;
  }

  // After the containers. With requests as a whole, what they ask for is the pod's own business: no more than the whole.
  void DecidePodLevel() {
    if (!lowered_.pod_level || lowered_.pod_level->requests.empty()) return;
    cluster::PodResources& level = *lowered_.pod_level;
    PodRequests pod = AsDecided(admitted_, terms_);
    pod.containers.push_back(RequestsOf(level.requests, level.limits, admitted_.record.pod));
    const Decision decision = recommend::Decide(pod, terms_.policy, recommendation_);
    cluster::Pod containers = lowered_;
    containers.pod_level.reset();
    containers.overhead = {};
    const ResourceVector together = cluster::PodRequests(containers);
    for (size_t resource = 0; resource < kResources; ++resource) {
      if (decision.source[resource] != Source::kNone) result_.source[resource] = decision.source[resource];
      std::optional<recommend::Recorded> decided = decision.containers[0].recorded[resource];
      if (!decided) continue;
      if (decision.source[resource] != Source::kNone) {
        decided->applied = std::min(decided->original, std::max(decided->applied, together.Get(kIdOf[resource])));
        if (level.requests.Get(kIdOf[resource]) != decided->applied) {
          patch_.Add(Concat("/spec/resources/requests/", kNameOf[resource]),
                     JsonText(AmountText(decided->applied, resource)));
          level.requests.Set(kIdOf[resource], decided->applied);
        }
      }
      record_.pod[resource] =
          NowRecorded(decided, decision.source[resource], &admitted_.record.pod, resource, level.limits);
      originally_.pod_level->requests.Set(kIdOf[resource], decided->original);
    }
  }

  void WriteRecord() {
    record_.pool = terms_.name;
    record_.basis = terms_.basis;
    const std::string text = RecordText(record_);
    if (text != admitted_.record_text) {
      if (!admitted_.has_annotations) patch_.Add("/metadata/annotations", "{}");
      patch_.Add(Concat("/metadata/annotations/", PathPart(kRecordAnnotation)), JsonText(text));
    }
    result_.record = std::move(record_);
  }

  const AdmittedPod& admitted_;
  const PoolTerms& terms_;
  const recommend::Recommendation* const recommendation_;
  cluster::Pod lowered_, originally_;
  Record record_;
  JsonPatch patch_;
  Lowering result_;
};

}  // namespace

Lowering LowerPod(const AdmittedPod& pod, const PoolTerms& terms, const recommend::Recommendation* recommendation) {
  return PodLowering(pod, terms, recommendation).Do();
}

}  // namespace huygens::overcommit
