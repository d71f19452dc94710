// huygens webhook: reads the configuration and answers admission reviews until a signal ends it.
#include "cli/command.h"
#include "cli/service_command.h"
#include "webhook/webhook.h"

namespace huygens::cli {

namespace {

int Run(std::span<const std::string_view> arguments) { return RunService("webhook", arguments, webhook::StartWebhook); }

constexpr std::string_view kFlags[] = {"config"};

}  // namespace

const Command kWebhookCommand = {
    "webhook", "answer admission reviews by the budgets of groups",
    "Usage: huygens webhook --config FILE\n\n"
    "Answers the AdmissionReviews (admission.k8s.io/v1) that are posted to /validate: whether a workload, a scale, an\n"
    "autoscaler or a BizGroupResourceQuota fits. From a directory of manifests (cluster.manifests) it says what would\n"
    "be refused and writes nothing. From an API server it writes each charge into the status of the group before it\n"
    "says yes; `huygens controller` takes back what ends. The configuration is that of `huygens extender`; of it\n"
    "server, cluster, quota, webhook and log count.\n\n"
    "  curl -d @review.json http://127.0.0.1:8888/validate\n\n"
    "Exit codes: 0 stopped by a signal, 1 could not start (the log says why), 2 the configuration cannot be used, "
    "3 out of memory.\n",
    kFlags, Run};

}  // namespace huygens::cli
