#include "webhook/pod_mutation.h"

#include <optional>
#include <utility>

#include "base/quantity.h"
#include "base/text.h"
#include "observe/overcommit_metrics.h"
#include "overcommit/admitted_pod.h"
#include "overcommit/lowering.h"

namespace huygens::webhook {
namespace {

using overcommit::AdmittedPod;
using overcommit::Lowering;
using overcommit::PodOwner;
using overcommit::PoolTerms;

constexpr ResourceId kResourceOf[] = {kCpu, kMemory};
constexpr std::string_view kResourceNames[] = {"cpu", "memory"};

PoolTerms TermsOf(const settings::OvercommitPools& pools, const settings::PoolConfiguration* pool, LabelLookup labels) {
  PoolTerms terms{.name = {}, .policy = pools.PolicyOf(pool, labels), .basis = {}};
  if (pool == nullptr) return terms;
  terms.name = pool->name;
  terms.basis = settings::BasisName(pool->hpa_basis);
  terms.keep_whole_cpus = pool->whole_cpus == settings::GuaranteedPods::kKeep;
  return terms;
}

// "pool shared: cpu 4 to 1200m (static)", for audit logs.
std::string Summary(const PoolTerms& terms, const Lowering& lowering) {
  std::string text = Concat("pool ", terms.name, ": ");
  bool any = false;
  for (size_t i = 0; i < recommend::kResources; ++i) {
    if (lowering.source[i] == recommend::Source::kNone) continue;
    const auto amount = [i](int64_t units) { return ToQuantity(kResourceOf[i], units).Canonical(); };
    text += Concat(any ? ", " : "", kResourceNames[i], " ", amount(lowering.original[i]), " to ",
                   amount(lowering.applied[i]), " (", recommend::Name(lowering.source[i]), ")");
    any = true;
  }
  return any ? text : Concat(text, recommend::Name(lowering.reason));
}

}  // namespace

bool IsAPodToBe(const AdmissionRequest& request) {
  return request.operation == Operation::kCreate && request.resource_group.empty() && request.resource == "pods" &&
         request.subresource.empty() && !request.object.empty();
}

AdmissionAnswer PodMutation::AsWritten(const AdmissionRequest& request, std::string_view why) {
  if (const auto left_out = warnings_.Allow(environment_.clock.Now())) {
    environment_.log.Warn(
        "a pod is created as it is written",
        {{"namespace", request.namespace_name}, {"name", request.name}, {"why", why}, {"leftOut", *left_out}});
  }
  AdmissionAnswer answer{.uid = request.uid};
  answer.audit_annotations.emplace_back("overcommit", Concat("as written: ", why));
  return answer;
}

AdmissionAnswer PodMutation::Judge(const AdmissionRequest& request) {
  observe::OvercommitMetrics& metrics = environment_.metrics.overcommit();
  AdmissionAnswer answer{.uid = request.uid};
  if (!IsAPodToBe(request) || pools_.off()) return answer;
  const StatusOr<AdmittedPod> pod = overcommit::DecodeAdmittedPod(request.object, names_);
  if (!pod.ok()) {
    metrics.PodCreated("Unreadable");
    answer = AsWritten(request, Message(pod.status()));
    answer.warnings.push_back(Concat("huygens leaves the requests of this pod as they are: ", Message(pod.status())));
    return answer;
  }
  const auto label = [&](std::string_view key) -> std::optional<std::string_view> {
    const std::string* value = overcommit::LabelOf(*pod, key);
    return value == nullptr ? std::nullopt : std::optional<std::string_view>(*value);
  };
  const settings::PoolConfiguration* pool = pools_.Of(request.namespace_name, label);
  if (pool == nullptr) {
    metrics.PodCreated("NoPool");
    return answer;
  }
  if (const std::string missing = known_.NotReady(); !missing.empty()) {
    metrics.PodCreated("NotReady");
    return AsWritten(request, missing);
  }
  const PoolTerms terms = TermsOf(pools_, pool, label);
  const PodOwner owner = overcommit::WorkloadOf(*pod).value_or(PodOwner());
  const Time now = environment_.clock.Now();
  const recommendation_api::Recommendation* found =
      known_.index().For(request.namespace_name, owner.group, owner.kind, owner.name,
                         request.name.empty() ? pod->pod.name : request.name, terms.policy, now);
  std::optional<recommend::Recommendation> model;
  if (found != nullptr) model = recommendation_api::ModelOf(found->status, now);
  Lowering lowering = overcommit::LowerPod(*pod, terms, model ? &*model : nullptr);

  metrics.PodCreated(recommend::Name(lowering.reason));
  for (size_t i = 0; i < recommend::kResources; ++i) {
    metrics.RequestDecided(kResourceNames[i], recommend::Name(lowering.source[i]));
  }
  answer.patch = std::move(lowering.patch);
  answer.audit_annotations.emplace_back("overcommit", Summary(terms, lowering));
  if (!pod->record_fault.empty()) {
    answer.warnings.push_back(Concat("the annotation ", overcommit::kRecordAnnotation,
                                     " cannot be read and counts as absent: ", pod->record_fault));
  }
  return answer;
}

}  // namespace huygens::webhook
