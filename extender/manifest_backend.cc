#include "extender/manifest_backend.h"

#include <sstream>

#include "quota/pod_usage.h"

namespace huygens::extender {

namespace {
BindReport ReportOf(const kube::BindOutcome& outcome) {
  if (outcome.verdict == kube::BindVerdict::kBound) return {.result = BindResult::kBound};
  return {.result = BindResult::kRefused, .message = outcome.message};
}

// Several faults, a line each, go to the log one by one: a value of the log is cut where it gets long.
Status Tell(const Status& faults, observe::Log& log) {
  if (Message(faults).find('\n') == std::string_view::npos) return faults;
  std::istringstream lines{std::string(Message(faults))};
  int64_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) log.Error("manifests", {{"fault", line}});
  return Invalid(Concat(std::to_string(count), " faults, in the lines of the log above"));
}
}  // namespace

ManifestBackend::ManifestBackend(Context& context, net::EventLoop& loop, informer::WatchEventQueue& queue,
                                 const std::string& directory, bool write_back)
    : context_(context),
      loop_(loop),
      queue_(queue),
      manifests_(directory, write_back, context.resources, quota::DefaultPod) {}

Status ManifestBackend::Start() {
  std::vector<std::string> notices;
  HUYGENS_RETURN_IF_ERROR(Annotate(Tell(manifests_.Load(notices), context_.log), "cluster.manifests.directory"));
  for (const std::string& notice : notices) context_.log.Warn("manifests", {{"notice", notice}});
  manifests_.Deliver(queue_);
  return absl::OkStatus();
}

void ManifestBackend::Bind(BindOrder order, Duration, std::function<void(BindReport)> done) {
  std::vector<cluster::WatchEvent> news;
  kube::BindOutcome outcome = manifests_.Bind(order.request, order.pod, news);
  // Not applied at once: the order of events is that of a watch, which shows the pod after the Binding was answered.
  loop_.Post([this, done = std::move(done), report = ReportOf(outcome), news = std::move(news)]() mutable {
    done(report);
    queue_.Deliver({.kind = cluster::Kind::kPod, .events = std::move(news), .resource_version = 0});
  });
}

void ManifestBackend::Settle(BindOrder order, std::function<void(BindReport)> done) {
  loop_.Post([done = std::move(done), report = ReportOf(manifests_.Settle(order.request))] { done(report); });
}

void ManifestBackend::FetchPod(std::string_view namespace_name, std::string_view name,
                               std::function<void(StatusOr<std::shared_ptr<const cluster::Pod>>)> done) {
  auto pod = manifests_.FindPod(namespace_name, name);
  if (pod == nullptr) return done(NotFound(Concat("no manifest defines the pod ", namespace_name, "/", name)));
  done(pod);
}

}  // namespace huygens::extender
