#include "cli/pods_file.h"

#include <map>

#include "cli/pod_fields.h"
#include "cluster/unknown_resources.h"
#include "json/append.h"
#include "json/reader.h"
#include "kube/manifest_files.h"
#include "quota/pod_usage.h"
#include "wire/pod.h"
#include "wire/unknown_annotations.h"

namespace huygens::cli {

namespace {

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
        if (field.Is(name) && in.Next() != JsonType::kNull) pod.not_looked_at.push_back(Concat("spec.", name));
      }
      if (!field.Is("affinity")) return absl::OkStatus();
      return in.Members([&](const JsonKey& kind) {
        if (kind.Is("nodeAffinity")) return ReadNodeAffinity(in, pod);
        if (in.Next() != JsonType::kNull) pod.not_looked_at.push_back(Concat("spec.affinity.", kind.text));
        return absl::OkStatus();
      });
    });
  });
}

// `"requests":{"cpu":"500m"}` in base units, or nothing.
std::string AmountsField(std::string_view field, const ResourceVector& amounts, const ResourceNames& names) {
  std::string text;
  for (const auto& [resource, amount] : amounts) {
    text += text.empty() ? Concat("\"", field, "\":{") : ",";
    AppendJsonString(text, names.Name(resource));
    text += Concat(":\"", std::to_string(amount), resource == kCpu ? "m\"" : "\"");
  }
  return text.empty() ? text : text + "}";
}

std::string ResourceFields(const ResourceVector& requests, const ResourceVector& limits, const ResourceNames& names) {
  const std::string fields = AmountsField("requests", requests, names);
  const std::string more = AmountsField("limits", limits, names);
  return Concat(fields, fields.empty() || more.empty() ? "" : ",", more);
}

// Adds fields to objects of a JSON text, behind the others, where they win. Objects come in the order of the text.
class Additions {
 public:
  explicit Additions(std::string_view json) : json_(json) {}

  // To the next value, an object; null has no place for them.
  Status Add(JsonReader& in, std::string_view fields) {
    if (fields.empty() || in.SkipNull()) return absl::OkStatus();
    bool empty = true;
    HUYGENS_RETURN_IF_ERROR(in.Members([&](const JsonKey&) {
      empty = false;
      return absl::OkStatus();
    }));
    const auto inside = static_cast<size_t>(in.position() - json_.data()) - 1;
    text_ += Concat(json_.substr(taken_, inside - taken_), empty ? "" : ",", fields);
    taken_ = inside;
    return absl::OkStatus();
  }
  std::string Text() const { return Concat(text_, json_.substr(taken_)); }

 private:
  std::string_view json_;
  std::string text_;
  size_t taken_ = 0;  // of json_
};

// `json`, from which `pod` was decoded, with `metadata` among its metadata and the resources that `pod` has by now.
StatusOr<std::string> AsStored(std::string_view json, const cluster::Pod& pod, std::string_view metadata,
                               const ResourceNames& names) {
  HUYGENS_ASSIGN_OR_RETURN(JsonReader in, JsonReader::Open(json));
  Additions additions(json);
  auto add_to = [&](const std::vector<cluster::Container>& containers) {
    return in.Elements([&](size_t index) {
      return in.Members([&](const JsonKey& key) {
        if (!key.Is("resources") || index >= containers.size()) return absl::OkStatus();
        return additions.Add(in, ResourceFields(containers[index].requests, containers[index].limits, names));
      });
    });
  };
  HUYGENS_RETURN_IF_ERROR(in.Members([&](const JsonKey& part) {
    if (part.Is("metadata")) return additions.Add(in, metadata);
    if (!part.Is("spec")) return absl::OkStatus();
    return in.Members([&](const JsonKey& key) {
      if (key.Is("initContainers")) return add_to(pod.init_containers);
      if (key.Is("containers")) return add_to(pod.containers);
      if (!key.Is("resources") || !pod.pod_level) return absl::OkStatus();
      return additions.Add(in, ResourceFields(pod.pod_level->requests, pod.pod_level->limits, names));
    });
  }));
  return additions.Text();
}

// ", but 2 objects of kind Deployment: write its pods out as Pods"
std::string Found(const std::map<std::string, size_t>& kinds) {
  std::string text;
  for (const auto& [kind, count] : kinds) {
    text += Concat(text.empty() ? ", but " : " and ", std::to_string(count), count == 1 ? " object" : " objects",
                   " of kind ", kind.empty() ? "\"\"" : kind);
  }
  return text.empty() ? text : Concat(text, "; place takes Pods alone: write the pods of a workload out as such");
}

StatusOr<PodManifest> ToPod(const kube::ManifestObject& object, ResourceNames& names) {
  PodManifest pod;
  HUYGENS_RETURN_IF_ERROR(CheckPodFields(object.json));
  HUYGENS_ASSIGN_OR_RETURN(pod.pod, wire::DecodePod(object.json, names));
  cluster::InternResources(pod.pod, names);
  HUYGENS_RETURN_IF_ERROR(CheckPodLimits(pod.pod, names));
  for (wire::UnknownAnnotation& each : wire::UnknownAnnotations(object.json, pod.pod)) {
    pod.not_understood.push_back(std::move(each.text));
  }
  quota::DefaultPod(pod.pod);
  std::string added;
  auto add = [&](std::string_view field, InternedString& to, std::string_view value) {
    if (!to.empty()) return;
    to = value;
    added += Concat(added.empty() ? "\"" : ",\"", field, "\":");
    AppendJsonString(added, to);
  };
  add("namespace", pod.pod.namespace_name, "default");
  // The UID that a directory of manifests gives the same pod (kube/manifests.h).
  add("uid", pod.pod.uid, Concat("manifest/Pod/", pod.pod.Key()));
  HUYGENS_ASSIGN_OR_RETURN(pod.json, AsStored(object.json, pod.pod, added, names));
  HUYGENS_ASSIGN_OR_RETURN(JsonReader in, JsonReader::Open(object.json));
  HUYGENS_RETURN_IF_ERROR(ReadConstraints(in, pod));
  return pod;
}

}  // namespace

StatusOr<std::vector<PodManifest>> ReadPods(const std::string& path, ResourceNames& names) {
  std::vector<PodManifest> pods;
  std::map<std::string, size_t> others;  // objects that are none, by kind
  const Status faults = kube::ForEachManifest(path, [&](const kube::ManifestObject& object) {
    if (object.meta.kind != "Pod") {
      ++others[object.meta.kind];
      return absl::OkStatus();
    }
    auto pod = ToPod(object, names);
    if (!pod.ok()) return Annotate(pod.status(), Concat(object.place, ": Pod ", object.meta.name));
    pods.push_back(*std::move(pod));
    return absl::OkStatus();
  });
  if (Message(faults).find('\n') != std::string_view::npos) {  // several, a line each
    return Invalid(Concat("faults in ", path, ":\n", Message(faults)));
  }
  HUYGENS_RETURN_IF_ERROR(faults);
  if (pods.empty()) return Invalid(Concat(path, ": there is no Pod in it", Found(others)));
  return pods;
}

}  // namespace huygens::cli
