// huygens quota tree, huygens quota explain: asks a running huygens about budgets of business groups.
#include <cstdio>
#include <string>

#include "absl/flags/flag.h"
#include "base/nearest_name.h"
#include "cli/command.h"
#include "cli/output_format.h"
#include "cli/pod_argument.h"
#include "cli/quota_report.h"
#include "cli/remote.h"
#include "json/document.h"
#include "net/client.h"

ABSL_FLAG(std::string, key, "", "print this key only, such as limits.cpu");

namespace huygens::cli {

namespace {

constexpr std::string_view kName = "quota";

int Print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  return kOk;
}

int NoSuchGroup(Remote& admin, std::string_view group) {
  const auto json = admin.Get("/debug/quotas");
  const auto tree =
      json.ok() ? DecodeJson<admin::QuotaTreeDocument>(*json) : StatusOr<admin::QuotaTreeDocument>(json.status());
  std::vector<std::string_view> names;
  if (tree.ok()) {
    for (const admin::QuotaTreeDocument::Group& each : tree->groups) names.push_back(each.name);
  }
  const std::string_view nearest = NearestName(group, names);
  return Failed(kName, Concat("huygens knows no group called ", group,
                              nearest.empty() ? std::string() : Concat("; did you mean ", nearest, "?"),
                              nearest.empty() ? "; " : " ", "`huygens quota tree` lists all"));
}

int PrintTree(Remote& admin, std::string_view group, OutputFormat format) {
  const auto json =
      admin.Get(Concat("/debug/quotas", group.empty() ? "" : Concat("?group=", net::PercentEncoded(group))));
  if (absl::IsNotFound(json.status()) && !group.empty()) return NoSuchGroup(admin, group);
  if (!json.ok()) return Failed(kName, Message(json.status()));
  const auto tree = DecodeJson<admin::QuotaTreeDocument>(*json);
  if (!tree.ok()) return Failed(kName, Message(Annotate(tree.status(), "answer of /debug/quotas")));
  if (format == OutputFormat::kJson) return Print(*json);
  const std::string given = absl::GetFlag(FLAGS_key);
  if (given.empty() || tree->groups.empty()) return Print(QuotaTreeText(*tree, ""));
  const auto key = KeyOf(*tree, given);
  return key.ok() ? Print(QuotaTreeText(*tree, *key)) : Failed(kName, Message(key.status()));
}

int ExplainPod(Remote& admin, std::string_view given, OutputFormat format) {
  const auto asked = ReadPodArgument(given);
  if (!asked.ok()) return UsageError(kName, Message(asked.status()));
  const auto json = admin.Get(
      Concat("/debug/quotas/pods/", net::PercentEncoded(asked->space), "/", net::PercentEncoded(asked->name)));
  if (absl::IsNotFound(json.status())) {
    return Failed(
        kName, Concat("huygens knows no pod ", asked->Key(),
                      "; it knows those that the API server shows it, and the last ones that filter was asked about"));
  }
  if (!json.ok()) return Failed(kName, Message(json.status()));
  const auto pod = DecodeJson<admin::PodQuotaDocument>(*json);
  if (!pod.ok()) return Failed(kName, Message(Annotate(pod.status(), "answer of /debug/quotas/pods")));
  return Print(format == OutputFormat::kJson ? *json : PodQuotaText(*pod, SystemClock().Now()));
}

int Run(std::span<const std::string_view> arguments) {
  const bool tree = !arguments.empty() && arguments.size() <= 2 && arguments[0] == "tree";
  const bool explain = arguments.size() == 2 && arguments[0] == "explain";
  if (!tree && !explain) return UsageError(kName, "it takes `tree [GROUP]` or `explain POD`; see --help");
  const auto format = OutputFlag();
  if (!format.ok()) return UsageError(kName, Message(format.status()));
  auto admin = OpenAdmin();
  if (!admin.ok()) return UsageError(kName, Message(admin.status()));
  if (explain) return ExplainPod(*admin, arguments[1], *format);
  return PrintTree(*admin, arguments.size() == 2 ? arguments[1] : "", *format);
}

constexpr std::string_view kFlags[] = {"key", "n", "namespace", "admin_url", "token_file", "o"};

}  // namespace

const Command kQuotaCommand = {
    "quota", "show the budgets of business groups, and what a pod takes of its group's",
    "Usage: huygens quota tree [GROUP] [--key KEY] [--admin-url URL] [--token-file FILE] [-o table|json]\n"
    "       huygens quota explain POD [-n NAMESPACE] [--admin-url URL] [--token-file FILE] [-o table|json]\n\n"
    "tree asks a running huygens for the tree of business groups (BizGroupResourceQuota), or for GROUP and those below "
    "it: of each key\n"
    "that a group limits its budget (HARD), what is used of it, how much of that by pods of its own (the rest was "
    "handed to its children),\n"
    "and what remains. A pod must fit into what remains to its own group. Amounts of cash/ keys are hours.\n"
    "--key prints one line a group. It is taken as people write it: where no group limits cpu, but one requests.cpu, "
    "that is meant.\n\n"
    "explain says what a pod costs its group, by key, beside what is used and the budget; and since when it is "
    "charged, or which key refuses\n"
    "it now, and who uses that most. POD is NAME or NAMESPACE/NAME. Which nodes can take it is for `huygens explain` "
    "to say.\n\n"
    "  huygens quota tree --key limits.cpu --admin-url http://127.0.0.1:8889\n"
    "  huygens quota explain default/over-budget\n\n"
    "Exit codes: 0 answered (also of a pod that is refused), 1 no such group, key or pod, or the server could not be "
    "reached, 2 wrong usage.\n",
    kFlags, Run};

}  // namespace huygens::cli
