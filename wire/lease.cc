#include "wire/lease.h"

#include "json/append.h"
#include "json/reader.h"

namespace huygens::wire {
namespace {

constexpr std::string_view kWaitingAnnotation = "huygens.dev/waiting";

Status ReadSpec(JsonReader& in, Lease& out) {
  return in.Members([&](const JsonKey& key) {
    if (key.Is("holderIdentity")) return in.Read(out.holder);
    if (key.Is("leaseDurationSeconds")) return in.Read(out.duration_seconds);
    if (key.Is("acquireTime")) return ReadTime(in, out.acquired);
    if (key.Is("renewTime")) return ReadTime(in, out.renewed);
    if (key.Is("leaseTransitions")) return in.Read(out.transitions);
    return absl::OkStatus();
  });
}

}  // namespace

StatusOr<Lease> DecodeLease(std::string_view json) {
  return DecodeObject<Lease>(json, [](JsonReader& in, Lease& out) {
    return in.Members([&](const JsonKey& part) {
      if (part.Is("spec")) return ReadSpec(in, out);
      if (!part.Is("metadata")) return absl::OkStatus();
      return in.Members([&](const JsonKey& key) {
        if (key.Is("name")) return in.Read(out.name);
        if (key.Is("namespace")) return in.Read(out.namespace_name);
        if (key.Is("uid")) return in.Read(out.uid);
        if (key.Is("resourceVersion")) return in.Read(out.resource_version);
        if (key.Is("annotations")) return in.Fields(kWaitingAnnotation, out.waiting);
        return absl::OkStatus();
      });
    });
  });
}

void AppendLease(std::string& out, const Lease& lease) {
  const auto text = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) AppendJsonField(out, name, value);
  };
  out += R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{)";
  text("name", lease.name);
  text("namespace", lease.namespace_name);
  text("uid", lease.uid);
  text("resourceVersion", lease.resource_version);
  if (!lease.waiting.empty()) {
    AppendJsonKey(out, "annotations");
    out += '{';
    text(kWaitingAnnotation, lease.waiting);
    out += '}';
  }
  out += R"(},"spec":{)";
  text("holderIdentity", lease.holder);
  if (lease.duration_seconds != 0) {
    AppendJsonKey(out, "leaseDurationSeconds");
    AppendJsonInt(out, lease.duration_seconds);
  }
  if (lease.acquired) text("acquireTime", FormatRfc3339Micro(*lease.acquired));
  if (lease.renewed) text("renewTime", FormatRfc3339Micro(*lease.renewed));
  AppendJsonKey(out, "leaseTransitions");
  AppendJsonInt(out, lease.transitions);
  out += "}}";
}

}  // namespace huygens::wire
