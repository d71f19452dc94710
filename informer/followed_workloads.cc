#include "informer/followed_workloads.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "informer/followed_objects.h"
#include "informer/watch_readiness.h"
#include "kube/decoded_object.h"
#include "kube/resource.h"
#include "wire/object_meta.h"
#include "workloads/object.h"

namespace huygens::informer {
namespace {

using quota::ChargedKind;
using workloads::WorkloadObject;

struct Decoded final : cluster::DecodedWorkload {
  explicit Decoded(WorkloadObject workload) : object(std::move(workload)) {}
  const WorkloadObject object;
};

kube::DecodedObject Present(const ChargedKind& kind, std::string_view json, uint64_t resource_version,
                            const ResourceNames& names) {
  auto workload = workloads::DecodeWorkload(kind.group, kind.kind, json, names);
  if (workload.ok() && !workload->uid.empty()) {
    kube::DecodedObject result;
    result.name = Concat(workload->namespace_name, "/", workload->name);
    result.event = cluster::WorkloadSet{std::make_shared<const Decoded>(*std::move(workload)), resource_version};
    return result;
  }
  kube::DecodedObject result{.event = std::nullopt,
                             .fault = workload.ok() ? Invalid("an object without a UID") : workload.status(),
                             .name = "(no name)"};
  const auto meta = wire::DecodeObjectMeta(json);
  if (!meta.ok()) return result;
  result.name = Concat(meta->namespace_name, "/", meta->name);
  if (!meta->uid.empty()) result.event = cluster::WorkloadKept{meta->uid};
  return result;
}

// "deployments.apps", as kubectl names kinds.
std::string NameOf(const ChargedKind& kind) {
  const std::string_view plural = kind.path.substr(kind.path.rfind('/') + 1);
  return kind.group.empty() ? std::string(plural) : Concat(plural, ".", kind.group);
}

kube::Resource ResourceOf(const ChargedKind& kind, const ResourceNames& names) {
  kube::Resource resource;
  resource.kind = cluster::Kind::kWorkload;
  resource.paths = {std::string(kind.path)};
  resource.optional = !kind.built_in;
  resource.why_absent = "the API server does not serve this kind: its definition (CRD) is not installed";
  resource.present = [kind, &names](std::string_view json, uint64_t resource_version) {
    return Present(kind, json, resource_version, names);
  };
  resource.deleted = [](std::string_view json) { return kube::DecodeDeleted(cluster::Kind::kWorkload, json); };
  return resource;
}

}  // namespace

class FollowedWorkloads::OfKind final : public FollowedObjects {
 public:
  OfKind(FollowedWorkloads& owner, const ChargedKind& kind)
      : FollowedObjects(NameOf(kind), owner.names_, owner.loop_, owner.log_, owner.metrics_),
        owner_(owner),
        kind_(kind) {}
  ~OfKind() override { Stop(); }

  Status Start(const net::ClientOptions& api_server) {
    return FollowedObjects::Start(api_server, ResourceOf(kind_, owner_.names_));
  }
  // "Deployment.apps", "Pod".
  bool Is(std::string_view kind) const { return kind == quota::KindText(kind_.group, kind_.kind); }

 private:
  std::string Set(const cluster::DecodedWorkload& object) override {
    const WorkloadObject& now = static_cast<const Decoded&>(object).object;
    const WorkloadObject* known = owner_.index_.ByUid(now.uid);
    if (owner_.on_change_) owner_.on_change_(known, &now);
    owner_.index_.Set(now);
    return now.uid;
  }
  void Gone(const std::string& uid) override {
    const WorkloadObject* known = owner_.index_.ByUid(uid);
    if (known == nullptr) return;
    if (owner_.on_change_) owner_.on_change_(known, nullptr);
    owner_.index_.Remove(uid);
  }

  FollowedWorkloads& owner_;
  const ChargedKind kind_;
};

FollowedWorkloads::FollowedWorkloads(ResourceNames& names, net::EventLoop& loop, observe::Log& log,
                                     observe::Metrics& metrics, bool pods)
    : names_(names), loop_(loop), log_(log), metrics_(metrics) {
  constexpr ChargedKind kPods{.group = "", .kind = "Pod", .path = "/api/v1/pods", .built_in = true};
  if (pods) kinds_.push_back(std::make_unique<OfKind>(*this, kPods));
  for (const ChargedKind& kind : quota::ChargedKinds()) kinds_.push_back(std::make_unique<OfKind>(*this, kind));
}

FollowedWorkloads::~FollowedWorkloads() { Stop(); }

Status FollowedWorkloads::Start(const net::ClientOptions& api_server) {
  for (const auto& kind : kinds_) HUYGENS_RETURN_IF_ERROR(kind->Start(api_server));
  return absl::OkStatus();
}

void FollowedWorkloads::Stop() {
  for (const auto& kind : kinds_) kind->Stop();
}

bool FollowedWorkloads::Complete() const {
  return std::all_of(kinds_.begin(), kinds_.end(), [](const auto& kind) { return kind->complete(); });
}

std::string FollowedWorkloads::NotReady() const {
  std::vector<Missing> missing;
  for (const auto& kind : kinds_) {
    if (!kind->complete()) missing.push_back(kind->NotListed());
  }
  return WaitingText(missing);
}

FollowedWorkloads::OfKind* FollowedWorkloads::Find(std::string_view kind) const {
  const auto at = std::find_if(kinds_.begin(), kinds_.end(), [&](const auto& each) { return each->Is(kind); });
  return at == kinds_.end() ? nullptr : at->get();
}

Duration FollowedWorkloads::Silence(std::string_view kind) const {
  const OfKind* of = Find(kind);
  return of == nullptr ? Duration::zero() : of->Silence();
}

void FollowedWorkloads::CatchUp(std::string_view kind) {
  if (OfKind* of = Find(kind)) of->CatchUp();
}

std::vector<WatchedKind> FollowedWorkloads::Watched() {
  std::vector<WatchedKind> kinds;
  kinds.reserve(kinds_.size());
  for (const auto& kind : kinds_) kinds.push_back(kind->Watched());
  return kinds;
}

std::vector<observe::Readiness::Item> FollowedWorkloads::Describe() const {
  std::vector<observe::Readiness::Item> items;
  for (const auto& kind : kinds_) {
    if (kind->Watch().state != kube::WatchState::kAbsent) items.push_back(kind->Describe());
  }
  return items;
}

}  // namespace huygens::informer
