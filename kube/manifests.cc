#include "kube/manifests.h"

#include <filesystem>
#include <utility>

#include "base/atomic_file.h"
#include "cluster/unknown_resources.h"
#include "json/reader.h"
#include "kube/decoded_object.h"
#include "kube/manifest_files.h"
#include "wire/binding.h"
#include "wire/biz_group_schema.h"
#include "wire/pod.h"
#include "wire/pod_annotations.h"
#include "wire/resources.h"
#include "wire/unknown_annotations.h"

namespace huygens::kube {
namespace {

using cluster::Kind;

constexpr std::string_view kBindings = "bindings";  // sub-directory

struct ReadKind {
  std::string_view kind;
  std::string_view api_version;
  std::optional<Kind> as;  // nothing: not of the cluster's state
};
constexpr ReadKind kUsageHistory = {"UsageHistory", "huygens.dev/v1alpha1", std::nullopt};
constexpr ReadKind kBinding = {"Binding", "v1", std::nullopt};
constexpr ReadKind kReadKinds[] = {
    kUsageHistory,
    kBinding,
    {"Node", "v1", Kind::kNode},
    {"Pod", "v1", Kind::kPod},
    {"NodeResourceTopology", "topology.crane.io/v1alpha1", Kind::kCraneTopology},
    {"NodeResourceTopology", "topology.node.k8s.io/v1alpha2", Kind::kCommunityTopology},
    {"BizGroupResourceQuota", "quota.huygens.dev/v1alpha1", Kind::kBizGroupQuota},
    {"ResourceClaim", "resource.k8s.io/v1", Kind::kResourceClaim},
    {"ResourceClaim", "resource.k8s.io/v1beta2", Kind::kResourceClaim},
    {"ResourceClaim", "resource.k8s.io/v1beta1", Kind::kResourceClaim},
    {"ResourceClaimTemplate", "resource.k8s.io/v1", Kind::kResourceClaim},
    {"ResourceClaimTemplate", "resource.k8s.io/v1beta2", Kind::kResourceClaim},
    {"ResourceClaimTemplate", "resource.k8s.io/v1beta1", Kind::kResourceClaim},
    {"DeviceClass", "resource.k8s.io/v1", Kind::kDeviceClass},
    {"DeviceClass", "resource.k8s.io/v1beta2", Kind::kDeviceClass},
    {"DeviceClass", "resource.k8s.io/v1beta1", Kind::kDeviceClass},
};

bool Is(const wire::ObjectMeta& meta, const ReadKind& kind) {
  return meta.kind == kind.kind && meta.api_version == kind.api_version;
}

std::optional<Kind> KindOf(const wire::ObjectMeta& meta) {
  for (const ReadKind& each : kReadKinds) {
    if (Is(meta, each)) return each.as;
  }
  return std::nullopt;
}

// Of a kind that is read in other versions, which these are; else empty.
std::string VersionsOf(std::string_view kind) {
  std::string text;
  for (const ReadKind& each : kReadKinds) {
    if (each.kind == kind) text += Concat(text.empty() ? ": this version reads " : " and ", each.api_version);
  }
  return text;
}

// Of objects that have one.
std::string_view NamespaceOf(Kind kind, const wire::ObjectMeta& meta) {
  if (kind == Kind::kPod) return meta.namespace_name;
  if (kind != Kind::kResourceClaim) return "";
  return meta.namespace_name.empty() ? std::string_view("default") : std::string_view(meta.namespace_name);
}

std::string MadeUid(std::string_view kind, std::string_view key) { return Concat("manifest/", kind, "/", key); }

// Node and annotations of a Binding in the form in which a bind asks for them.
StatusOr<BindRequest> DecodeBinding(std::string_view json) {
  return DecodeObject<BindRequest>(json, [](JsonReader& in, BindRequest& out) {
    return in.Members([&](const JsonKey& part) {
      if (part.Is("target")) return in.Fields("name", out.node);
      if (!part.Is("metadata")) return absl::OkStatus();
      return in.Fields("name", out.pod_name, "namespace", out.namespace_name, "uid", out.uid, "annotations",
                       [&] { return wire::ReadTextMap(in, out.annotations); });
    });
  });
}

}  // namespace

ManifestDirectory::ManifestDirectory(std::string directory, bool write_back, ResourceNames& names,
                                     SetDefaults set_defaults)
    : directory_(std::move(directory)),
      write_back_(write_back),
      names_(names),
      set_defaults_(set_defaults),
      objects_(cluster::kKindCount) {}

ManifestDirectory::~ManifestDirectory() = default;

Status ManifestDirectory::Load(std::vector<std::string>& notices) {
  std::vector<ManifestObject> bindings;  // applied when all pods are known
  Status faults = ForEachManifest(directory_, [&](ManifestObject object) {
    if (Is(object.meta, kBinding)) {
      bindings.push_back(std::move(object));
      return absl::OkStatus();
    }
    return Add(object, notices);
  });
  for (const ManifestObject& binding : bindings) AddFault(faults, ApplyBinding(binding, notices));
  CheckUsageNodes(notices);
  CheckGroupParents(notices);
  return faults;
}

void ManifestDirectory::CheckGroupParents(std::vector<std::string>& notices) const {
  TextMap<std::string_view> parents;
  const auto& groups = objects_[static_cast<size_t>(Kind::kBizGroupQuota)];
  for (const cluster::WatchEvent& event : groups) {
    const cluster::BizGroupQuota& group = std::get<cluster::BizGroupQuotaSet>(event).group;
    parents.emplace(group.name, group.parent);
  }
  for (const cluster::WatchEvent& event : groups) {
    const cluster::BizGroupQuota& group = std::get<cluster::BizGroupQuotaSet>(event).group;
    const auto tell = [&](std::string_view why) {
      const auto place = places_.find(Concat(cluster::Name(Kind::kBizGroupQuota), " /", group.name));
      notices.push_back(Concat(place->second, ": BizGroupResourceQuota ", group.name, ": spec.parentBizGroup: ", why,
                               "; the group takes no pods"));
    };
    if (!group.parent.empty() && !parents.contains(group.parent)) tell(Concat("there is no group ", group.parent));
    // A way up that comes back has no more steps than there are groups.
    std::string_view at = group.parent;
    for (size_t steps = 0; steps < parents.size() && at != group.name; ++steps) {
      const auto next = parents.find(at);
      if (next == parents.end()) break;
      at = next->second;
    }
    if (at == group.name) tell("it leads back to the group itself");
  }
}

void ManifestDirectory::CheckUsageNodes(std::vector<std::string>& notices) const {
  for (const wire::UsageHistory& history : usage_histories_) {
    TextSet missing;
    for (const wire::UsageSeries& series : history.series) {
      if (series.node.empty() || places_.contains(Concat(cluster::Name(Kind::kNode), " /", series.node))) continue;
      if (!missing.insert(series.node).second) continue;
      notices.push_back(Concat("UsageHistory ", history.name, ": no Node is called ", series.node));
    }
  }
}

Status ManifestDirectory::Add(const ManifestObject& object, std::vector<std::string>& notices) {
  const wire::ObjectMeta& meta = object.meta;
  if (Is(meta, kUsageHistory)) {
    auto history = wire::DecodeUsageHistory(object.json);
    if (!history.ok()) return Annotate(history.status(), Concat(object.place, ": UsageHistory ", meta.name));
    usage_histories_.push_back(*std::move(history));
    return absl::OkStatus();
  }
  const std::optional<Kind> kind = KindOf(meta);
  if (!kind) {
    notices.push_back(Concat(object.place, ": ", meta.kind, " ", meta.name, " (", meta.api_version, ") is not used",
                             VersionsOf(meta.kind)));
    return absl::OkStatus();
  }
  const std::string_view namespace_name = NamespaceOf(*kind, meta);
  const std::string_view what = *kind == Kind::kResourceClaim ? std::string_view(meta.kind) : cluster::Name(*kind);
  const std::string id = Concat(what, " ", namespace_name, "/", meta.name);
  const auto [place, fresh] = places_.try_emplace(id, object.place);
  if (!fresh)
    return Invalid(Concat(object.place, ": ", meta.kind, " ", meta.name, " is defined in ", place->second, " already"));
  if (*kind == Kind::kPod) return AddPod(object);
  if (*kind == Kind::kBizGroupQuota) {
    Status faults;
    for (const std::string& fault : wire::BizGroupQuotaFaults(object.json))
      AddFault(faults, Invalid(Concat(object.place, ": ", meta.kind, " ", meta.name, ": ", fault)));
    HUYGENS_RETURN_IF_ERROR(faults);
  }
  DecodedObject decoded = DecodePresent(*kind, object.json, names_);
  if (const Status fault = Annotate(decoded.fault, Concat(object.place, ": ", meta.kind, " ", meta.name));
      !fault.ok()) {
    if (!decoded.in_use) return fault;
    notices.emplace_back(Message(fault));
    ignored_.push_back({*kind, decoded.name, decoded.fault});
  }
  if (auto* const node = std::get_if<cluster::NodeSet>(&*decoded.event); node != nullptr && node->node.uid.empty()) {
    node->node.uid = MadeUid("Node", meta.name);
  }
  if (auto* const set = std::get_if<cluster::ResourceClaimSet>(&*decoded.event)) {
    cluster::ResourceClaim claim = *set->claim;
    claim.namespace_name = namespace_name;
    set->claim = std::make_shared<const cluster::ResourceClaim>(std::move(claim));
  }
  objects_[static_cast<size_t>(*kind)].push_back(*std::move(decoded.event));
  return absl::OkStatus();
}

Status ManifestDirectory::AddPod(const ManifestObject& object) {
  const std::string where = Concat(object.place, ": Pod ", object.meta.name);
  auto pod = wire::DecodePod(object.json, names_);
  if (!pod.ok()) return Annotate(pod.status(), where);
  auto place = DecodePodPlace(object.json);
  if (!place.ok()) return Annotate(place.status(), where);
  wire::KeepUnknownAnnotations(object.json, *pod);
  cluster::InternResources(*pod, names_);
  set_defaults_(*pod);
  if (pod->namespace_name.empty()) pod->namespace_name = "default";
  const std::string key = pod->Key();
  if (pods_.contains(key)) return Invalid(Concat(where, " is defined twice"));
  if (pod->uid.empty()) place->uid = pod->uid = MadeUid("Pod", key);
  pod_order_.push_back(key);
  pods_.emplace(key, PodEntry{std::make_shared<const cluster::Pod>(*std::move(pod)), *std::move(place)});
  return absl::OkStatus();
}

Status ManifestDirectory::ApplyBinding(const ManifestObject& object, std::vector<std::string>& notices) {
  auto binding = DecodeBinding(object.json);
  if (!binding.ok()) return Annotate(binding.status(), Concat(object.place, ": Binding ", object.meta.name));
  if (binding->namespace_name.empty()) binding->namespace_name = "default";
  const std::string key = Concat(binding->namespace_name, "/", binding->pod_name);
  const auto pass_over = [&](std::string_view why) {
    notices.push_back(Concat(object.place, ": Binding of pod ", key, " is not applied: ", why));
    return absl::OkStatus();
  };
  const auto entry = pods_.find(key);
  if (entry == pods_.end()) return pass_over("no such pod");
  if (!binding->uid.empty() && binding->uid != entry->second.pod->uid) return pass_over("it was made for another UID");
  if (entry->second.pod->Bound()) return pass_over("the pod's manifest names a node");
  if (binding->node.empty()) return Invalid(Concat(object.place, ": Binding of pod ", key, " without target.name"));
  Place(entry->second, *binding);
  return absl::OkStatus();
}

void ManifestDirectory::Deliver(WatchEventSink& sink) const {
  for (const Kind kind : cluster::kKinds) {
    WatchEventBatch batch{.kind = kind, .events = {cluster::ListBegin{kind}}, .resource_version = 1};
    const auto& objects = objects_[static_cast<size_t>(kind)];
    batch.events.insert(batch.events.end(), objects.begin(), objects.end());
    if (kind == Kind::kPod) {
      for (const std::string& key : pod_order_) batch.events.push_back(cluster::PodSet{pods_.find(key)->second.pod});
    }
    batch.events.push_back(cluster::ListEnd{kind});
    sink.Deliver(std::move(batch));
    sink.Report({.kind = kind, .state = WatchState::kSynced, .why = ""});
    for (const Ignored& each : ignored_) {
      if (each.kind == kind) sink.ObjectFault(kind, each.object, each.fault, true);
    }
  }
}

void ManifestDirectory::Place(PodEntry& entry, const BindRequest& request) {
  cluster::Pod bound = *entry.pod;
  bound.node_name = entry.place.node = request.node;
  for (const auto& [key, value] : request.annotations) {
    if (key == wire::kTopologyResultAnnotation) bound.topology_result = wire::ParseTopologyResult(value, names_);
    if (key == wire::kPlacementAnnotation) bound.placement_mark = wire::ParsePlacementMark(value, names_);
    std::erase_if(entry.place.annotations, [&key = key](const auto& known) { return known.first == key; });
    entry.place.annotations.emplace_back(key, value);
  }
  entry.pod = std::make_shared<const cluster::Pod>(std::move(bound));
}

BindOutcome ManifestDirectory::Bind(const BindRequest& request, const std::shared_ptr<const cluster::Pod>& unlisted,
                                    std::vector<cluster::WatchEvent>& news) {
  if (const Status status = ValidateBind(request); !status.ok())
    return {BindVerdict::kRefused, std::string(Message(status))};
  const std::string key = Concat(request.namespace_name, "/", request.pod_name);
  auto entry = pods_.find(key);
  const bool known = entry != pods_.end();
  if (!known && unlisted == nullptr) return {BindVerdict::kGone, "no manifest defines this pod", true};
  const PodPlace place =
      known ? entry->second.place : PodPlace{.uid = unlisted->uid, .node = unlisted->node_name, .annotations = {}};
  BindOutcome outcome = JudgePlace(place, request);
  if (outcome.verdict != BindVerdict::kUnbound) return outcome;
  if (write_back_) {
    if (const Status written = WriteBinding(request); !written.ok()) {
      return {BindVerdict::kRefused, Concat("the Binding cannot be written: ", Message(written))};
    }
  }
  if (!known) {
    pod_order_.push_back(key);
    entry = pods_.emplace(key, PodEntry{unlisted, place}).first;
  }
  Place(entry->second, request);
  news.push_back(cluster::PodSet{entry->second.pod});
  return {BindVerdict::kBound, "", true, 1};
}

BindOutcome ManifestDirectory::Settle(const BindRequest& request) const {
  const auto entry = pods_.find(Concat(request.namespace_name, "/", request.pod_name));
  if (entry == pods_.end()) return {BindVerdict::kGone, "no manifest defines this pod", true};
  return JudgePlace(entry->second.place, request);
}

std::shared_ptr<const cluster::Pod> ManifestDirectory::FindPod(std::string_view namespace_name,
                                                               std::string_view name) const {
  const auto entry = pods_.find(Concat(namespace_name, "/", name));
  return entry == pods_.end() ? nullptr : entry->second.pod;
}

Status ManifestDirectory::WriteBinding(const BindRequest& request) const {
  const std::filesystem::path folder = std::filesystem::path(directory_) / kBindings;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Unavailable(Concat(folder.string(), ": ", error.message()));
  return WriteFileAtomically((folder / Concat(request.namespace_name, ".", request.pod_name, ".json")).string(),
                             BindingText(request) + "\n");
}

}  // namespace huygens::kube
