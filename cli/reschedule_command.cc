// huygens reschedule plan|status|report|stop|resume: what a running huygens moves, and the switch that stops it.
#include <cstdio>
#include <string>

#include "absl/flags/declare.h"
#include "absl/flags/flag.h"
#include "cli/api_server.h"
#include "cli/command.h"
#include "cli/output_format.h"
#include "cli/remote.h"
#include "json/append.h"
#include "json/document.h"
#include "kube/api_call.h"
#include "reports/reschedule_report.h"

ABSL_DECLARE_FLAG(std::string, kubeconfig);
ABSL_FLAG(std::string, reason, "", "of `stop`: why, for whoever finds moves stopped");
ABSL_FLAG(std::string, day, "", "of `report`: YYYY-MM-DD, by default today");
ABSL_FLAG(std::string, rescheduler_namespace, "kube-system", "rescheduler.namespace of the configuration");

namespace huygens::cli {

namespace {

constexpr std::string_view kName = "reschedule";

int Show(std::string_view what, OutputFormat format) {
  auto admin = OpenAdmin();
  if (!admin.ok()) return UsageError(kName, Message(admin.status()));
  const auto json = admin->Get("/debug/reschedule");
  if (!json.ok()) return Failed(kName, Message(json.status()));
  const auto document = DecodeJson<admin_api::RescheduleDocument>(*json);
  if (!document.ok()) return Failed(kName, Message(Annotate(document.status(), "answer of /debug/reschedule")));
  const std::string text = format == OutputFormat::kJson ? *json
                           : what == "plan"              ? reports::ReschedulePlanText(*document)
                                                         : reports::RescheduleStatusText(*document);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return kOk;
}

// Sets the annotation of the ConfigMap huygens-moves, which is made where it is not there; null: takes it away.
int Switch(bool stop) {
  auto api = OpenApiServer(absl::GetFlag(FLAGS_kubeconfig));
  if (!api.ok()) return UsageError(kName, Message(api.status()));
  const std::string space = absl::GetFlag(FLAGS_rescheduler_namespace);
  if (!kube::IsObjectName(space)) return UsageError(kName, Concat("--rescheduler-namespace: no namespace is ", space));
  std::string value = "null";
  if (stop) {
    const std::string reason = absl::GetFlag(FLAGS_reason);
    value.clear();
    AppendJsonString(value, reason.empty() ? "stopped by huygens reschedule stop" : reason);
  }
  const std::string metadata =
      Concat("\"metadata\":{\"name\":\"huygens-moves\",\"annotations\":{\"huygens.dev/stop\":", value, "}}");
  const std::string list = Concat("/api/v1/namespaces/", space, "/configmaps");
  auto reply = (*api)("PATCH", list + "/huygens-moves", Concat("{", metadata, "}"), "application/merge-patch+json");
  if (reply.ok() && reply->code == 404 && stop) {
    reply = (*api)("POST", list, Concat("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",", metadata, "}"), kJsonType);
  }
  if (!reply.ok()) return Failed(kName, Message(reply.status()));
  if (!kube::Succeeded(*reply) && !(reply->code == 404 && !stop)) return Failed(kName, kube::ExplainReply(*reply));
  std::puts(stop ? "no move begins any more, within seconds; those under way are brought to their end"
                 : "moves may begin again, within seconds");
  return kOk;
}

// DAY.txt of the ConfigMap huygens-moves.
int Report(OutputFormat format) {
  auto api = OpenApiServer(absl::GetFlag(FLAGS_kubeconfig));
  if (!api.ok()) return UsageError(kName, Message(api.status()));
  const std::string space = absl::GetFlag(FLAGS_rescheduler_namespace);
  if (!kube::IsObjectName(space)) return UsageError(kName, Concat("--rescheduler-namespace: no namespace is ", space));
  std::string day = absl::GetFlag(FLAGS_day);
  if (day.empty()) day = FormatRfc3339(SystemClock().Now()).substr(0, 10);
  const auto object = GetObject(*api, Concat("/api/v1/namespaces/", space, "/configmaps/huygens-moves"));
  if (!object.ok()) return Failed(kName, Message(Annotate(object.status(), "configmap huygens-moves")));
  const std::string wanted = Concat(day, format == OutputFormat::kJson ? ".json" : ".txt");
  std::string days;
  const auto text = DecodeObject<std::string>(*object, [&](JsonReader& in, std::string& out) {
    return in.Fields("data", [&] {
      return in.Members([&](const JsonKey& key) {
        if (key.text.ends_with(".txt")) days += Concat(" ", key.text.substr(0, key.text.size() - 4));
        return key.text == wanted ? in.Read(out) : absl::OkStatus();
      });
    });
  });
  if (!text.ok()) return Failed(kName, Message(text.status()));
  if (text->empty())
    return Failed(kName, Concat("there is no report of ", day, days.empty() ? "" : Concat("; there are", days)));
  std::fwrite(text->data(), 1, text->size(), stdout);
  return kOk;
}

int Run(std::span<const std::string_view> arguments) {
  if (arguments.size() != 1) return UsageError(kName, "it takes plan, status, report, stop or resume; see --help");
  const std::string_view what = arguments[0];
  const auto format = OutputFlag();
  if (!format.ok()) return UsageError(kName, Message(format.status()));
  if (what == "plan" || what == "status") return Show(what, *format);
  if (what == "report") return Report(*format);
  if (what == "stop" || what == "resume") return Switch(what == "stop");
  return UsageError(kName, Concat("there is no `", what, "`: plan, status, report, stop or resume; see --help"));
}

constexpr std::string_view kFlags[] = {"reason", "rescheduler_namespace", "kubeconfig", "admin_url", "token_file", "o"};

}  // namespace

const Command kRescheduleCommand = {
    "reschedule", "what is moved to other nodes, and why; stop it",
    "Usage: huygens reschedule plan|status [--admin-url URL] [--token-file FILE] [-o table|json]\n"
    "       huygens reschedule report [--day YYYY-MM-DD] [--kubeconfig FILE] [--rescheduler-namespace NAME] [-o "
    "table|json]\n"
    "       huygens reschedule stop [--reason TEXT] [--kubeconfig FILE] [--rescheduler-namespace NAME]\n"
    "       huygens reschedule resume [--kubeconfig FILE] [--rescheduler-namespace NAME]\n\n"
    "plan    which pods stand wrong, where they are to go and what holds them, and what nothing can be done about\n"
    "status  moves under way, the last that ended, and what held others back\n"
    "report  what was moved on a day (UTC), what came of it, and what was not moved and why; by default of today so "
    "far\n"
    "stop    no move begins any more, in any instance, by the annotation huygens.dev/stop of the ConfigMap "
    "huygens-moves\n"
    "resume  takes the annotation away\n\n"
    "  huygens reschedule plan --admin-url http://127.0.0.1:8889\n"
    "  huygens reschedule stop --reason \"incident 4711\"\n\n"
    "Exit codes: 0 done, 1 the server could not be reached or refused, 2 wrong usage.\n",
    kFlags, Run};

}  // namespace huygens::cli
