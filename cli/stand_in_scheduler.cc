#include "cli/stand_in_scheduler.h"

#include <algorithm>

#include "admin_api/amounts.h"
#include "admin_api/pod_document.h"
#include "admin_api/quota_document.h"
#include "cli/extender_client_json.h"
#include "json/document.h"
#include "net/client.h"
#include "placement/node_fit.h"
#include "policy/explained.h"
#include "reports/quota_report.h"

namespace huygens::cli {

namespace {
const std::string_view kTaken = policy::Apart(policy::Reason::kInsufficientZones);

std::string LackText(ResourceId resource, const ResourceNames& names) {
  return resource == kPodSlots ? "Too many pods" : Concat("Insufficient ", names.Name(resource));
}
}  // namespace

std::string WhyNot(const PodOutcome& outcome) {
  std::map<std::string, size_t> nodes_by_reason;
  for (const auto& [node, reason] : outcome.refusals) ++nodes_by_reason[reason];
  std::vector<std::string> counted;
  counted.reserve(nodes_by_reason.size());
  for (const auto& [reason, count] : nodes_by_reason) counted.push_back(Concat(std::to_string(count), " ", reason));
  std::sort(counted.begin(), counted.end());
  std::string text = Concat("0/", std::to_string(outcome.node_count), " nodes are available");
  for (const std::string& each : counted) text += Concat(&each == &counted.front() ? ": " : ", ", each);
  text += '.';
  // One that other pods' ends would help says more than one that never fits.
  auto shown = std::ranges::find_if(outcome.figures,
                                    [](const auto& node) { return node.second.find(kTaken) != std::string::npos; });
  if (shown == outcome.figures.end()) shown = outcome.figures.begin();
  if (shown != outcome.figures.end()) text += Concat(" ", shown->first, ": ", shown->second, ".");
  if (outcome.quota.empty()) return text;
  return Concat(text, " ", outcome.quota, outcome.quota.ends_with('?') ? "" : ".");
}

Status StandInScheduler::Start() {
  HUYGENS_ASSIGN_OR_RETURN(std::string json, admin_.Get("/debug/nodes"));
  const auto said = DecodeJson<admin_api::NodeListDocument>(json);
  if (!said.ok()) return Annotate(said.status(), "/debug/nodes");
  for (const admin_api::NodeListDocument::Node& node : said->nodes) {
    if (!node.known) continue;
    auto allocatable = admin_api::ParseAmounts(node.allocatable, names_);
    auto requested = admin_api::ParseAmounts(node.requested, names_);
    for (const Status& status : {allocatable.status(), requested.status()}) {
      if (!status.ok()) return Annotate(status, Concat("/debug/nodes: ", node.name));
    }
    nodes_.emplace(node.name, Node{*std::move(allocatable), *std::move(requested)});
    if (node.pods == 0) continue;
    HUYGENS_ASSIGN_OR_RETURN(admin_api::NodeDocument described, Describe(node.name));
    for (admin_api::NodeDocument::Pod& pod : described.pods) {
      placed_[std::move(pod.uid)] = {node.name, std::move(pod.zones)};
    }
  }
  if (!nodes_.empty()) return absl::OkStatus();
  HUYGENS_ASSIGN_OR_RETURN(const net::HttpReply ready, admin_.Fetch("/readyz"));
  return Refused(ready.code == 200
                     ? "the cluster has no Node; where huygens reads manifests (cluster.manifests), none of them is one"
                     : "huygens knows no node yet: /readyz?verbose of its admin address says what it waits for");
}

StatusOr<admin_api::NodeDocument> StandInScheduler::Describe(const std::string& node) {
  HUYGENS_ASSIGN_OR_RETURN(const std::string json, admin_.Get(Concat("/debug/nodes/", node)));
  auto said = DecodeJson<admin_api::NodeDocument>(json);
  if (!said.ok()) return Annotate(said.status(), Concat("/debug/nodes/", node));
  return said;
}

StatusOr<PodOutcome> StandInScheduler::Place(const PodManifest& pod) {
  PodOutcome outcome{.pod = pod.pod.Key(), .uid = pod.pod.uid};
  outcome.not_understood = pod.not_understood;
  outcome.node_count = nodes_.size();
  // kube-scheduler has no such pod in its queue, and its requests are counted where it is.
  if (const auto placed = placed_.find(pod.pod.uid); placed != placed_.end()) {
    outcome.node = placed->second.node;
    outcome.zones = placed->second.zones;
    outcome.placed_before = true;
    return outcome;
  }
  const ResourceVector requests = placement::RequestsOf(pod.pod);
  std::vector<std::string> nodes = FitByRequests(pod, requests, outcome);
  if (nodes.empty()) return outcome;
  HUYGENS_RETURN_IF_ERROR(Filter(pod, nodes, outcome));
  if (!outcome.error.empty()) return outcome;
  if (nodes.empty()) {
    AskWhy(pod, outcome);
    HUYGENS_RETURN_IF_ERROR(AskQuota(pod, outcome));
    return outcome;
  }
  std::string best;
  HUYGENS_RETURN_IF_ERROR(Prioritize(pod, nodes, best, outcome));
  HUYGENS_RETURN_IF_ERROR(Bind(pod, best, outcome));
  if (!outcome.node.empty()) nodes_.at(best).requested.Add(requests);
  return outcome;
}

std::vector<std::string> StandInScheduler::FitByRequests(const PodManifest& pod, const ResourceVector& requests,
                                                         PodOutcome& outcome) const {
  std::vector<std::string> fitting;
  for (const auto& [name, node] : nodes_) {
    if (!pod.only_on.empty() && std::find(pod.only_on.begin(), pod.only_on.end(), name) == pod.only_on.end()) {
      outcome.refusals.emplace_back(name, "node(s) didn't match Pod's node affinity/selector");
      continue;
    }
    std::vector<ResourceId> lacking = placement::Lacking(requests, node.allocatable, node.requested);
    for (ResourceId resource : lacking) outcome.refusals.emplace_back(name, LackText(resource, names_));
    if (lacking.empty()) fitting.push_back(name);
  }
  return fitting;
}

Status StandInScheduler::Filter(const PodManifest& pod, std::vector<std::string>& nodes, PodOutcome& outcome) {
  HUYGENS_ASSIGN_OR_RETURN(std::string json, verbs_.PostJson("/filter", FilterRequest(pod.json, nodes)));
  auto reply = DecodeFilterReply(json);
  if (!reply.ok()) return Annotate(reply.status(), "answer of filter");
  if (!reply->error.empty()) outcome.error = Concat("filter: ", reply->error);
  for (auto& refused : reply->refused) outcome.refusals.push_back(std::move(refused));
  nodes = std::move(reply->nodes);
  auto unasked =
      std::find_if(nodes.begin(), nodes.end(), [&](const std::string& node) { return !nodes_.contains(node); });
  if (unasked != nodes.end()) return Internal(Concat("answer of filter: it was not asked about node ", *unasked));
  return absl::OkStatus();
}

// The texts of filter have no figures and are the same for what is taken and what never fits, since kube-scheduler
// counts equal ones. An older server has no such page: then those texts stand.
void StandInScheduler::AskWhy(const PodManifest& pod, PodOutcome& outcome) {
  const auto json = admin_.Get(
      Concat("/debug/pods/", net::PercentEncoded(pod.pod.namespace_name), "/", net::PercentEncoded(pod.pod.name)));
  const auto now = json.ok() ? DecodeJson<admin_api::PodDocument>(*json) : json.status();
  if (!now.ok() || now->uid != pod.pod.uid) return;
  std::map<std::string_view, const admin_api::PodDocument::Node*> refused_now;
  for (const admin_api::PodDocument::Node& node : now->nodes) refused_now[node.name] = &node;
  for (auto& [node, reason] : outcome.refusals) {
    const auto found = refused_now.find(node);
    if (found == refused_now.end() || !found->second->reason.starts_with(reason)) continue;
    reason = found->second->reason;
    if (!found->second->why.empty()) outcome.figures[node] = found->second->why;
  }
}

// Nor do they have those of a budget.
Status StandInScheduler::AskQuota(const PodManifest& pod, PodOutcome& outcome) {
  if (!pod.pod.quota) return absl::OkStatus();
  const auto json = admin_.Get(Concat("/debug/quotas/pods/", net::PercentEncoded(pod.pod.namespace_name), "/",
                                      net::PercentEncoded(pod.pod.name)));
  if (!json.ok()) return json.status();
  auto quota = DecodeJson<admin_api::PodQuotaDocument>(*json);
  if (!quota.ok()) return Annotate(quota.status(), "answer of /debug/quotas/pods");
  outcome.quota = reports::RefusalText(*quota);
  return absl::OkStatus();
}

// kube-scheduler does not ask when only one node is left; here the question is asked all the same, for the score in the
// table.
Status StandInScheduler::Prioritize(const PodManifest& pod, const std::vector<std::string>& nodes, std::string& best,
                                    PodOutcome& outcome) {
  HUYGENS_ASSIGN_OR_RETURN(std::string json, verbs_.PostJson("/prioritize", FilterRequest(pod.json, nodes)));
  auto priorities = DecodePriorities(json);
  if (!priorities.ok()) return Annotate(priorities.status(), "answer of prioritize");
  const std::map<std::string, int64_t> scores(priorities->begin(), priorities->end());
  auto score_of = [&](const std::string& node) {
    auto found = scores.find(node);
    return found == scores.end() ? 0 : found->second;
  };
  best = nodes.front();
  for (const std::string& node : nodes) {
    int64_t score = score_of(node), best_score = score_of(best);
    if (score > best_score || (score == best_score && node < best)) best = node;
  }
  outcome.score = score_of(best);
  return absl::OkStatus();
}

Status StandInScheduler::Bind(const PodManifest& pod, const std::string& node, PodOutcome& outcome) {
  HUYGENS_ASSIGN_OR_RETURN(
      std::string json,
      verbs_.PostJson("/bind", BindRequestText(pod.pod.name, pod.pod.namespace_name, pod.pod.uid, node)));
  auto error = DecodeBindReply(json);
  if (!error.ok()) return Annotate(error.status(), "answer of bind");
  if (!error->empty()) {
    outcome.error = Concat("bind to ", node, ": ", *error);
    outcome.score.reset();
    return absl::OkStatus();
  }
  outcome.node = node;
  HUYGENS_ASSIGN_OR_RETURN(admin_api::NodeDocument described, Describe(node));
  const std::string_view uid = pod.pod.uid;
  const auto placed = std::ranges::find(described.pods, uid, &admin_api::NodeDocument::Pod::uid);
  if (placed != described.pods.end()) outcome.zones = std::move(placed->zones);
  return absl::OkStatus();
}

}  // namespace huygens::cli
