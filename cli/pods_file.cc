#include "cli/pods_file.h"

#include "base/json_text.h"
#include "kube/manifest_files.h"
#include "wire/json_reader.h"
#include "wire/pod.h"

namespace huygens::cli {

namespace {

using wire::JsonKey;
using wire::JsonReader;

Status ReadTexts(JsonReader& in, std::vector<std::string>& out) {
  return in.Elements([&](size_t) { return in.Read(out.emplace_back()); });
}

// {key: metadata.name, operator: In, values: [...]}, as the DaemonSet controller writes it.
Status ReadMatchField(JsonReader& in, std::vector<std::string>& nodes) {
  std::string key, op;
  std::vector<std::string> values;
  HUYGENS_RETURN_IF_ERROR(in.Members([&](const JsonKey& field) {
    if (field.Is("key")) return in.Read(key);
    if (field.Is("operator")) return in.Read(op);
    return field.Is("values") ? ReadTexts(in, values) : absl::OkStatus();
  }));
  if (key == "metadata.name" && op == "In") nodes = std::move(values);
  return absl::OkStatus();
}

Status ReadNodeAffinity(JsonReader& in, PodManifest& pod) {
  return in.Members([&](const JsonKey& rule) {
    if (!rule.Is("requiredDuringSchedulingIgnoredDuringExecution")) return absl::OkStatus();
    return in.Members([&](const JsonKey& terms) {
      if (!terms.Is("nodeSelectorTerms")) return absl::OkStatus();
      return in.Elements([&](size_t) {
        return in.Members([&](const JsonKey& part) {
          if (part.Is("matchFields")) return in.Elements([&](size_t) { return ReadMatchField(in, pod.only_on); });
          if (part.Is("matchExpressions")) pod.not_looked_at.emplace_back("spec.affinity.nodeAffinity");
          return absl::OkStatus();
        });
      });
    });
  });
}

Status ReadConstraints(JsonReader& in, PodManifest& pod) {
  return in.Members([&](const JsonKey& top) {
    if (!top.Is("spec")) return absl::OkStatus();
    return in.Members([&](const JsonKey& field) {
      for (std::string_view name : {"nodeSelector", "topologySpreadConstraints", "schedulingGates"}) {
        if (field.Is(name) && in.Next() != wire::JsonType::kNull) pod.not_looked_at.push_back(Concat("spec.", name));
      }
      if (!field.Is("affinity")) return absl::OkStatus();
      return in.Members([&](const JsonKey& kind) {
        if (kind.Is("nodeAffinity")) return ReadNodeAffinity(in, pod);
        if (in.Next() != wire::JsonType::kNull) pod.not_looked_at.push_back(Concat("spec.affinity.", kind.text));
        return absl::OkStatus();
      });
    });
  });
}

// `json` with `fields` (",\"uid\":\"..\"") put behind the others of its metadata, where they win over an empty one.
StatusOr<std::string> WithMetadata(std::string_view json, std::string_view fields) {
  HUYGENS_ASSIGN_OR_RETURN(JsonReader in, JsonReader::Open(json));
  size_t inside = 0;
  HUYGENS_RETURN_IF_ERROR(in.Members([&](const JsonKey& key) {
    if (!key.Is("metadata")) return absl::OkStatus();
    std::string_view metadata = in.Skip();
    inside = static_cast<size_t>(metadata.data() - json.data()) + metadata.size() - 1;
    return absl::OkStatus();
  }));
  return Concat(json.substr(0, inside), fields, json.substr(inside));
}

StatusOr<PodManifest> ToPod(const kube::ManifestObject& object, ResourceNames& names) {
  PodManifest pod;
  HUYGENS_ASSIGN_OR_RETURN(pod.pod, wire::DecodePod(object.json, names));
  std::string added;
  auto add = [&](std::string_view field, std::string& to, std::string value) {
    if (!to.empty()) return;
    to = std::move(value);
    added += Concat(",\"", field, "\":");
    AppendJsonString(added, to);
  };
  add("namespace", pod.pod.namespace_name, "default");
  // The UID that a directory of manifests gives the same pod (kube/manifests.h).
  add("uid", pod.pod.uid, Concat("manifest/Pod/", pod.pod.Key()));
  HUYGENS_ASSIGN_OR_RETURN(pod.json, WithMetadata(object.json, added));
  HUYGENS_ASSIGN_OR_RETURN(JsonReader in, JsonReader::Open(object.json));
  HUYGENS_RETURN_IF_ERROR(ReadConstraints(in, pod));
  return pod;
}

}  // namespace

StatusOr<std::vector<PodManifest>> ReadPods(const std::string& path, ResourceNames& names) {
  std::vector<PodManifest> pods;
  HUYGENS_RETURN_IF_ERROR(kube::ForEachManifest(path, [&](const kube::ManifestObject& object) {
    if (object.meta.kind != "Pod") return absl::OkStatus();
    auto pod = ToPod(object, names);
    if (!pod.ok()) return Annotate(pod.status(), Concat(object.place, ": Pod ", object.meta.name));
    pods.push_back(*std::move(pod));
    return absl::OkStatus();
  }));
  if (pods.empty()) return Invalid(Concat(path, ": there is no Pod in it"));
  return pods;
}

}  // namespace huygens::cli
