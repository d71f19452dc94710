#include "wire/device_claim.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/time.h"
#include "json/reader.h"
#include "wire/object_meta.h"

namespace huygens::wire {
namespace {

using cluster::DeviceClass;
using cluster::ResourceClaim;

// What one request, or one alternative of it, asks for.
struct Asked {
  std::string device_class;
  std::string mode;
  int64_t count = 0;
  bool has_count = false;
  std::string why_unknown;  // it is of no kind known here
};

using Devices = std::map<std::string, int64_t>;

Status ReadAsked(JsonReader& in, const JsonKey& key, Asked& out) {
  if (key.Is("deviceClassName")) return in.Read(out.device_class);
  if (key.Is("allocationMode")) return in.Read(out.mode);
  if (!key.Is("count") || in.Next() == JsonType::kNull) return absl::OkStatus();
  out.has_count = true;
  HUYGENS_RETURN_IF_ERROR(in.Read(out.count));
  return out.count < 0 ? Invalid("a negative count") : absl::OkStatus();
}

// The API server fills in mode and count; manifests may leave them out.
int64_t CountOf(Asked& asked) {
  if (asked.device_class.empty()) {
    asked.why_unknown = "names no deviceClassName";
  } else if (asked.mode == "All") {
    return kMostDevicesOfClaim;
  } else if (asked.mode.empty() || asked.mode == "ExactCount") {
    return asked.has_count ? asked.count : 1;
  } else {
    asked.why_unknown = Concat("has the unknown allocationMode ", CutText(asked.mode, 40));
  }
  return 0;
}

void Add(int64_t count, int64_t& to) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  to = count > kMost - to ? kMost : to + count;
}

// Of `exactly`, or of a request of v1beta1, which has its fields in itself; of firstAvailable the most per class.
Status ReadRequest(JsonReader& in, Devices& out, std::string& unknown) {
  std::string name;
  Asked exactly;
  std::vector<Asked> alternatives;
  HUYGENS_RETURN_IF_ERROR(in.Members([&](const JsonKey& key) -> Status {
    if (key.Is("name")) return in.Read(name);
    if (key.Is("exactly")) return in.Members([&](const JsonKey& field) { return ReadAsked(in, field, exactly); });
    if (!key.Is("firstAvailable")) return ReadAsked(in, key, exactly);
    return ReadList(in, alternatives, [&](Asked& each) {
      return in.Members([&](const JsonKey& field) { return ReadAsked(in, field, each); });
    });
  }));
  const bool either = !alternatives.empty();
  if (!either) alternatives.push_back(std::move(exactly));
  Devices most;
  for (Asked& each : alternatives) {
    const int64_t count = CountOf(each);
    if (each.why_unknown.empty()) {
      int64_t& of_class = most[each.device_class];
      of_class = std::max(of_class, count);
    } else if (unknown.empty()) {
      unknown = Concat("spec.devices.requests: ", CutText(name, 40), " ", each.why_unknown, "; it counts nothing");
    }
  }
  for (const auto& [device_class, count] : most) Add(count, out[device_class]);
  return absl::OkStatus();
}

Status ReadSpec(JsonReader& in, Devices& out, std::string& unknown) {
  const auto requests = [&] {
    out.clear();
    return in.Elements([&](size_t) { return ReadRequest(in, out, unknown); });
  };
  const auto of_template = [&] { return ReadSpec(in, out, unknown); };
  return in.Fields("spec", of_template, "devices", [&] { return in.Fields("requests", requests); });
}

// Pods among the consumers; a pod group, as the alpha feature DRAWorkloadResourceClaims has it, is none.
Status ReadReservedFor(JsonReader& in, std::vector<std::string>& out) {
  out.clear();
  return in.Elements([&](size_t) -> Status {
    std::string resource, uid;
    HUYGENS_RETURN_IF_ERROR(in.Fields("resource", resource, "uid", uid));
    if (resource == "pods" && !uid.empty()) out.push_back(std::move(uid));
    return absl::OkStatus();
  });
}

constexpr std::string_view kTemplate = "ResourceClaimTemplate";

Status ReadClaim(JsonReader& in, ResourceClaim& out, std::string& unknown) {
  Devices devices;
  std::string kind;
  const auto metadata = [&] { return in.Fields("name", out.name, "namespace", out.namespace_name); };
  const auto reserved_for = [&] { return ReadReservedFor(in, out.reserved_for); };
  HUYGENS_RETURN_IF_ERROR(in.Fields(
      "kind", kind, "metadata", metadata, "spec", [&] { return ReadSpec(in, devices, unknown); }, "status",
      [&] { return in.Fields("reservedFor", reserved_for); }));
  out.is_template = kind == kTemplate;
  out.devices.assign(devices.begin(), devices.end());
  return absl::OkStatus();
}

}  // namespace

StatusOr<ResourceClaim> DecodeResourceClaim(std::string_view json, Status* left_out) {
  std::string unknown;
  auto claim = DecodeObject<ResourceClaim>(
      json, [&](JsonReader& in, ResourceClaim& out) { return ReadClaim(in, out, unknown); });
  if (!claim.ok()) {  // if it says which claim it is, its pods must not pass as those that ask for nothing
    auto meta = DecodeObjectMeta(json);
    if (!meta.ok() || meta->name.empty()) return claim.status();
    ResourceClaim defective;
    defective.is_template = meta->kind == kTemplate;
    defective.namespace_name = std::move(meta->namespace_name);
    defective.name = std::move(meta->name);
    defective.defect = Message(claim.status());
    return defective;
  }
  if (claim->name.empty()) return Invalid("metadata.name is missing");
  if (!unknown.empty() && left_out) *left_out = Invalid(unknown);
  return claim;
}

StatusOr<DeviceClass> DecodeDeviceClass(std::string_view json) {
  auto device_class = DecodeObject<DeviceClass>(json, [](JsonReader& in, DeviceClass& out) {
    std::optional<Time> created;
    const auto metadata = [&] {
      return in.Fields("name", out.name, "creationTimestamp", [&] { return ReadTime(in, created); });
    };
    const auto spec = [&] { return in.Fields("extendedResourceName", out.extended_resource); };
    HUYGENS_RETURN_IF_ERROR(in.Fields("spec", spec, "metadata", metadata));
    if (created) out.created = std::chrono::duration_cast<std::chrono::seconds>(created->time_since_epoch()).count();
    return absl::OkStatus();
  });
  if (device_class.ok() && device_class->name.empty()) return Invalid("metadata.name is missing");
  return device_class;
}

}  // namespace huygens::wire
