#include "recommendations/object_calls.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "json/append.h"
#include "json/document.h"
#include "kube/api_call.h"
#include "kube/object_call.h"
#include "quota/workload_kinds.h"
#include "wire/api_status.h"

namespace huygens::recommendations {

namespace {

using recommendation_api::Checkpoint;
using recommendation_api::DecodeRecommendation;
using recommendation_api::Dimension;
using recommendation_api::Recommendation;
using recommendation_api::RecommendationTemplate;
using recommendation_api::Target;

constexpr std::string_view kApi = "/apis/huygens.dev/v1alpha1";

std::string PathIn(std::string_view namespace_name, std::string_view plural, std::string_view name = {}) {
  return Concat(kApi, "/namespaces/", namespace_name, "/", plural, name.empty() ? "" : "/", name);
}

std::string PathOf(const Recommendation& recommendation) {
  return PathIn(recommendation.metadata.namespace_name, recommendation_api::kRecommendations,
                recommendation.metadata.name);
}

std::string Guards(const recommendation_api::Metadata& metadata) {
  std::string out = R"({"metadata":{)";
  AppendJsonField(out, "uid", metadata.uid);
  AppendJsonField(out, "resourceVersion", metadata.resource_version);
  return out + "}";
}

// Whether the API server says that an object of this name is not there; not that it does not know the path.
bool SaysNotFound(const net::HttpReply& reply, std::string_view name) {
  if (reply.code != 404) return false;
  const auto status = wire::DecodeApiStatus(reply.body);
  return status.ok() && status->reason == "NotFound" &&
         status->message.find(Concat("\"", name, "\"")) != std::string::npos;
}

// Nothing: it is not there.
StatusOr<std::optional<std::string>> FindObject(net::Client& client, const std::string& path, std::string_view name,
                                                Duration timeout) {
  HUYGENS_ASSIGN_OR_RETURN(net::HttpReply reply, client.Call("GET", path, "", kube::JsonHeaders(), timeout));
  if (kube::Succeeded(reply)) return std::optional(std::move(reply.body));
  if (SaysNotFound(reply, name)) return std::optional<std::string>();
  return Unavailable(Concat("GET ", path, ": ", kube::ExplainReply(reply)));
}

struct OtherKind {
  std::string_view group, kind, path;
};
// That quota/workload_kinds.h does not charge for their pods.
constexpr OtherKind kOtherKinds[] = {
    {"apps", "DaemonSet", "/apis/apps/v1/daemonsets"},
    {"batch", "CronJob", "/apis/batch/v1/cronjobs"},
    {"apps.kruise.io", "DaemonSet", "/apis/apps.kruise.io/v1alpha1/daemonsets"},
    {"apps.kruise.io", "BroadcastJob", "/apis/apps.kruise.io/v1alpha1/broadcastjobs"},
    {"apps.kruise.io", "AdvancedCronJob", "/apis/apps.kruise.io/v1alpha1/advancedcronjobs"}};

std::string_view ListPathOf(std::string_view group, std::string_view kind) {
  for (const OtherKind& each : kOtherKinds) {
    if (each.group == group && each.kind == kind) return each.path;
  }
  for (const quota::ChargedKind& each : quota::ChargedKinds()) {
    if (each.group == group && each.kind == kind) return each.path;
  }
  return {};
}

}  // namespace

std::string PathOf(const Target& target) {
  if (target.dimension == Dimension::kNamespace) return Concat("/api/v1/namespaces/", target.namespace_name);
  if (!kube::IsObjectName(target.name)) return "";
  if (target.dimension == Dimension::kPod) {
    return Concat("/api/v1/namespaces/", target.namespace_name, "/pods/", target.name);
  }
  const std::string_view list = ListPathOf(target.group, target.kind);
  if (list.empty()) return "";
  const size_t slash = list.rfind('/');
  return Concat(list.substr(0, slash), "/namespaces/", target.namespace_name, list.substr(slash), "/", target.name);
}

StatusOr<Recommendation> CreateRecommendation(net::Client& client, const Recommendation& recommendation,
                                              Duration timeout) {
  const std::string path = PathIn(recommendation.metadata.namespace_name, recommendation_api::kRecommendations);
  auto created = kube::CallForObject(DecodeRecommendation, client, "POST", path,
                                     recommendation_api::EncodeRecommendation(recommendation), timeout);
  if (!absl::IsAborted(created.status())) return created;
  HUYGENS_ASSIGN_OR_RETURN(Recommendation there, kube::CallForObject(DecodeRecommendation, client, "GET",
                                                                     PathOf(recommendation), "", timeout));
  if (there.target == recommendation.target) return there;
  return Refused(Concat("recommendation ", there.metadata.namespace_name, "/", there.metadata.name,
                        " is not made by huygens: it is of ", there.target.Text(), " and stands where that of ",
                        recommendation.target.Text(), " belongs; delete it"));
}

StatusOr<Recommendation> WriteRecommendationStatus(net::Client& client, const Recommendation& recommendation,
                                                   Duration timeout) {
  return kube::CallForObject(DecodeRecommendation, client, "PUT", Concat(PathOf(recommendation), "/status"),
                             recommendation_api::EncodeRecommendation(recommendation), timeout);
}

StatusOr<Recommendation> WriteTemplateName(net::Client& client, const Recommendation& recommendation,
                                           Duration timeout) {
  std::string body = Guards(recommendation.metadata);
  body += R"(,"spec":{)";
  AppendJsonField(body, "template", recommendation.template_name);
  body += "}}";
  return kube::CallForObject(DecodeRecommendation, client, "PATCH", PathOf(recommendation), body, timeout,
                             kube::PatchHeaders("merge"));
}

StatusOr<Recommendation> WriteGone(net::Client& client, const Recommendation& recommendation, Duration timeout) {
  std::string body = Guards(recommendation.metadata);
  body += R"(,"status":{"goneSince":)";
  JsonFieldWriter::Append(body, recommendation.status.gone_since);
  body += R"(,"conditions":)";
  JsonFieldWriter::Append(body, recommendation.status.conditions);
  body += "}}";
  return kube::CallForObject(DecodeRecommendation, client, "PATCH", Concat(PathOf(recommendation), "/status"), body,
                             timeout, kube::PatchHeaders("merge"));
}

Status DeleteRecommendation(net::Client& client, const Recommendation& recommendation, Duration timeout) {
  std::string options = R"({"apiVersion":"v1","kind":"DeleteOptions","preconditions":{)";
  AppendJsonField(options, "uid", recommendation.metadata.uid);
  options += "}}";
  Status deleted = kube::CallForObject(client, "DELETE", PathOf(recommendation), options, timeout).status();
  if (!deleted.ok() && !absl::IsNotFound(deleted)) return deleted;
  const std::string checkpoint =
      PathIn(recommendation.metadata.namespace_name, recommendation_api::kCheckpoints, recommendation.metadata.name);
  const Status without = kube::CallForObject(client, "DELETE", checkpoint, "", timeout).status();
  return absl::IsNotFound(without) ? absl::OkStatus() : without;
}

StatusOr<Checkpoint> ReadCheckpoint(net::Client& client, const std::string& namespace_name, const std::string& name,
                                    Duration timeout) {
  return kube::CallForObject(recommendation_api::DecodeCheckpoint, client, "GET",
                             PathIn(namespace_name, recommendation_api::kCheckpoints, name), "", timeout);
}

StatusOr<std::string> WriteCheckpoint(net::Client& client, const Checkpoint& checkpoint, Duration timeout) {
  const bool there = !checkpoint.metadata.resource_version.empty();
  const std::string path = PathIn(checkpoint.metadata.namespace_name, recommendation_api::kCheckpoints,
                                  there ? std::string_view(checkpoint.metadata.name) : std::string_view());
  HUYGENS_ASSIGN_OR_RETURN(const Checkpoint written,
                           kube::CallForObject(recommendation_api::DecodeCheckpoint, client, there ? "PUT" : "POST",
                                               path, recommendation_api::EncodeCheckpoint(checkpoint), timeout));
  return written.metadata.resource_version;
}

StatusOr<RecommendationTemplate> WriteTemplateStatus(net::Client& client, const RecommendationTemplate& object,
                                                     Duration timeout) {
  return kube::CallForObject(recommendation_api::DecodeRecommendationTemplate, client, "PUT",
                             Concat(recommendation_api::kTemplatesPath, "/", object.metadata.name, "/status"),
                             recommendation_api::EncodeTemplateStatus(object), timeout);
}

StatusOr<std::optional<bool>> TargetExists(net::Client& client, const Target& target, Duration timeout) {
  const std::string path = PathOf(target);
  if (path.empty()) return std::optional<bool>();
  const bool whole = target.dimension == Dimension::kNamespace;
  HUYGENS_ASSIGN_OR_RETURN(const std::optional<std::string> object,
                           FindObject(client, path, whole ? target.namespace_name : target.name, timeout));
  return std::optional(object.has_value());
}

StatusOr<std::optional<RecommendationTemplate>> FindTemplate(net::Client& client, const std::string& name,
                                                             Duration timeout) {
  const std::string path = Concat(recommendation_api::kTemplatesPath, "/", name);
  HUYGENS_ASSIGN_OR_RETURN(const std::optional<std::string> object, FindObject(client, path, name, timeout));
  if (!object) return std::optional<RecommendationTemplate>();
  HUYGENS_ASSIGN_OR_RETURN(RecommendationTemplate decoded, recommendation_api::DecodeRecommendationTemplate(*object));
  return std::optional(std::move(decoded));
}

}  // namespace huygens::recommendations
