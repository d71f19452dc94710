#include "webhook/webhook.h"

#include <utility>

#include "base/text.h"
#include "settings/service_options.h"
#include "webhook/judgement.h"
#include "wire/admission_review.h"

namespace huygens::webhook {
namespace {

std::string PathBelow(std::string_view prefix) { return Concat(prefix, prefix.ends_with('/') ? "" : "/", kPath); }

net::Response Text(int status, std::string_view text) {
  return {.status = status, .content_type = "text/plain; charset=utf-8", .body = Concat(text, "\n")};
}

}  // namespace

Webhook::Webhook(const settings::Configuration& configuration, observe::Log& log)
    : path_(PathBelow(configuration.server.path_prefix)),
      log_(log),
      metrics_(settings::MetricsOptions(configuration.usage)),
      cluster_({.keys = {.gpu_resources = configuration.quota.gpu_resources}}) {}

StatusOr<std::unique_ptr<Webhook>> Webhook::Start(const settings::Configuration& configuration, net::EventLoop& loop,
                                                  observe::Log& log, const Clock& clock) {
  const auto& manifests = configuration.cluster.manifests;
  if (!manifests) return Invalid("cluster.manifests is needed: reviews are judged by a directory of manifests so far");
  std::unique_ptr<Webhook> webhook(new Webhook(configuration, log));
  HUYGENS_RETURN_IF_ERROR(Annotate(webhook->cluster_.Load(manifests->directory), "cluster.manifests.directory"));
  admin::ServiceWork work{
      .handle = [&each = *webhook](const net::Request& request,
                                   const net::Respond& respond) { respond(each.Answer(request)); },
      .on_refused = [](const net::RefusedRequest&) {},
      .readiness = [](bool) { return observe::Readiness{{{.name = "manifests", .detail = "read"}}}; },
      .refresh_metrics = [&each = *webhook] { each.metrics_.SetReady(!each.shell_->draining()); },
      .pages = nullptr};
  HUYGENS_ASSIGN_OR_RETURN(webhook->shell_,
                           admin::ServiceShell::Start(configuration.server, nullptr, admin::Identity(),
                                                      {loop, log, clock, webhook->metrics_}, std::move(work)));
  return webhook;
}

net::Response Webhook::Answer(const net::Request& request) const {
  if (request.path != path_) return Text(404, Concat("nothing at ", request.path, "; reviews go to POST ", path_));
  if (request.method != "POST") return Text(405, Concat(path_, " takes POST, not ", request.method));
  const StatusOr<wire::AdmissionRequest> review = wire::DecodeAdmissionReview(request.body);
  if (!review.ok()) return Text(400, Message(review.status()));
  const Judgement judgement = Judge(*review, cluster_.facts(), cluster_.rules());
  if (!judgement.allowed) {
    log_.Debug("refused", {{"kind", review->kind},
                           {"namespace", review->namespace_name},
                           {"name", review->name},
                           {"user", review->user},
                           {"code", judgement.code},
                           {"why", judgement.message}});
  }
  return {.body = wire::EncodeAdmissionAnswer(ToAnswer(*review, judgement))};
}

}  // namespace huygens::webhook
