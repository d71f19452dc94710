// huygens preflight: what a configuration needs against what the cluster has.
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "absl/flags/declare.h"
#include "absl/flags/flag.h"
#include "base/time.h"
#include "cli/command.h"
#include "cli/output_format.h"
#include "preflight/preflight.h"
#include "preflight/report.h"
#include "settings/yaml.h"

ABSL_DECLARE_FLAG(std::string, config);
ABSL_FLAG(std::string, scheduler_config, "", "kube-scheduler's configuration, to be checked too");
ABSL_FLAG(std::string, kubeconfig, "", "credentials of `huygens preflight`, instead of the configuration's");
ABSL_FLAG(std::string, account, "", "NAMESPACE/NAME of the service account that huygens will have");
ABSL_FLAG(std::string, kubelets, "20", "how many kubelets are asked for their own configuration");

namespace huygens::cli {

namespace {

constexpr std::string_view kName = "preflight";

// Says on standard error what is under way, once all of it has taken longer than a second.
class Progress {
 public:
  Progress() : thread_([this](const std::stop_token& stop) { Wait(stop); }) {}

  void Tell(std::string_view what) {
    const std::lock_guard lock(mutex_);
    what_ = what;
    if (late_) Print();
  }

 private:
  void Wait(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    if (stopped_.wait_for(lock, stop, std::chrono::seconds(1), [&] { return stop.stop_requested(); })) return;
    late_ = true;
    Print();
  }
  void Print() const { std::fprintf(stderr, "huygens preflight: %s ...\n", what_.c_str()); }

  std::mutex mutex_;
  std::condition_variable_any stopped_;
  std::string what_;
  bool late_ = false;
  std::jthread thread_;
};

int Run(std::span<const std::string_view> arguments) {
  if (!arguments.empty()) return UsageError(kName, Concat("unexpected argument ", arguments[0], "; see --help"));
  const auto format = OutputFlag();
  if (!format.ok()) return UsageError(kName, Message(format.status()));
  const std::string path = absl::GetFlag(FLAGS_config);
  if (path.empty()) return UsageError(kName, "--config FILE is needed: the configuration that huygens will run with");
  preflight::Options options{.scheduler_config = absl::GetFlag(FLAGS_scheduler_config),
                             .kubeconfig = absl::GetFlag(FLAGS_kubeconfig),
                             .config = path,
                             .account = absl::GetFlag(FLAGS_account)};
  const std::string kubelets = absl::GetFlag(FLAGS_kubelets);
  const auto [end, error] = std::from_chars(kubelets.data(), kubelets.data() + kubelets.size(), options.kubelets);
  if (error != std::errc() || end != kubelets.data() + kubelets.size()) {
    return UsageError(kName, "--kubelets takes a whole number");
  }
  const size_t slash = options.account.find('/');
  if (!options.account.empty() && (slash == std::string::npos || slash == 0 || slash + 1 == options.account.size() ||
                                   slash != options.account.rfind('/'))) {
    return UsageError(kName, "--account takes NAMESPACE/NAME, such as kube-system/huygens");
  }
  const auto configuration = settings::LoadConfiguration(path);
  if (!configuration.ok()) return UsageError(kName, Message(configuration.status()));

  Progress progress;
  const preflight::Findings findings =
      preflight::Run(*configuration, options, SystemClock(), [&](std::string_view what) { progress.Tell(what); });
  const std::string text =
      *format == OutputFormat::kJson ? preflight::ReportJson(findings) : preflight::ReportText(findings);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return preflight::ExitCode(findings);
}

constexpr std::string_view kFlags[] = {"config", "scheduler_config", "kubeconfig", "account", "kubelets", "o"};

}  // namespace

const Command kPreflightCommand = {
    "preflight", "check what a configuration needs against what the cluster has",
    "Usage: huygens preflight --config FILE [--scheduler-config FILE] [--kubeconfig FILE] [--account NAMESPACE/NAME]\n"
    "                         [--kubelets COUNT] [-o table|json]\n\n"
    "Reads the cluster as `huygens extender --config FILE` would, before anything is switched on, and prints what is "
    "missing: topology\n"
    "objects of nodes and their attributes, kubelets that are configured otherwise than assumed, real use that nothing "
    "measures, business\n"
    "groups that do not exist, permissions, settings of kube-scheduler that do not fit, certificates that end. Each "
    "finding says why it\n"
    "matters and what mends it. Nothing is changed: access reviews, which store nothing, are all that is created.\n\n"
    "  --scheduler-config FILE   kube-scheduler's configuration file: its entry for huygens is checked, too\n"
    "  --kubeconfig FILE         credentials for this run, where huygens' own are elsewhere; files that the "
    "configuration names\n"
    "                            and that are not on this machine are then not looked at\n"
    "  --account NAMESPACE/NAME  whose permissions count: the service account that huygens will have\n"
    "  --kubelets COUNT          so many kubelets are asked for their own configuration (20)\n\n"
    "  huygens preflight --config extender.yaml --kubeconfig ~/.kube/config --account kube-system/huygens\n\n"
    "Exit codes: 0 all is well, 1 warnings, 2 errors: pods would not be scheduled, or huygens would not start; also "
    "wrong usage, or a\n"
    "configuration that cannot be used.\n",
    kFlags, Run};

}  // namespace huygens::cli
