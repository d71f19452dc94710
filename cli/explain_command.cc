// huygens explain: asks a running huygens for its last decisions on a pod.
#include <cctype>
#include <cstdio>
#include <string>

#include "absl/flags/flag.h"
#include "cli/command.h"
#include "cli/explain_report.h"
#include "cli/output_format.h"
#include "cli/remote.h"

ABSL_FLAG(std::string, namespace, "", "namespace of the pod; default where POD names none");

namespace huygens::cli {

namespace {

constexpr std::string_view kName = "explain";

// Names and UIDs hold no character that a query would have to hide, but what a person types may.
std::string Escaped(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (char c : text) {
    auto code = static_cast<unsigned char>(c);
    if (std::isalnum(code) != 0 || c == '-' || c == '.' || c == '/' || c == '_') {
      out += c;
    } else {
      out += {'%', kHex[code >> 4], kHex[code & 15]};
    }
  }
  return out;
}

StatusOr<std::string> Ask(Remote& admin, std::string_view key, std::string_view pod) {
  return admin.Get(Concat("/debug/decisions?limit=100&", key, "=", Escaped(pod)));
}

int Fail(std::string_view message) {
  UsageError(kName, message);
  return kFailed;
}

int Run(std::span<const std::string_view> arguments) {
  if (arguments.size() != 1) return UsageError(kName, "it takes one POD; see --help");
  auto format = OutputFlag();
  if (!format.ok()) return UsageError(kName, Message(format.status()));
  const std::string url = absl::GetFlag(FLAGS_admin_url);
  auto admin = Remote::Open({.url = url, .flag = "--admin-url"});
  if (!admin.ok()) return UsageError(kName, Message(admin.status()));

  const std::string_view given = arguments[0];
  const std::string in = absl::GetFlag(FLAGS_namespace);
  const bool with_namespace = given.find('/') != std::string_view::npos;
  const std::string pod = with_namespace ? std::string(given) : Concat(in.empty() ? "default" : in, "/", given);
  auto json = Ask(*admin, "pod", pod);
  auto decisions = json.ok() ? DecodeDecisions(*json) : StatusOr<std::vector<DecisionView>>(json.status());
  if (decisions.ok() && decisions->empty() && !with_namespace && in.empty()) {
    json = Ask(*admin, "uid", given);
    if (json.ok()) decisions = DecodeDecisions(*json);
  }
  if (!json.ok()) return Fail(Message(json.status()));
  if (!decisions.ok()) return Fail(Message(Annotate(decisions.status(), "answer of /debug/decisions")));
  auto ready = admin->Fetch("/readyz");
  if (!ready.ok()) return Fail(Message(ready.status()));
  const std::string trouble = ready->code == 200 ? "" : NotReadyText(ready->body);
  if (decisions->empty()) return Fail(trouble.empty() ? UnknownPodText(pod, url) : trouble);
  if (!trouble.empty()) Fail(trouble);  // what it decided before is still worth reading
  const std::string text = *format == OutputFormat::kJson ? *json : ExplainText(*decisions, SystemClock().Now());
  std::fwrite(text.data(), 1, text.size(), stdout);
  return kOk;
}

}  // namespace

const Command kExplainCommand = {
    "explain", "say why a pod is where it is, or nowhere",
    "Usage: huygens explain POD [--namespace NS] [--admin-url URL] [-o table|json]\n\n"
    "Asks a running huygens for its last decisions on a pod (NAME, NAMESPACE/NAME or UID) and prints, for each node it "
    "was asked about, the\n"
    "reason against it or its score by term, and what bind chose. The last 1000 decisions on all pods are remembered; "
    "-o json prints them as\n"
    "/debug/decisions gives them.\n\n"
    "  huygens explain one-zone --namespace default --admin-url http://127.0.0.1:8889\n\n"
    "Exit codes: 0 explained, 1 nothing is known about the pod or the server could not be reached, 2 wrong usage.\n",
    Run};

}  // namespace huygens::cli
