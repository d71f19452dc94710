#include "metrics_front/autoscaler.h"

#include "absl/strings/ascii.h"
#include "base/quantity.h"
#include "base/text.h"
#include "json/reader.h"
#include "quota/workload_kinds.h"
#include "wire/resources.h"
#include "workloads/reference.h"

namespace huygens::metrics_front {
namespace {

Status ReadTarget(JsonReader& in, ResourceMetric& out) {
  int64_t utilization = 0;
  HUYGENS_RETURN_IF_ERROR(in.Fields("averageUtilization", utilization));
  if (utilization > 0) out.utilization = utilization;
  return absl::OkStatus();
}

// Metrics of other types are not told by the metrics API.
Status ReadMetrics(JsonReader& in, std::vector<ResourceMetric>& out) {
  return in.Elements([&](size_t) -> Status {
    std::string type;
    ResourceMetric metric;
    const auto source = [&] {
      return in.Fields("name", metric.resource, "container", metric.container, "target",
                       [&] { return ReadTarget(in, metric); });
    };
    HUYGENS_RETURN_IF_ERROR(in.Fields("type", type, "resource", source, "containerResource", source));
    if (type == "Resource" || type == "ContainerResource") out.push_back(std::move(metric));
    return absl::OkStatus();
  });
}

Status ReadRules(JsonReader& in, std::optional<double>& tolerance) {
  return in.Fields("tolerance", [&]() -> Status {
    if (in.SkipNull()) return absl::OkStatus();
    Quantity quantity;
    HUYGENS_RETURN_IF_ERROR(wire::ReadQuantity(in, quantity));
    tolerance = static_cast<double>(quantity.MilliValue()) / 1000;
    return absl::OkStatus();
  });
}

std::string PathOfKind(std::string_view version, std::string_view kind) {
  const std::string_view group = workloads::GroupOfVersion(version);
  for (const quota::ChargedKind& each : quota::ChargedKinds()) {
    if (each.group == group && each.kind == kind) return std::string(each.path);
  }
  std::string plural = absl::AsciiStrToLower(ToAbsl(kind));
  const bool hissing = plural.ends_with('s') || plural.ends_with('x') || plural.ends_with("ch");
  return Concat(group.empty() ? "/api/" : "/apis/", version, "/", plural, hissing ? "es" : "s");
}

}  // namespace

StatusOr<Autoscaler> DecodeAutoscaler(std::string_view json) {
  return DecodeObject<Autoscaler>(json, [](JsonReader& in, Autoscaler& out) {
    const auto annotations = [&] {
      return in.Members(
          [&](const JsonKey& key) { return key.text == kBasisAnnotation ? in.Read(out.basis) : absl::OkStatus(); });
    };
    const auto metadata = [&] {
      return in.Fields("name", out.name, "namespace", out.namespace_name, "uid", out.uid, "annotations", annotations);
    };
    const auto target = [&] {
      return in.Fields("apiVersion", out.target_version, "kind", out.target_kind, "name", out.target_name);
    };
    const auto behavior = [&] {
      return in.Fields(
          "scaleUp", [&] { return ReadRules(in, out.tolerance_up); }, "scaleDown",
          [&] { return ReadRules(in, out.tolerance_down); });
    };
    const auto spec = [&] {
      return in.Fields(
          "scaleTargetRef", target, "metrics", [&] { return ReadMetrics(in, out.metrics); }, "behavior", behavior);
    };
    return in.Fields("metadata", metadata, "spec", spec);
  });
}

std::string ScalePath(const Autoscaler& autoscaler) {
  const std::string path = PathOfKind(autoscaler.target_version, autoscaler.target_kind);
  const size_t slash = path.rfind('/');
  return Concat(path.substr(0, slash), "/namespaces/", autoscaler.namespace_name, path.substr(slash), "/",
                autoscaler.target_name, "/scale");
}

StatusOr<Scale> DecodeScale(std::string_view json) {
  return DecodeObject<Scale>(json, [](JsonReader& in, Scale& out) {
    return in.Fields(
        "spec", [&] { return in.Fields("replicas", out.replicas); }, "status",
        [&] { return in.Fields("selector", out.selector); });
  });
}

}  // namespace huygens::metrics_front
