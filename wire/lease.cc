#include "wire/lease.h"

#include "base/json_text.h"
#include "wire/json_reader.h"

namespace huygens::wire {
namespace {

constexpr std::string_view kWaitingAnnotation = "huygens.dev/waiting";

Status ReadTime(JsonReader& in, std::optional<Time>& out) {
  out.reset();
  if (in.SkipNull()) return absl::OkStatus();
  std::string text;
  HUYGENS_RETURN_IF_ERROR(in.Read(text));
  HUYGENS_ASSIGN_OR_RETURN(out, ParseRfc3339(text));
  return absl::OkStatus();
}

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

Status ReadAnnotations(JsonReader& in, Lease& out) {
  return in.Members(
      [&](const JsonKey& key) { return key.Is(kWaitingAnnotation) ? in.Read(out.waiting) : absl::OkStatus(); });
}

// Fields in a fixed order, empty ones left out.
class FieldWriter {
 public:
  explicit FieldWriter(std::string& out) : out_(out) {}
  void Text(std::string_view name, std::string_view value) {
    if (value.empty()) return;
    Name(name);
    AppendJsonString(out_, value);
  }
  void Number(std::string_view name, int64_t value) {
    Name(name);
    AppendJsonInt(out_, value);
  }

 private:
  void Name(std::string_view name) {
    if (out_.back() != '{') out_ += ',';
    AppendJsonString(out_, name);
    out_ += ':';
  }
  std::string& out_;
};

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
        if (key.Is("annotations")) return ReadAnnotations(in, out);
        return absl::OkStatus();
      });
    });
  });
}

void AppendLease(std::string& out, const Lease& lease) {
  FieldWriter fields(out);
  out += R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{)";
  fields.Text("name", lease.name);
  fields.Text("namespace", lease.namespace_name);
  fields.Text("uid", lease.uid);
  fields.Text("resourceVersion", lease.resource_version);
  if (!lease.waiting.empty()) {
    out += R"(,"annotations":{)";
    fields.Text(kWaitingAnnotation, lease.waiting);
    out += '}';
  }
  out += R"(},"spec":{)";
  fields.Text("holderIdentity", lease.holder);
  if (lease.duration_seconds != 0) fields.Number("leaseDurationSeconds", lease.duration_seconds);
  if (lease.acquired) fields.Text("acquireTime", FormatRfc3339Micro(*lease.acquired));
  if (lease.renewed) fields.Text("renewTime", FormatRfc3339Micro(*lease.renewed));
  fields.Number("leaseTransitions", lease.transitions);
  out += "}}";
}

}  // namespace huygens::wire
