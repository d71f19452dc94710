// huygens explain: asks a running huygens for its last decisions on a pod.
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>

#include "absl/flags/flag.h"
#include "cli/command.h"
#include "cli/output_format.h"
#include "cli/pod_argument.h"
#include "cli/remote.h"
#include "json/document.h"
#include "net/client.h"
#include "reports/explain_report.h"
#include "reports/node_report.h"
#include "reports/not_heard_of.h"
#include "reports/nothing_to_explain.h"
#include "reports/quota_report.h"
#include "reports/reschedule_report.h"
#include "reports/usage_report.h"

namespace huygens::cli {

namespace {

constexpr std::string_view kName = "explain";
constexpr std::string_view kNode = "node/";

void Print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

StatusOr<std::string> Ask(Remote& admin, std::string_view key, std::string_view pod) {
  return admin.Get(Concat("/debug/decisions?limit=100&", key, "=", net::PercentEncoded(pod)));
}

// A node instead of a pod: its zones, and its use over the week. Nothing if there is no such node.
std::optional<int> ExplainNode(Remote& admin, std::string_view node, OutputFormat format) {
  const auto json = admin.Get(Concat("/debug/nodes/", net::PercentEncoded(node)));
  if (absl::IsNotFound(json.status())) return std::nullopt;
  if (!json.ok()) return Failed(kName, Message(json.status()));
  const auto said = DecodeJson<admin_api::NodeDocument>(*json);
  if (!said.ok()) return Failed(kName, Message(Annotate(said.status(), "answer of /debug/nodes")));
  const Time now = SystemClock().Now();
  const std::string text = format == OutputFormat::kJson
                               ? *json
                               : Concat("node ", said->name, "\n", reports::NotHeardText(said->not_heard_of),
                                        reports::NodeZonesText(*said, now), "\n", reports::NodeUseText(*said, now));
  Print(text);
  return kOk;
}

int NoSuchNode(Remote& admin, std::string_view node, std::string_view url) {
  const auto json = admin.Get("/debug/nodes");
  const auto nodes = json.ok() ? DecodeJson<admin_api::NodeListDocument>(*json) : json.status();
  if (!nodes.ok()) return Failed(kName, Message(nodes.status()));
  std::vector<std::string> names;
  for (const admin_api::NodeListDocument::Node& each : nodes->nodes) names.push_back(each.name);
  return Failed(kName, reports::UnknownNodeText(node, url, names));
}

// An answer that says nothing of the pod is no failure: the decisions are there all the same.
struct PodNow {
  std::string json;
  std::optional<admin_api::PodDocument> view;
  std::string quota_json;
  std::optional<admin_api::PodQuotaDocument> quota;  // of a pod that its group refused when it was last asked about
  std::string left_above;                            // of the budget of the group above that
};

// The newest that names nodes; null if there is none.
const admin_api::DecisionDocument* NewestVerdict(const std::vector<admin_api::DecisionDocument>& decisions) {
  const auto found = std::ranges::find_if(
      decisions, [](const admin_api::DecisionDocument& each) { return each.verb == "filter" || each.verb == "bind"; });
  return found == decisions.end() ? nullptr : &*found;
}

// NAMESPACE/NAME as a part of a path.
std::string PathOf(std::string_view pod) {
  const size_t slash = std::min(pod.find('/'), pod.size());
  return Concat(net::PercentEncoded(pod.substr(0, slash)), "/",
                net::PercentEncoded(pod.substr(std::min(slash + 1, pod.size()))));
}

// Leaves both as they are where the answer is none that can be read.
template <typename Document>
void AskPage(Remote& admin, std::string_view path, std::string& json, std::optional<Document>& document) {
  auto said = admin.Get(path);
  auto read = said.ok() ? DecodeJson<Document>(*said) : said.status();
  if (!read.ok()) return;
  json = *std::move(said);
  document = *std::move(read);
}

PodNow AskView(Remote& admin, std::string_view pod) {
  PodNow now;
  AskPage(admin, Concat("/debug/pods/", PathOf(pod)), now.json, now.view);
  return now;
}

std::string AskLeftAbove(Remote& admin, const admin_api::PodQuotaDocument& quota) {
  const std::string above = reports::GroupAbove(quota);
  if (above.empty()) return "";
  const auto json = admin.Get(Concat("/debug/quotas?group=", net::PercentEncoded(above)));
  const auto tree = json.ok() ? DecodeJson<admin_api::QuotaTreeDocument>(*json) : json.status();
  return tree.ok() ? reports::LeftAboveText(quota, *tree) : "";
}

void AskQuota(Remote& admin, std::string_view pod, PodNow& now) {
  AskPage(admin, Concat("/debug/quotas/pods/", PathOf(pod)), now.quota_json, now.quota);
  if (now.quota) now.left_above = AskLeftAbove(admin, *now.quota);
}

PodNow AskNow(Remote& admin, const std::vector<admin_api::DecisionDocument>& decisions) {
  const admin_api::DecisionDocument& newest = decisions.front();
  PodNow now = AskView(admin, newest.pod);
  if (!now.view || (!newest.uid.empty() && now.view->uid != newest.uid)) return {};
  const admin_api::DecisionDocument* verdict = NewestVerdict(decisions);
  if (verdict != nullptr && !verdict->quota.empty()) AskQuota(admin, newest.pod, now);
  return now;
}

// Of a pod without decisions.
PodNow AskUndecided(Remote& admin, std::string_view pod) {
  PodNow now = AskView(admin, pod);
  const auto by_quota = [](const admin_api::PodDocument::Node& node) { return node.cause.starts_with("quota"); };
  if (now.view && std::ranges::any_of(now.view->nodes, by_quota)) AskQuota(admin, pod, now);
  return now;
}

// The page of decisions with what holds now beside them.
std::string WithNow(std::string decisions, const PodNow& now) {
  const size_t end = decisions.rfind('}');
  if (end == std::string::npos) return decisions;
  const auto field = [](std::string_view name, std::string_view json) {
    while (json.ends_with('\n')) json.remove_suffix(1);
    return json.empty() ? std::string() : Concat(",\"", name, "\":", json);
  };
  return Concat(std::string_view(decisions).substr(0, end), field("now", now.json), field("quota", now.quota_json),
                "}\n");
}

// Why the pod moves, or does not; empty: nobody looks, or there is nothing to say.
std::string MoveText(Remote& admin, const std::string& pod) {
  std::string json;
  std::optional<admin_api::RescheduleDocument> document;
  AskPage(admin, "/debug/reschedule", json, document);
  const std::string line = document ? reports::RescheduleLine(*document, pod) : std::string();
  return line.empty() ? line : Concat("\n", line);
}

// Of a pod that is known all the same.
std::string UndecidedText(const PodNow& now, std::string_view url) {
  const std::string text =
      now.view->node.empty()
          ? reports::UndecidedPodText(*now.view, url, now.quota ? &*now.quota : nullptr, now.left_above)
          : reports::PlacedPodText(*now.view, url, SystemClock().Now());
  return Concat(text, "\n");
}

int Run(std::span<const std::string_view> arguments) {
  if (arguments.size() != 1) return UsageError(kName, "it takes one POD, or node/NAME; see --help");
  auto format = OutputFlag();
  if (!format.ok()) return UsageError(kName, Message(format.status()));
  const std::string url = absl::GetFlag(FLAGS_admin_url);
  auto admin = OpenAdmin();
  if (!admin.ok()) return UsageError(kName, Message(admin.status()));

  const std::string_view given = arguments[0];
  const bool names_node = given.starts_with(kNode) && given.size() > kNode.size();
  if (names_node) {  // or a pod of a namespace with this name
    if (const auto code = ExplainNode(*admin, given.substr(kNode.size()), *format)) return *code;
  }
  const auto pod = ReadPodArgument(given);
  if (!pod.ok()) return UsageError(kName, Message(pod.status()));
  auto json = Ask(*admin, "pod", pod->Key());
  auto said = json.ok() ? DecodeJson<admin_api::DecisionListDocument>(*json) : json.status();
  if (said.ok() && said->decisions.empty() && !pod->space_given) {
    json = Ask(*admin, "uid", pod->name);
    if (json.ok()) said = DecodeJson<admin_api::DecisionListDocument>(*json);
  }
  if (!json.ok()) return Failed(kName, Message(json.status()));
  if (!said.ok()) return Failed(kName, Message(Annotate(said.status(), "answer of /debug/decisions")));
  const std::vector<admin_api::DecisionDocument>& decisions = said->decisions;
  auto ready = admin->Fetch("/readyz");
  if (!ready.ok()) return Failed(kName, Message(ready.status()));
  const std::string trouble = ready->code == 200 ? "" : reports::NotReadyText(ready->body);
  if (!trouble.empty()) Failed(kName, trouble);  // what it knows and decided before is still worth reading
  if (decisions.empty() && !trouble.empty() && reports::RefusesCalls(ready->body)) return kFailed;
  if (decisions.empty() && names_node) return NoSuchNode(*admin, given.substr(kNode.size()), url);
  if (decisions.empty()) {
    const PodNow now = AskUndecided(*admin, pod->Key());
    if (now.view) {
      Print(*format == OutputFormat::kJson ? WithNow(*std::move(json), now)
                                           : UndecidedText(now, url) + MoveText(*admin, pod->Key()));
      return kOk;
    }
    const bool is_node = !pod->space_given && admin->Get(Concat("/debug/nodes/", net::PercentEncoded(pod->name))).ok();
    return Failed(kName, reports::UnknownPodText(pod->Key(), url, is_node));
  }
  const PodNow now = AskNow(*admin, decisions);
  const std::string text = *format == OutputFormat::kJson
                               ? WithNow(*std::move(json), now)
                               : reports::ExplainText(decisions, SystemClock().Now(), now.view ? &*now.view : nullptr,
                                                      now.quota ? &*now.quota : nullptr, now.left_above);
  Print(text);
  if (*format != OutputFormat::kJson) Print(MoveText(*admin, decisions.front().pod));
  return kOk;
}

constexpr std::string_view kFlags[] = {"n", "namespace", "admin_url", "token_file", "o"};

}  // namespace

const Command kExplainCommand = {
    "explain", "say why a pod is where it is, or nowhere; or what a node's zones and use are",
    "Usage: huygens explain [pod/]POD|node/NAME [-n NAMESPACE] [--admin-url URL] [--token-file FILE] [-o "
    "table|json]\n\n"
    "Asks a running huygens for its last decisions on a pod (NAME, NAMESPACE/NAME or UID) and prints, for each node it "
    "was asked about, the\n"
    "reason against it or its score by term, and what bind chose. Figures of zones are those of now. The last 1000 "
    "decisions on all pods are\n"
    "remembered; of a pod without any it prints what each node would say of it now; -o json prints them as "
    "/debug/decisions gives them, with /debug/pods/NAMESPACE/NAME as `now`,\n"
    "and of a pod that its business group refuses /debug/quotas/pods/NAMESPACE/NAME as `quota`.\n"
    "For node/NAME it prints its zones, who holds them, what is wrong with its topology object, what is assumed of its "
    "kubelet and who says\n"
    "so, what the node uses by hour of the week, its ceilings, what they leave, and the pods that use most.\n\n"
    "  huygens explain one-zone -n default --admin-url http://127.0.0.1:8889\n"
    "  huygens explain node/numa-4 --admin-url http://127.0.0.1:8889\n\n"
    "Exit codes: 0 explained, also from what holds now where no decision is remembered; 1 the pod is not known, or the "
    "server could not be\nreached; 2 wrong usage.\n",
    kFlags, Run};

}  // namespace huygens::cli
