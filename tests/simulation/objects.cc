#include "tests/simulation/objects.h"

#include <algorithm>

#include "base/text.h"
#include "cluster/quota_transfer.h"
#include "quota/amounts.h"

namespace huygens::simulation {
namespace {

std::string Labels(const Workload& workload) {
  if (workload.group.empty()) return "{}";
  std::string text = Concat(R"({"biz.group.resource.quota":")", workload.group, R"(")");
  if (!workload.model.empty()) text += Concat(R"(,"biz.group.resource.quota/cpu-type":")", workload.model, R"(")");
  return text + "}";
}

std::string Containers(const Workload& workload) {
  return Concat(R"("containers":[{"name":"app","resources":{"limits":{"cpu":")", std::to_string(workload.milli_cores),
                R"(m"}}}])");
}

std::string PodStatus(const Workload& pod) {
  std::string text = Concat(R"(,"status":{"phase":")", pod.finished() ? "Succeeded" : "Running", R"(")");
  if (pod.scheduled) {
    text += Concat(R"(,"conditions":[{"type":"PodScheduled","status":"True","lastTransitionTime":")",
                   FormatRfc3339(*pod.scheduled), R"("}])");
  }
  if (pod.ended) {
    text += Concat(R"(,"containerStatuses":[{"name":"app","state":{"terminated":{"finishedAt":")",
                   FormatRfc3339(*pod.ended), R"("}}}])");
  }
  return text + "}";
}

}  // namespace

std::string_view ApiGroupOf(std::string_view kind) { return kind == kPods ? "" : kind == kJobs ? "batch" : "apps"; }

std::string_view ResourceOf(std::string_view kind) {
  return kind == kPods ? "pods" : kind == kJobs ? "jobs" : kind == kReplicaSets ? "replicasets" : "deployments";
}

std::string Json(const Workload& workload) {
  std::string text = Concat(R"({"metadata":{"name":")", workload.name, R"(","namespace":"ns","uid":")", workload.uid,
                            R"(","resourceVersion":")", std::to_string(workload.version), R"(",)");
  if (workload.deleting) text += R"("deletionTimestamp":"2026-01-01T00:00:00Z",)";
  if (!workload.owner_uid.empty()) {
    text += Concat(R"("ownerReferences":[{"apiVersion":")", ApiGroupOf(workload.owner_kind), R"(/v1","kind":")",
                   workload.owner_kind, R"(","name":"o","uid":")", workload.owner_uid, R"(","controller":true}],)");
  }
  text += Concat(R"("labels":)", Labels(workload), R"(},"spec":{)");
  if (workload.kind == kPods) {
    if (!workload.node.empty()) text += Concat(R"("nodeName":")", workload.node, R"(",)");
    return Concat(text, Containers(workload), "}", PodStatus(workload), "}");
  }
  const bool job = workload.kind == kJobs;
  text += Concat(job ? R"("parallelism":)" : R"("replicas":)", std::to_string(workload.replicas));
  if (job) text += Concat(R"(,"completions":)", std::to_string(workload.completions));
  text +=
      Concat(R"(,"template":{"metadata":{"labels":)", Labels(workload), R"(},"spec":{)", Containers(workload), "}}}");
  if (!job) return text + "}";
  text += Concat(R"(,"status":{"succeeded":)", std::to_string(workload.succeeded));
  if (workload.complete) text += R"(,"conditions":[{"type":"Complete","status":"True"}])";
  return text + "}}";
}

std::string ScaleJson(const Workload& workload, int64_t replicas) {
  return Concat(R"({"metadata":{"name":")", workload.name, R"(","namespace":"ns","uid":")", workload.uid,
                R"(","resourceVersion":")", std::to_string(workload.version), R"("},"spec":{)",
                replicas == 0 ? "" : Concat(R"("replicas":)", std::to_string(replicas)), "}}");
}

std::string Json(const cluster::BizGroupQuota& group) {
  std::string text =
      Concat(R"({"apiVersion":"quota.huygens.dev/v1alpha1","kind":"BizGroupResourceQuota","metadata":{"name":")",
             group.name, R"(","uid":")", group.uid, R"(","resourceVersion":")", group.resource_version, R"(")");
  if (group.deleting) text += R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")";
  if (!group.transfers.empty()) {
    text += R"(,"annotations":{)";
    for (const std::string& each : group.transfers) {
      text += Concat(text.back() == '{' ? "" : ",", R"(")", cluster::kTransferAnnotationPrefix, each, R"(":"")");
    }
    text += "}";
  }
  text += R"(},"spec":{)";
  if (!group.parent.empty()) text += Concat(R"("parentBizGroup":")", group.parent, R"(",)");
  text += R"("hard":{)";
  for (const auto& [key, amount] : group.hard) {
    text += Concat(text.back() == '{' ? "" : ",", R"(")", key, R"(":")", amount.Canonical(), R"(")");
  }
  text += "}";
  if (group.cash_policy) {
    text += Concat(R"(,"cashPolicy":{"period":"Day","timeZone":"UTC","anchor":")",
                   FormatRfc3339(*group.cash_policy->anchor), R"("})");
  }
  return text + "}}";
}

Plain PlainOf(const cluster::QuotaAmounts& amounts) {
  Plain plain;
  for (const auto& [key, amount] : amounts) plain[key] = amount.MilliValue();
  return plain;
}

cluster::QuotaAmounts AmountsOf(const Plain& plain) {
  cluster::QuotaAmounts amounts;
  for (const auto& [key, amount] : plain) quota::Set(amounts, key, Quantity::FromMilli(amount));
  return amounts;
}

Plain UseOf(const Workload& workload) {
  int64_t pods = workload.kind != kPods ? workload.replicas : workload.finished() ? 0 : 1;
  if (workload.kind == kJobs) {  // no more than it still wants
    pods = workload.complete ? 0 : std::clamp<int64_t>(workload.completions - workload.succeeded, 0, pods);
  }
  Plain use = {{"limits.cpu", pods * workload.milli_cores}, {"pods", pods * 1000}};
  if (!workload.model.empty()) use[Concat("limits.cpu.", workload.model)] = pods * workload.milli_cores;
  return use;
}

std::string Text(const Plain& plain) {
  std::string text;
  for (const auto& [key, amount] : plain) {
    text += Concat(text.empty() ? "" : " ", key, "=", Quantity::FromMilli(amount).Canonical());
  }
  return text;
}

}  // namespace huygens::simulation
