// huygens quota tree, huygens quota explain POD: asks a running huygens about budgets of business groups; huygens quota
// explain WORKLOAD, check, transfer: ask the API server.
#include <cstdio>
#include <string>

#include "absl/flags/declare.h"
#include "absl/flags/flag.h"
#include "base/nearest_name.h"
#include "cli/api_server.h"
#include "cli/command.h"
#include "cli/manifest_check.h"
#include "cli/output_format.h"
#include "cli/pod_argument.h"
#include "cli/quota_transfer.h"
#include "cli/remote.h"
#include "cli/workload_quota.h"
#include "json/document.h"
#include "kube/manifest_files.h"
#include "net/client.h"
#include "reports/package_report.h"
#include "reports/quota_report.h"

ABSL_FLAG(std::string, key, "", "print this key only, such as limits.cpu");
ABSL_FLAG(std::string, until, "", "when a loan comes back: a moment, or how long from now on");
ABSL_DECLARE_FLAG(std::string, f);
ABSL_DECLARE_FLAG(std::string, kubeconfig);
ABSL_FLAG(std::string, packages, "", "sizes of pods of which to say how many more fit");

namespace huygens::cli {

namespace {

constexpr std::string_view kName = "quota";

int Print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  return kOk;
}

int NoSuchGroup(Remote& admin, std::string_view group) {
  const auto json = admin.Get("/debug/quotas");
  const auto tree = json.ok() ? DecodeJson<admin_api::QuotaTreeDocument>(*json)
                              : StatusOr<admin_api::QuotaTreeDocument>(json.status());
  std::vector<std::string_view> names;
  if (tree.ok()) {
    for (const admin_api::QuotaTreeDocument::Group& each : tree->groups) names.push_back(each.name);
  }
  const std::string_view nearest = NearestName(group, names);
  return Failed(kName, Concat("huygens knows no group called ", group,
                              nearest.empty() ? std::string() : Concat("; did you mean ", nearest, "?"),
                              nearest.empty() ? "; " : " ", "`huygens quota tree` lists all"));
}

int PrintTree(Remote& admin, std::string_view group, OutputFormat format) {
  const std::string sizes = absl::GetFlag(FLAGS_packages);
  std::string packages;
  if (!sizes.empty()) {
    auto query = reports::PackageQuery(sizes);
    if (!query.ok()) return UsageError(kName, Message(query.status()));
    packages = *std::move(query);
  }
  std::string query = Concat(group.empty() ? "" : Concat("&group=", net::PercentEncoded(group)), packages);
  if (!query.empty()) query.front() = '?';
  const auto json = admin.Get(Concat("/debug/quotas", query));
  if (absl::IsNotFound(json.status()) && !group.empty()) return NoSuchGroup(admin, group);
  if (!json.ok()) return Failed(kName, Message(json.status()));
  const auto tree = DecodeJson<admin_api::QuotaTreeDocument>(*json);
  if (!tree.ok()) return Failed(kName, Message(Annotate(tree.status(), "answer of /debug/quotas")));
  if (format == OutputFormat::kJson) return Print(*json);
  if (!tree->packages.empty()) return Print(reports::PackagesText(*tree));
  const std::string given = absl::GetFlag(FLAGS_key);
  if (given.empty() || tree->groups.empty()) return Print(reports::QuotaTreeText(*tree, ""));
  const auto key = reports::KeyOf(*tree, given);
  return key.ok() ? Print(reports::QuotaTreeText(*tree, *key)) : Failed(kName, Message(key.status()));
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
  const auto pod = DecodeJson<admin_api::PodQuotaDocument>(*json);
  if (!pod.ok()) return Failed(kName, Message(Annotate(pod.status(), "answer of /debug/quotas/pods")));
  return Print(format == OutputFormat::kJson ? *json : reports::PodQuotaText(*pod, SystemClock().Now()));
}

// The namespace of -n, for what names none.
StatusOr<std::string> GivenSpace() {
  HUYGENS_ASSIGN_OR_RETURN(PodArgument asked, ReadPodArgument("x"));
  return std::move(asked.space);
}

int ExplainWorkload(const WorkloadArgument& workload) {
  const auto space = GivenSpace();
  if (!space.ok()) return UsageError(kName, Message(space.status()));
  const auto api = OpenApiServer(absl::GetFlag(FLAGS_kubeconfig));
  if (!api.ok()) return UsageError(kName, Message(api.status()));
  const auto text = WorkloadQuotaText(*api, workload, *space);
  return text.ok() ? Print(*text) : Failed(kName, Message(text.status()));
}

int Check() {
  const std::string file = absl::GetFlag(FLAGS_f);
  if (file.empty()) return UsageError(kName, "check wants -f FILE: a manifest, or a directory with manifests");
  const auto space = GivenSpace();
  if (!space.ok()) return UsageError(kName, Message(space.status()));
  const auto api = OpenApiServer(absl::GetFlag(FLAGS_kubeconfig));
  if (!api.ok()) return UsageError(kName, Message(api.status()));
  ManifestCheck check(*api, *space);
  const Status status = kube::ForEachManifest(file, [&](const kube::ManifestObject& object) -> Status {
    HUYGENS_ASSIGN_OR_RETURN(const std::string line, check.Check(object.meta, object.json));
    Print(line);
    return absl::OkStatus();
  });
  if (!status.ok()) return Failed(kName, Message(status));
  return check.refused() == 0 ? kOk : kFailed;
}

int Transfer(std::span<const std::string_view> arguments) {
  const auto transfer = ReadTransfer(arguments, absl::GetFlag(FLAGS_until), SystemClock().Now());
  if (!transfer.ok()) return UsageError(kName, Message(transfer.status()));
  const auto api = OpenApiServer(absl::GetFlag(FLAGS_kubeconfig));
  if (!api.ok()) return UsageError(kName, Message(api.status()));
  const auto said = CreateTransfer(*api, *transfer);
  return said.ok() ? Print(*said) : Failed(kName, Message(said.status()));
}

int Run(std::span<const std::string_view> arguments) {
  const std::string_view what = arguments.empty() ? "" : arguments[0];
  if (what == "check" && arguments.size() == 1) return Check();
  if (what == "transfer") return Transfer(arguments.subspan(1));
  const bool tree = arguments.size() <= 2 && what == "tree";
  const bool explain = arguments.size() == 2 && what == "explain";
  if (!tree && !explain) {
    return UsageError(kName,
                      "it takes `tree [GROUP]`, `explain POD`, `explain deployment/NAME`, `check -f FILE` or "
                      "`transfer FROM TO KEY=AMOUNT...`; see --help");
  }
  if (explain) {
    if (const auto workload = ReadWorkloadArgument(arguments[1])) return ExplainWorkload(*workload);
  }
  const auto format = OutputFlag();
  if (!format.ok()) return UsageError(kName, Message(format.status()));
  auto admin = OpenAdmin();
  if (!admin.ok()) return UsageError(kName, Message(admin.status()));
  if (explain) return ExplainPod(*admin, arguments[1], *format);
  return PrintTree(*admin, arguments.size() == 2 ? arguments[1] : "", *format);
}

constexpr std::string_view kFlags[] = {"key", "packages",  "f",         "kubeconfig", "until",
                                       "n",   "namespace", "admin_url", "token_file", "o"};

}  // namespace

const Command kQuotaCommand = {
    "quota", "show and move the budgets of business groups, and what pods and workloads take",
    "Usage: huygens quota tree [GROUP] [--key KEY | --packages SIZES] [--admin-url URL] [--token-file FILE] [-o "
    "table|json]\n"
    "       huygens quota explain POD [-n NAMESPACE] [--admin-url URL] [--token-file FILE] [-o table|json]\n"
    "       huygens quota explain KIND/NAME [-n NAMESPACE] [--kubeconfig FILE]\n"
    "       huygens quota check -f FILE [-n NAMESPACE] [--kubeconfig FILE]\n"
    "       huygens quota transfer FROM TO KEY=AMOUNT... [--until TIME] [--kubeconfig FILE]\n\n"
    "tree asks a running huygens for the tree of business groups (BizGroupResourceQuota), or for GROUP and those below "
    "it: of each key\n"
    "that a group limits its budget (HARD), what is used of it, how much of that by pods of its own (the rest was "
    "handed to its children),\n"
    "and what remains. A pod must fit into what remains to its own group. Amounts of cash/ keys are hours.\n"
    "--key prints one line a group. It is taken as people write it: where no group limits cpu, but one requests.cpu, "
    "that is meant.\n"
    "--packages says of each size of a pod how many more the nodes would take, and the budget of each group; the size "
    "that leaves least of a\n"
    "group's budget unused is marked.\n\n"
    "explain says what a pod costs its group, by key, beside what is used and the budget; and since when it is "
    "charged, or which key refuses\n"
    "it now, and who uses that most. POD is NAME or NAMESPACE/NAME. Which nodes can take it is for `huygens explain` "
    "to say.\n\n"
    "explain KIND/NAME says of a workload (deployment/web, sts/db, job/train, ...) what it costs its group as a whole, "
    "beside what is used and\n"
    "the budget of its group and of those above. It asks the API server.\n\n"
    "check shows each object of a manifest, or of a directory of them, to the API server as a dry run and prints what "
    "it, "
    "and huygens webhook\n"
    "where that is installed, would say, warnings too. Nothing is stored. It needs the permission to patch such "
    "objects.\n\n"
    "transfer gives a part of FROM's budget to TO, by a QuotaTransfer that huygens controller carries out; with "
    "--until "
    "(a moment such as\n"
    "2026-12-31T00:00:00Z, or a time such as 7d) it is a loan that comes back then. It needs the permission to create "
    "quotatransfers.\n\n"
    "The API server is found as kubectl finds it: --kubeconfig, $KUBECONFIG, ~/.kube/config, or the account of its "
    "pod.\n\n"
    "  huygens quota tree --key limits.cpu --admin-url http://127.0.0.1:8889\n"
    "  huygens quota tree search --packages 'cpu=4,memory=16Gi cpu=8,memory=32Gi,nvidia.com/gpu=1'\n"
    "  huygens quota explain default/over-budget\n"
    "  huygens quota explain deployment/web -n shop\n"
    "  huygens quota transfer search ads limits.cpu=20 --until 7d\n\n"
    "Exit codes: 0 answered (also of a pod that is refused) or accepted, 1 no such group, key, pod or workload, an "
    "object "
    "that check found\n"
    "refused, or the server could not be reached, 2 wrong usage.\n",
    kFlags, Run};

}  // namespace huygens::cli
