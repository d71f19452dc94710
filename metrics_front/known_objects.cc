#include "metrics_front/known_objects.h"

#include <functional>
#include <iterator>
#include <memory>
#include <utility>

#include "base/text.h"
#include "informer/watch_readiness.h"
#include "kube/decoded_object.h"
#include "wire/object_meta.h"

namespace huygens::metrics_front {
namespace {

template <typename Object>
struct Decoded final : cluster::DecodedWorkload {
  explicit Decoded(Object decoded) : object(std::move(decoded)) {}
  const Object object;
};

// One that cannot be read stays as it was known.
template <typename Object>
kube::DecodedObject PresentOf(StatusOr<Object> read, std::string_view json, uint64_t resource_version) {
  kube::DecodedObject result{.event = std::nullopt, .fault = {}, .name = "(no name)"};
  if (read.ok() && !read->uid.empty()) {
    result.name = Concat(read->namespace_name, "/", read->name);
    result.event = cluster::WorkloadSet{std::make_shared<const Decoded<Object>>(*std::move(read)), resource_version};
    return result;
  }
  result.fault = read.ok() ? Invalid("an object without a UID") : read.status();
  const auto meta = wire::DecodeObjectMeta(json);
  if (meta.ok() && !meta->uid.empty()) result.event = cluster::WorkloadKept{meta->uid};
  return result;
}

}  // namespace

template <typename Object>
class KnownObjects::Kind final : public informer::FollowedObjects {
 public:
  Kind(std::string name, ResourceNames& names, net::EventLoop& loop, observe::Log& log, observe::Metrics& metrics)
      : FollowedObjects(std::move(name), names, loop, log, metrics) {}
  ~Kind() override { Stop(); }

  using Decode = std::function<StatusOr<Object>(std::string_view json)>;
  Status Begin(const net::ClientOptions& api_server, std::string path, Decode decode) {
    kube::Resource resource;
    resource.paths = {std::move(path)};
    resource.present = [decode = std::move(decode)](std::string_view json, uint64_t version) {
      return PresentOf<Object>(decode(json), json, version);
    };
    resource.deleted = [](std::string_view json) { return kube::DecodeDeleted(cluster::Kind::kWorkload, json); };
    return Start(api_server, std::move(resource));
  }

  template <typename Visit>
  void ForEachIn(std::string_view namespace_name, Visit visit) const {
    const auto found = by_namespace_.find(namespace_name);
    if (found == by_namespace_.end()) return;
    for (const auto& [uid, object] : found->second) visit(object);
  }

 private:
  std::string Set(const cluster::DecodedWorkload& decoded) override {
    const Object& object = static_cast<const Decoded<Object>&>(decoded).object;
    by_namespace_[object.namespace_name].insert_or_assign(object.uid, object);
    namespaces_.insert_or_assign(object.uid, object.namespace_name);
    return object.uid;
  }
  void Gone(const std::string& uid) override {
    const auto at = namespaces_.find(uid);
    if (at == namespaces_.end()) return;
    auto& objects = by_namespace_[at->second];
    objects.erase(uid);
    if (objects.empty()) by_namespace_.erase(at->second);
    namespaces_.erase(at);
  }

  std::map<std::string, std::map<std::string, Object, std::less<>>, std::less<>> by_namespace_;  // then by UID
  TextMap<std::string> namespaces_;                                                              // of UIDs
};

KnownObjects::KnownObjects(ResourceNames& names, net::EventLoop& loop, observe::Log& log, observe::Metrics& metrics)
    : pods_(std::make_unique<Kind<AskedPod>>("pods", names, loop, log, metrics)),
      autoscalers_(
          std::make_unique<Kind<Autoscaler>>("horizontalpodautoscalers.autoscaling", names, loop, log, metrics)) {}

KnownObjects::~KnownObjects() { Stop(); }

Status KnownObjects::Start(const net::ClientOptions& api_server) {
  const auto names = std::make_shared<const ResourceNames>();
  HUYGENS_RETURN_IF_ERROR(pods_->Begin(api_server, "/api/v1/pods",
                                       [names](std::string_view json) { return DecodeAskedPod(json, *names); }));
  return autoscalers_->Begin(api_server, "/apis/autoscaling/v2/horizontalpodautoscalers", DecodeAutoscaler);
}

void KnownObjects::Stop() {
  pods_->Stop();
  autoscalers_->Stop();
}

std::string KnownObjects::NotReady() const {
  std::vector<informer::Missing> missing;
  if (!pods_->complete()) missing.push_back(pods_->NotListed());
  if (!autoscalers_->complete()) missing.push_back(autoscalers_->NotListed());
  return missing.empty() ? std::string() : informer::WaitingText(missing);
}

std::vector<observe::Readiness::Item> KnownObjects::Describe() const {
  return {pods_->Describe(), autoscalers_->Describe()};
}

std::vector<const AskedPod*> KnownObjects::Pods(std::string_view namespace_name, const LabelSelector& selector) const {
  std::vector<const AskedPod*> found;
  pods_->ForEachIn(namespace_name, [&](const AskedPod& pod) {
    if (selector.Matches(pod.labels)) found.push_back(&pod);
  });
  return found;
}

std::vector<const Autoscaler*> KnownObjects::Autoscalers(std::string_view namespace_name) const {
  std::vector<const Autoscaler*> found;
  autoscalers_->ForEachIn(namespace_name, [&](const Autoscaler& each) { found.push_back(&each); });
  return found;
}

}  // namespace huygens::metrics_front
