#include "workloads/object.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "json/reader.h"
#include "quota/pod_usage.h"
#include "wire/pod.h"
#include "workloads/pod_times.h"
#include "workloads/reference.h"

namespace huygens::workloads {
namespace {

constexpr std::string_view kJobController = "kubernetes.io/job-controller";

// Reads one object; templates are kept as text until all is read.
class Decoder {
 public:
  explicit Decoder(WorkloadObject& out) : out_(out), counted_(out.counted) {}

  Status Read(JsonReader& in) {
    return in.Members([&](const JsonKey& key) {
      if (key.Is("metadata")) return ReadMetadata(in);
      if (key.Is("spec")) return ReadSpec(in);
      return key.Is("status") ? ReadStatus(in) : absl::OkStatus();
    });
  }

  Status DecodeTemplates(std::string_view json, const ResourceNames& names) {
    for (const quota::Role& role : counted_.roles) {
      HUYGENS_RETURN_IF_ERROR(Annotate(AddTemplate(TemplateOf(role.name), names), role.name));
    }
    if (!counted_.roles.empty()) return absl::OkStatus();
    const bool is_pod = counted_.group.empty() && counted_.kind == "Pod";
    if (is_pod) return AddTemplate(json, names);
    return template_.empty() ? absl::OkStatus() : Annotate(AddTemplate(template_, names), "spec.template");
  }

 private:
  using Named = std::pair<std::string, std::string_view>;

  // All of them are of 32 bits, so that sums of a few, and products with amounts, are exact.
  static Status ReadNumber(JsonReader& in, int64_t& out) {
    int32_t number = 0;
    HUYGENS_RETURN_IF_ERROR(in.Read(number));
    out = number;
    return absl::OkStatus();
  }
  static Status ReadNumber(JsonReader& in, std::optional<int64_t>& out) {
    out.reset();
    return in.SkipNull() ? absl::OkStatus() : ReadNumber(in, out.emplace());
  }

  Status ReadMetadata(JsonReader& in) {
    return in.Members([&](const JsonKey& key) {
      if (key.Is("name")) return in.Read(out_.name);
      if (key.Is("namespace")) return in.Read(out_.namespace_name);
      if (key.Is("uid")) return in.Read(out_.uid);
      if (key.Is("resourceVersion")) return in.Read(out_.resource_version);
      if (key.Is("labels")) return ReadLabels(in);
      if (key.Is("ownerReferences")) return ReadOwners(in);
      if (key.Is("deletionTimestamp")) out_.deleting = in.Next() != JsonType::kNull;
      return absl::OkStatus();
    });
  }

  Status ReadLabels(JsonReader& in) {
    return in.Members([&](const JsonKey& key) -> Status {
      if (!key.text.starts_with(cluster::kQuotaGroupLabel)) return absl::OkStatus();
      const std::string label(key.text);
      std::string value;
      HUYGENS_RETURN_IF_ERROR(in.Read(value));
      TakeQuotaLabel(label, value, out_.labels);
      return absl::OkStatus();
    });
  }

  Status ReadOwners(JsonReader& in) {
    return in.Elements([&](size_t) -> Status {
      std::string api_version, kind, uid;
      bool controller = false;
      HUYGENS_RETURN_IF_ERROR(in.Members([&](const JsonKey& key) {
        if (key.Is("apiVersion")) return in.Read(api_version);
        if (key.Is("kind")) return in.Read(kind);
        if (key.Is("uid")) return in.Read(uid);
        return key.Is("controller") ? in.Read(controller) : absl::OkStatus();
      }));
      if (!controller || !out_.owner_kind.empty()) return absl::OkStatus();
      out_.owner_group = GroupOfVersion(api_version);
      out_.owner_kind = std::move(kind);
      out_.owner_uid = std::move(uid);
      return absl::OkStatus();
    });
  }

  Status ReadSpec(JsonReader& in) {
    return in.Members([&](const JsonKey& key) -> Status {
      if (key.Is("replicas")) return ReadNumber(in, counted_.replicas);
      if (key.Is("parallelism")) return ReadNumber(in, counted_.parallelism);
      if (key.Is("completions")) return ReadNumber(in, counted_.completions);
      if (key.Is("suspend")) return in.Read(counted_.suspended);
      if (key.Is("managedBy")) return ReadManager(in);
      if (key.Is("strategy")) return ReadStrategy(in);
      if (key.Is("workloadRef")) return ReadTemplateReference(in);
      if (key.Is("runPolicy")) return ReadRunPolicy(in);
      if (key.Is("elasticPolicy")) return ReadElasticPolicy(in);
      if (key.Is("template")) template_ = in.Next() == JsonType::kNull ? std::string_view() : in.Skip();
      // tfReplicaSpecs, pytorchReplicaSpecs and so on.
      return key.text.ends_with("ReplicaSpecs") ? ReadRoles(in) : absl::OkStatus();
    });
  }

  Status ReadManager(JsonReader& in) {
    std::string manager;
    HUYGENS_RETURN_IF_ERROR(in.Read(manager));
    counted_.managed_elsewhere = !manager.empty() && manager != kJobController;
    return absl::OkStatus();
  }

  Status ReadSurge(JsonReader& in) {
    return in.Members([&](const JsonKey& key) -> Status {
      if (key.Is("previewReplicaCount")) return ReadNumber(in, counted_.preview_replicas);
      if (!key.Is("maxSurge") || in.SkipNull()) return absl::OkStatus();
      if (in.Next() == JsonType::kString) return in.Read(counted_.max_surge.emplace("").emplace<std::string>());
      return ReadNumber(in, counted_.max_surge.emplace().emplace<int64_t>());
    });
  }

  Status ReadStrategy(JsonReader& in) {
    return in.Members([&](const JsonKey& key) -> Status {
      if (key.Is("blueGreen")) counted_.blue_green = in.Next() == JsonType::kObject;
      if (key.Is("rollingUpdate") || key.Is("canary") || key.Is("blueGreen")) return ReadSurge(in);
      if (!key.Is("type")) return absl::OkStatus();
      std::string type;
      HUYGENS_RETURN_IF_ERROR(in.Read(type));
      counted_.recreate = type == "Recreate";
      return absl::OkStatus();
    });
  }

  Status ReadTemplateReference(JsonReader& in) {
    return ReadReference(in, out_.template_group, out_.template_kind, out_.template_name);
  }

  Status ReadRunPolicy(JsonReader& in) {
    return in.Members(
        [&](const JsonKey& key) { return key.Is("suspend") ? in.Read(counted_.suspended) : absl::OkStatus(); });
  }

  Status ReadElasticPolicy(JsonReader& in) {
    return in.Members(
        [&](const JsonKey& key) { return key.Is("maxReplicas") ? ReadNumber(in, elastic_) : absl::OkStatus(); });
  }

  Status ReadRoles(JsonReader& in) {
    return in.Members([&](const JsonKey& key) {
      quota::Role& role = counted_.roles.emplace_back();
      role.name = key.text;
      return in.Members([&](const JsonKey& field) {
        if (field.Is("replicas")) return ReadNumber(in, role.replicas);
        if (field.Is("template")) role_templates_.emplace_back(role.name, in.Skip());
        return absl::OkStatus();
      });
    });
  }

  bool IsJob() const { return counted_.group == "batch" && counted_.kind == "Job"; }
  bool IsTrainingJob() const { return counted_.group == "kubeflow.org"; }

  // Each kind has fields of its own: `active` of a CronJob is a list.
  Status ReadStatus(JsonReader& in) {
    return in.Members([&](const JsonKey& key) -> Status {
      if (IsJob() && key.Is("succeeded")) return ReadNumber(in, counted_.succeeded);
      if (IsJob() && key.Is("active")) return ReadNumber(in, counted_.active);
      if (IsJob() && key.Is("terminating")) return ReadNumber(in, counted_.terminating);
      if ((IsJob() || IsTrainingJob()) && key.Is("conditions")) return ReadConditions(in);
      if (IsTrainingJob() && key.Is("replicaStatuses")) return ReadRoleStatuses(in);
      if (!key.Is("phase") || counted_.kind != "Pod") return absl::OkStatus();
      std::string phase;
      HUYGENS_RETURN_IF_ERROR(in.Read(phase));
      counted_.finished = phase == "Succeeded" || phase == "Failed";
      return absl::OkStatus();
    });
  }

  // Jobs end as Complete or Failed, training jobs as Succeeded or Failed.
  Status ReadConditions(JsonReader& in) {
    return in.Elements([&](size_t) -> Status {
      std::string type, status;
      HUYGENS_RETURN_IF_ERROR(in.Members([&](const JsonKey& key) {
        if (key.Is("type")) return in.Read(type);
        return key.Is("status") ? in.Read(status) : absl::OkStatus();
      }));
      const bool ends = type == "Failed" || type == (IsJob() ? "Complete" : "Succeeded");
      counted_.finished = counted_.finished || (ends && status == "True");
      return absl::OkStatus();
    });
  }

  Status ReadRoleStatuses(JsonReader& in) {
    return in.Members([&](const JsonKey& key) {
      const std::string role(key.text);
      return in.Members([&](const JsonKey& field) {
        return field.Is("active") ? ReadNumber(in, active_.emplace_back(role, 0).second) : absl::OkStatus();
      });
    });
  }

 public:
  // What is said of roles in other places than theirs.
  void CompleteRoles() {
    for (quota::Role& role : counted_.roles) {
      if (role.name == "Worker") role.max_replicas = elastic_;
      for (const auto& [name, active] : active_) {
        if (name == role.name) role.active = active;
      }
    }
  }

 private:
  std::string_view TemplateOf(std::string_view role) const {
    const auto at = std::find_if(role_templates_.begin(), role_templates_.end(),
                                 [&](const Named& each) { return each.first == role; });
    return at == role_templates_.end() ? std::string_view("{}") : at->second;
  }

  Status AddTemplate(std::string_view json, const ResourceNames& names) {
    HUYGENS_ASSIGN_OR_RETURN(cluster::Pod pod, wire::DecodePod(json, names));
    pod.phase = cluster::PodPhase::kPending;  // one that has ended is counted as none
    quota::DefaultPod(pod);
    out_.templates.push_back(std::move(pod));
    return absl::OkStatus();
  }

  WorkloadObject& out_;
  quota::Workload& counted_;
  std::string_view template_;
  std::vector<Named> role_templates_;
  std::vector<std::pair<std::string, int64_t>> active_;  // pods by role
  std::optional<int64_t> elastic_;
};

}  // namespace

StatusOr<WorkloadObject> DecodeWorkload(std::string_view group, std::string_view kind, std::string_view json,
                                        const ResourceNames& names) {
  HUYGENS_ASSIGN_OR_RETURN(JsonReader in, JsonReader::Open(json));
  if (in.Next() != JsonType::kObject) return in.Unexpected("an object");
  WorkloadObject object;
  object.counted.group = group;
  object.counted.kind = kind;
  Decoder decoder(object);
  if (Status status = decoder.Read(in); !status.ok()) return WithPlace(status);
  decoder.CompleteRoles();
  HUYGENS_RETURN_IF_ERROR(decoder.DecodeTemplates(json, names));
  if (group.empty() && kind == "Pod") HUYGENS_RETURN_IF_ERROR(ReadPodTimes(json, object));
  return object;
}

}  // namespace huygens::workloads
