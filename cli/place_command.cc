// huygens place: places the pods of a file through a running huygens, and prints where each went and why.
#include <chrono>
#include <cstdio>
#include <string>

#include "absl/flags/flag.h"
#include "cli/command.h"
#include "cli/output_format.h"
#include "cli/place_report.h"

ABSL_FLAG(std::string, f, "", "manifest file or directory with the pods to place");
ABSL_FLAG(std::string, url, "http://127.0.0.1:8888", "server.address of the huygens to ask, with its path prefix");
ABSL_FLAG(std::string, ca_file, "", "authority of the server's certificate (https)");
ABSL_FLAG(std::string, cert_file, "", "client certificate (https)");
ABSL_FLAG(std::string, key_file, "", "key of the client certificate (https)");

namespace huygens::cli {

namespace {

constexpr std::string_view kName = "place";

// One line a second on standard error, from the first second on.
class Progress {
 public:
  explicit Progress(size_t total) : total_(total) {}
  void Done() {
    ++done_;
    auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::seconds(1)) return;
    last_ = now;
    std::fprintf(stderr, "huygens place: %zu of %zu pods\n", done_, total_);
  }

 private:
  size_t total_, done_ = 0;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

void Note(const PodManifest& pod) {
  for (const std::string& field : pod.not_looked_at) {
    std::fprintf(stderr, "huygens place: note: %s has %s, which place does not look at\n", pod.pod.Key().c_str(),
                 field.c_str());
  }
  for (const std::string& ignored : pod.not_understood) {
    std::fprintf(stderr, "huygens place: note: %s: %s\n", pod.pod.Key().c_str(), ignored.c_str());
  }
}

int Run(std::span<const std::string_view> arguments) {
  if (!arguments.empty()) return UsageError(kName, Concat("unexpected argument ", arguments[0], "; see --help"));
  const std::string path = absl::GetFlag(FLAGS_f);
  if (path.empty()) return UsageError(kName, "-f FILE is needed; see --help");
  auto format = OutputFlag();
  if (!format.ok()) return UsageError(kName, Message(format.status()));
  ResourceNames names;
  auto pods = ReadPods(path, names);
  if (!pods.ok()) return UsageError(kName, Message(pods.status()));
  auto verbs = Remote::Open({.url = absl::GetFlag(FLAGS_url),
                             .flag = "--url",
                             .ca_file = absl::GetFlag(FLAGS_ca_file),
                             .cert_file = absl::GetFlag(FLAGS_cert_file),
                             .key_file = absl::GetFlag(FLAGS_key_file)});
  if (!verbs.ok()) return UsageError(kName, Message(verbs.status()));
  auto admin = Remote::Open({.url = absl::GetFlag(FLAGS_admin_url), .flag = "--admin-url"});
  if (!admin.ok()) return UsageError(kName, Message(admin.status()));

  StandInScheduler scheduler(*verbs, *admin, names);
  Status status = scheduler.Start();
  std::vector<PodOutcome> outcomes;
  bool all_decided = true;
  Progress progress(pods->size());
  for (const PodManifest& pod : *pods) {
    if (!status.ok()) break;
    Note(pod);
    auto outcome = scheduler.Place(pod);
    if (!outcome.ok()) {
      status = Annotate(outcome.status(), pod.pod.Key());
      break;
    }
    all_decided = all_decided && outcome->error.empty();
    outcomes.push_back(*std::move(outcome));
    progress.Done();
  }
  // What was placed before a failure stays placed, so it is shown.
  if (status.ok() || !outcomes.empty()) {
    const std::string text = *format == OutputFormat::kTable ? PlaceTable(outcomes) : PlaceJson(outcomes);
    std::fwrite(text.data(), 1, text.size(), stdout);
  }
  if (!status.ok()) return Failed(kName, Message(status));
  return all_decided ? kOk : kFailed;
}

constexpr std::string_view kFlags[] = {"f", "url", "admin_url", "o", "ca_file", "cert_file", "key_file"};

}  // namespace

const Command kPlaceCommand = {
    "place", "place the pods of a file through a running huygens, as kube-scheduler would",
    "Usage: huygens place -f PODS.yaml [--url URL] [--admin-url URL] [-o table|json] [--ca-file F] [--cert-file F "
    "--key-file F]\n\n"
    "A small stand-in for kube-scheduler, for trying huygens out: for each pod, in the order of the file, it takes the "
    "nodes with enough\n"
    "unrequested resources, asks the extender's filter and prioritize, binds the pod to the best node (ties by name) "
    "and prints what came\n"
    "of it. Selectors, affinity, taints and the like are not looked at; a note on standard error says so of each pod, "
    "and which of its labels\n"
    "and annotations nobody understands. Pods without a UID get one. Pods are really bound. Against a huygens that "
    "serves a Kubernetes\n"
    "cluster use `kubectl huygens place -f FILE`, which creates the pods and lets kube-scheduler place them: one that "
    "exists there has another\n"
    "UID than a file without any gives it, and its bind is refused.\n\n"
    "  huygens place -f config/samples/pods.yaml --url http://127.0.0.1:8888 --admin-url http://127.0.0.1:8889\n\n"
    "SCORE is what prioritize answered: maxScore x (sum of weight x opinion) / (sum of weights), over the terms that "
    "have an opinion of\n"
    "the node (0 = worst, 1 = best), rounded; 0 where no term has one. `huygens explain POD` shows the opinions.\n\n"
    "Exit codes: 0 every pod was decided on (also those that fit nowhere), 1 a verb answered an error or the server "
    "could not be reached,\n"
    "2 wrong usage, or a file that cannot be read.\n",
    kFlags, Run};

}  // namespace huygens::cli
