// huygens explain: asks a running huygens for its last decisions on a pod.
#include <cstdio>
#include <optional>
#include <string>

#include "absl/flags/flag.h"
#include "cli/command.h"
#include "cli/explain_report.h"
#include "cli/output_format.h"
#include "cli/pod_argument.h"
#include "cli/query_escape.h"
#include "cli/remote.h"
#include "cli/usage_report.h"

namespace huygens::cli {

namespace {

constexpr std::string_view kName = "explain";
constexpr std::string_view kNode = "node/";

StatusOr<std::string> Ask(Remote& admin, std::string_view key, std::string_view pod) {
  return admin.Get(Concat("/debug/decisions?limit=100&", key, "=", QueryEscape(pod)));
}

// A node instead of a pod: its use over the week. Nothing if there is no such node.
std::optional<int> ExplainNode(Remote& admin, std::string_view node, OutputFormat format) {
  const auto json = admin.Get(Concat("/debug/nodes/", QueryEscape(node)));
  if (absl::IsNotFound(json.status())) return std::nullopt;
  if (!json.ok()) return Failed(kName, Message(json.status()));
  const auto use = DecodeNodeUse(*json);
  if (!use.ok()) return Failed(kName, Message(Annotate(use.status(), "answer of /debug/nodes")));
  const std::string text = format == OutputFormat::kJson ? *json : NodeUseText(*use, SystemClock().Now());
  std::fwrite(text.data(), 1, text.size(), stdout);
  return kOk;
}

int Run(std::span<const std::string_view> arguments) {
  if (arguments.size() != 1) return UsageError(kName, "it takes one POD, or node/NAME; see --help");
  auto format = OutputFlag();
  if (!format.ok()) return UsageError(kName, Message(format.status()));
  const std::string url = absl::GetFlag(FLAGS_admin_url);
  auto admin = OpenAdmin();
  if (!admin.ok()) return UsageError(kName, Message(admin.status()));

  const std::string_view given = arguments[0];
  if (given.starts_with(kNode) && given.size() > kNode.size()) {  // or a pod of a namespace with this name
    if (const auto code = ExplainNode(*admin, given.substr(kNode.size()), *format)) return *code;
  }
  const auto pod = ReadPodArgument(given);
  if (!pod.ok()) return UsageError(kName, Message(pod.status()));
  auto json = Ask(*admin, "pod", pod->Key());
  auto decisions = json.ok() ? DecodeDecisions(*json) : StatusOr<std::vector<DecisionView>>(json.status());
  if (decisions.ok() && decisions->empty() && !pod->space_given) {
    json = Ask(*admin, "uid", given);
    if (json.ok()) decisions = DecodeDecisions(*json);
  }
  if (!json.ok()) return Failed(kName, Message(json.status()));
  if (!decisions.ok()) return Failed(kName, Message(Annotate(decisions.status(), "answer of /debug/decisions")));
  auto ready = admin->Fetch("/readyz");
  if (!ready.ok()) return Failed(kName, Message(ready.status()));
  const std::string trouble = ready->code == 200 ? "" : NotReadyText(ready->body);
  if (decisions->empty()) return Failed(kName, trouble.empty() ? UnknownPodText(pod->Key(), url) : trouble);
  if (!trouble.empty()) Failed(kName, trouble);  // what it decided before is still worth reading
  const std::string text = *format == OutputFormat::kJson ? *json : ExplainText(*decisions, SystemClock().Now());
  std::fwrite(text.data(), 1, text.size(), stdout);
  return kOk;
}

constexpr std::string_view kFlags[] = {"n", "namespace", "admin_url", "token_file", "o"};

}  // namespace

const Command kExplainCommand = {
    "explain", "say why a pod is where it is, or nowhere; or how a node is used",
    "Usage: huygens explain POD|node/NAME [-n NAMESPACE] [--admin-url URL] [--token-file FILE] [-o table|json]\n\n"
    "Asks a running huygens for its last decisions on a pod (NAME, NAMESPACE/NAME or UID) and prints, for each node it "
    "was asked about, the\n"
    "reason against it or its score by term, and what bind chose. The last 1000 decisions on all pods are remembered; "
    "-o json prints them as\n"
    "/debug/decisions gives them. For node/NAME it prints what is assumed of its kubelet and who says so, "
    "what the node\n"
    "uses by hour of the week, its ceilings, what they leave, and the pods that use most.\n\n"
    "  huygens explain one-zone -n default --admin-url http://127.0.0.1:8889\n"
    "  huygens explain node/numa-4 --admin-url http://127.0.0.1:8889\n\n"
    "Exit codes: 0 explained, 1 nothing is known about the pod or the server could not be reached, 2 wrong usage.\n",
    kFlags, Run};

}  // namespace huygens::cli
