// huygens recommend: what recommendations the API server has; huygens recommend simulate: what recommended requests would
// have done, on recorded use, without asking a server.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>

#include "absl/flags/declare.h"
#include "absl/flags/flag.h"
#include "base/read_file.h"
#include "cli/api_server.h"
#include "cli/command.h"
#include "cli/output_format.h"
#include "cli/recommendation_query.h"
#include "json/document.h"
#include "recommend/simulation.h"
#include "reports/recommendation_report.h"
#include "reports/table.h"

ABSL_FLAG(std::string, profile, "weekly", "how recommendations look back: weekly or daily");
ABSL_FLAG(std::string, pool, "", "those of pods of this pool");
ABSL_DECLARE_FLAG(std::string, kubeconfig);
ABSL_DECLARE_FLAG(std::string, namespace);
ABSL_DECLARE_FLAG(std::string, n);

namespace huygens::cli {

namespace {

constexpr std::string_view kRecommendName = "recommend";
constexpr size_t kMostMib = 256;

struct Workload {
  std::string name;
  recommend::Simulation simulation;
};

StatusOr<std::vector<Workload>> SimulateFolder(const std::string& folder, const recommend::Profile& profile) {
  std::error_code error;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".csv") paths.push_back(entry.path());
  }
  if (error) return NotFound(Concat(folder, ": ", error.message()));
  if (paths.empty()) return NotFound(Concat(folder, " has no file *.csv; see huygens recommend --help"));
  std::sort(paths.begin(), paths.end());
  recommend::PoolPolicy policy;
  policy.expansion = {profile.expansion, profile.expansion};
  std::vector<Workload> workloads;
  for (const std::filesystem::path& path : paths) {
    HUYGENS_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, "recorded use", kMostMib));
    const auto recorded = recommend::ParseRecordedUse(text);
    if (!recorded.ok()) return Annotate(recorded.status(), path.native());
    workloads.push_back({path.stem(), recommend::Simulate(*recorded, profile, policy)});
  }
  return workloads;
}

std::string Rounded(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

// Cores with three digits, or bytes in Mi.
std::string AmountText(double amount, size_t resource) {
  if (resource != 0) return Concat(Rounded(amount / (1 << 20), 0), "Mi");
  return Rounded(amount, amount < 1 ? 3 : amount < 10 ? 2 : amount < 100 ? 1 : 0);
}

std::string PercentText(double share) { return Concat(Rounded(100 * share, 1), "%"); }

std::string LengthText(Duration length) {
  const auto minutes = std::chrono::ceil<std::chrono::minutes>(length).count();
  if (minutes == 0) return "";
  return minutes < 120 ? Concat(std::to_string(minutes), "m") : Concat(std::to_string(minutes / 60), "h");
}

std::string ResourceText(const std::vector<Workload>& workloads, size_t resource) {
  reports::Table table({"WORKLOAD", "DAYS", "REQUESTED", "RECOMMENDED", "P50", "P95", "MAX", "SLACK", "EXCEEDED",
                        "LONGEST", "WORST DAY"});
  for (const Workload& workload : workloads) {
    const recommend::SimulatedResource& of = workload.simulation.resources[resource];
    if (of.outcome.series() == 0) continue;
    const auto amount = [&](double value) { return AmountText(value, resource); };
    table.AddRow(
        {workload.name, std::to_string(of.outcome.series()), of.requested ? amount(*of.requested) : "",
         amount(of.recommended), amount(of.median), amount(of.p95), amount(of.most),
         of.median > 0 ? PercentText(of.outcome.slack()) : "", PercentText(of.outcome.exceeded()),
         LengthText(of.longest),
         of.worst_day ? Concat(FormatRfc3339(*of.worst_day).substr(0, 10), " ", PercentText(of.worst_share)) : ""});
  }
  return table.size() == 0 ? "" : Concat("\n", resource == 0 ? "cpu" : "memory", "\n", table.Text());
}

int Print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  return kOk;
}

int RunSimulate(std::span<const std::string_view> arguments) {
  if (arguments.size() != 2) return UsageError(kRecommendName, "simulate takes a FOLDER; see --help");
  const std::string name = absl::GetFlag(FLAGS_profile);
  if (name != "weekly" && name != "daily") {
    return UsageError(kRecommendName, Concat("--profile is weekly or daily, not \"", name, "\""));
  }
  const auto workloads =
      SimulateFolder(std::string(arguments[1]), name == "daily" ? recommend::kDaily : recommend::kWeekly);
  if (!workloads.ok()) return UsageError(kRecommendName, Message(workloads.status()));
  const std::string cpu = ResourceText(*workloads, 0), memory = ResourceText(*workloads, 1);
  std::string text =
      Concat("profile ", name, ", ", std::to_string(workloads->size()),
             " workloads; each day is judged by what was recommended from the days before it\n", cpu, memory);
  if (cpu.empty() && memory.empty()) text += "no day could be judged: there must be 24 hours of history before it\n";
  return Print(text);
}

StatusOr<RecommendationQuery> ReadQuery(std::span<const std::string_view> arguments) {
  RecommendationQuery query;
  query.namespace_name = absl::GetFlag(FLAGS_n).empty() ? absl::GetFlag(FLAGS_namespace) : absl::GetFlag(FLAGS_n);
  query.pool = absl::GetFlag(FLAGS_pool);
  if (arguments.size() > 1) return Invalid("it takes one WORKLOAD, or `simulate FOLDER`; see --help");
  if (arguments.size() == 1) HUYGENS_RETURN_IF_ERROR(ReadTarget(arguments[0], query));
  return query;
}

int Run(std::span<const std::string_view> arguments) {
  if (!arguments.empty() && arguments[0] == "simulate") return RunSimulate(arguments);
  const auto query = ReadQuery(arguments);
  if (!query.ok()) return UsageError(kRecommendName, Message(query.status()));
  const auto format = OutputFlag();
  if (!format.ok()) return UsageError(kRecommendName, Message(format.status()));
  const auto api = OpenApiServer(absl::GetFlag(FLAGS_kubeconfig));
  if (!api.ok()) return UsageError(kRecommendName, Message(api.status()));
  const auto document = FindRecommendations(*api, *query, SystemClock().Now());
  if (!document.ok()) return Failed(kRecommendName, Message(document.status()));
  if (*format == OutputFormat::kJson) return Print(EncodeJson(*document) + "\n");
  if (document->recommendations.empty() && !query->name.empty()) {
    return Failed(kRecommendName,
                  Concat("there is no recommendation for ", arguments[0],
                         ": no RecommendationTemplate selects it (kubectl get recommendationtemplates), or huygens "
                         "controller has overcommit.mode off; `huygens recommend` lists all"));
  }
  return Print(reports::RecommendationsText(*document));
}

constexpr std::string_view kRecommendFlags[] = {"profile", "pool", "kubeconfig", "n", "namespace", "o"};

}  // namespace

const Command kRecommendCommand = {
    "recommend", "what pods should ask for, and what requests chosen from recorded use would have done",
    "Usage: huygens recommend [WORKLOAD] [--namespace NAMESPACE] [--pool POOL] [--kubeconfig FILE] [-o table|json]\n"
    "       huygens recommend simulate FOLDER [--profile weekly|daily]\n\n"
    "Prints the Recommendations that the API server has: what a pod was written to ask for (ORIGINAL) and asks for "
    "now,\n"
    "what pods used, what the pool's factor and what the use of it would make of that, what is saved, and whether new "
    "pods\n"
    "get it, or why not. WORKLOAD is NAME, KIND/NAME or NAMESPACE/KIND/NAME; without one it prints all. The API server "
    "is found\n"
    "as kubectl finds it: --kubeconfig, $KUBECONFIG, ~/.kube/config, or the account of its pod.\n\n"
    "  huygens recommend deployment/cart -n shop\n"
    "  huygens recommend --pool shared -o json\n\n"
    "simulate plays recommendations over the recorded use of workloads, a file NAME.csv in FOLDER for each. It asks no "
    "server "
    "and "
    "changes nothing.\n"
    "Every midnight (UTC), from 24 hours of history on, the workload's pods are taken to be created anew with what is "
    "recommended from all\n"
    "that came before, and the day is judged by what they then used.\n\n"
    "The first line of a file names its columns: time (seconds since 1970, or RFC 3339), cpu (cores), memory (bytes), "
    "of "
    "a pod; if recorded,\n"
    "cpuRequest and memoryRequest, above which nothing is recommended. Other columns are passed over.\n\n"
    "  SLACK      requested and not used, by what was used\n"
    "  EXCEEDED   share of the time in which use was above the request; LONGEST at a stretch; WORST DAY and its "
    "share\n\n"
    "  huygens recommend simulate recordings --profile daily\n\n"
    "Exit codes: 0 printed or simulated, 1 there is no such recommendation, or the API server did not answer, 2 wrong "
    "usage, or a file that cannot be understood.\n",
    kRecommendFlags, Run};

}  // namespace huygens::cli
