#include "cli/recommendation_query.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "base/text.h"
#include "kube/api_call.h"
#include "net/client.h"
#include "recommendation_api/recommendation.h"
#include "recommendation_api/report.h"
#include "wire/list.h"

namespace huygens::cli {

namespace {

constexpr std::string_view kPageSize = "500";

// As kubectl shortens them.
std::string_view LongKind(std::string_view kind) {
  constexpr std::pair<std::string_view, std::string_view> kShort[] = {
      {"deploy", "Deployment"}, {"sts", "StatefulSet"}, {"ds", "DaemonSet"}, {"rs", "ReplicaSet"},
      {"cj", "CronJob"},        {"ro", "Rollout"},      {"po", "Pod"}};
  for (const auto& [text, full] : kShort) {
    if (absl::EqualsIgnoreCase(ToAbsl(text), ToAbsl(kind))) return full;
  }
  return kind;
}

bool Same(std::string_view a, std::string_view b) { return absl::EqualsIgnoreCase(ToAbsl(a), ToAbsl(b)); }

bool Matches(const RecommendationQuery& query, const recommendation_api::Recommendation& each) {
  if (!query.pool.empty() && each.status.pool != query.pool) return false;
  if (query.name.empty()) return true;
  if (each.target.name != query.name) return false;
  const bool is_pod = each.target.dimension == recommendation_api::Dimension::kPod;
  const std::string_view kind = is_pod ? std::string_view("Pod") : std::string_view(each.target.kind);
  return query.kind.empty() || Same(query.kind, kind) || Same(query.kind, Concat(kind, "s"));
}

Status TakePage(std::string_view json, const RecommendationQuery& query, Time now, std::string& token,
                admin_api::RecommendationListDocument& out) {
  HUYGENS_ASSIGN_OR_RETURN(const wire::ObjectList list, wire::DecodeList(json));
  token = list.continue_token;
  for (const wire::ListItem& item : list.items) {
    const auto recommendation = recommendation_api::DecodeRecommendation(item.text);
    if (!recommendation.ok()) return Annotate(recommendation.status(), "a recommendation cannot be read");
    if (Matches(query, *recommendation)) out.recommendations.push_back(recommendation_api::RowOf(*recommendation, now));
  }
  return absl::OkStatus();
}

}  // namespace

Status ReadTarget(std::string_view text, RecommendationQuery& query) {
  std::vector<std::string> parts;
  for (std::string_view rest = text;;) {
    const size_t slash = rest.find('/');
    parts.emplace_back(rest.substr(0, slash));
    if (slash == std::string_view::npos) break;
    rest.remove_prefix(slash + 1);
  }
  const bool empty = std::ranges::any_of(parts, [](const std::string& part) { return part.empty(); });
  if (empty || parts.size() > 3) {
    return Invalid(Concat("\"", text, "\": a workload is NAME, KIND/NAME, or NAMESPACE/KIND/NAME"));
  }
  query.name = parts.back();
  if (parts.size() > 1) query.kind = LongKind(parts[parts.size() - 2]);
  if (parts.size() > 2) query.namespace_name = parts[0];
  return absl::OkStatus();
}

StatusOr<admin_api::RecommendationListDocument> FindRecommendations(const ApiCall& call,
                                                                    const RecommendationQuery& query, Time now) {
  const std::string path = query.namespace_name.empty() ? std::string(recommendation_api::kRecommendationsPath)
                                                        : Concat("/apis/huygens.dev/v1alpha1/namespaces/",
                                                                 net::PercentEncoded(query.namespace_name), "/",
                                                                 recommendation_api::kRecommendations);
  admin_api::RecommendationListDocument document;
  std::string token;
  do {
    const std::string page =
        Concat(path, "?limit=", kPageSize,
               token.empty() ? "" : "&continue=", token.empty() ? std::string() : net::PercentEncoded(token));
    StatusOr<std::string> json = GetObject(call, page);
    if (absl::IsNotFound(json.status())) {
      return NotFound(
          "the cluster does not serve recommendations: install config/crd/recommendations.yaml and the other "
          "definitions "
          "there, and set overcommit.mode of huygens controller");
    }
    if (!json.ok()) return json.status();
    HUYGENS_RETURN_IF_ERROR(TakePage(*json, query, now, token, document));
  } while (!token.empty());
  std::ranges::sort(document.recommendations, [](const auto& a, const auto& b) {
    return std::pair(a.namespace_name, a.name) < std::pair(b.namespace_name, b.name);
  });
  return document;
}

}  // namespace huygens::cli
