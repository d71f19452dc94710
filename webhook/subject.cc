#include "webhook/subject.h"

#include "json/reader.h"
#include "quota/workload_kinds.h"
#include "workloads/reference.h"

namespace huygens::webhook {

Subject SubjectOf(const AdmissionRequest& request) {
  const bool whole = request.subresource.empty();
  if (request.operation == Operation::kConnect) return Subject::kNothing;
  if (request.resource_group == "quota.huygens.dev" && request.resource == "bizgroupresourcequotas") {
    return whole ? Subject::kGroup : Subject::kNothing;
  }
  if (request.resource_group == "autoscaling" && request.resource == "horizontalpodautoscalers") {
    return whole ? Subject::kAutoscaler : Subject::kNothing;
  }
  if (!quota::IsKnownResource(request.resource_group, request.resource)) return Subject::kNothing;
  if (request.subresource == "scale") return Subject::kScale;
  if (!whole && !(request.resource == "pods" && request.subresource == "resize")) return Subject::kNothing;
  if (request.operation == Operation::kDelete) return Subject::kRelease;
  return quota::ChargesForItsPods(request.kind_group, request.kind) ? Subject::kWorkload : Subject::kDeferred;
}

StatusOr<ScaleObject> DecodeScale(std::string_view json) {
  return DecodeObject<ScaleObject>(json, [](JsonReader& in, ScaleObject& out) {
    return in.Members([&](const JsonKey& part) {
      const bool metadata = part.Is("metadata");
      if (!metadata && !part.Is("spec")) return absl::OkStatus();
      return in.Members([&](const JsonKey& key) {
        if (!metadata) return key.Is("replicas") ? in.Read(out.replicas) : absl::OkStatus();
        if (key.Is("uid")) return in.Read(out.uid);
        return key.Is("resourceVersion") ? in.Read(out.resource_version) : absl::OkStatus();
      });
    });
  });
}

StatusOr<Autoscaler> DecodeAutoscaler(std::string_view json) {
  return DecodeObject<Autoscaler>(json, [](JsonReader& in, Autoscaler& out) {
    return in.Members([&](const JsonKey& part) {
      if (!part.Is("spec")) return absl::OkStatus();
      return in.Members([&](const JsonKey& key) {
        if (key.Is("maxReplicas")) return in.Read(out.max_replicas);
        if (!key.Is("scaleTargetRef")) return absl::OkStatus();
        return workloads::ReadReference(in, out.target_group, out.target_kind, out.target_name);
      });
    });
  });
}

}  // namespace huygens::webhook
