#include "wire/lease.h"

#include "json/append.h"
#include "json/reader.h"

namespace huygens::wire {
namespace {

constexpr std::string_view kWaitingAnnotation = "huygens.dev/waiting";

Status ReadSpec(JsonReader& in, Lease& out) {
  const auto acquired = [&] { return ReadTime(in, out.acquired); };
  const auto renewed = [&] { return ReadTime(in, out.renewed); };
  return in.Fields("holderIdentity", out.holder, "leaseDurationSeconds", out.duration_seconds, "acquireTime", acquired,
                   "renewTime", renewed, "leaseTransitions", out.transitions);
}

}  // namespace

StatusOr<Lease> DecodeLease(std::string_view json) {
  return DecodeObject<Lease>(json, [](JsonReader& in, Lease& out) {
    const auto annotations = [&] { return in.Fields(kWaitingAnnotation, out.waiting); };
    const auto metadata = [&] {
      return in.Fields("name", out.name, "namespace", out.namespace_name, "uid", out.uid, "resourceVersion",
                       out.resource_version, "annotations", annotations);
    };
    return in.Fields("spec", [&] { return ReadSpec(in, out); }, "metadata", metadata);
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
