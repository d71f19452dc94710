// huygens controller: reads the configuration and keeps the status of groups until a signal ends it.
#include "cli/command.h"
#include "cli/service_command.h"
#include "controller/controller.h"

namespace huygens::cli {

namespace {

int Run(std::span<const std::string_view> arguments) {
  return RunService("controller", arguments, controller::StartController);
}

constexpr std::string_view kFlags[] = {"config"};

}  // namespace

const Command kControllerCommand = {
    "controller", "count what groups use, and their hours",
    "Usage: huygens controller --config FILE\n\n"
    "Keeps the status of BizGroupResourceQuotas: counts what workloads and children use, takes back what ended and\n"
    "what was charged for nothing, and counts hours. It needs an API server (cluster.kubernetes). Of several "
    "instances\n"
    "one leads, by a Lease (controller.lease); the others follow the cluster and stand by. It adds the finalizer\n"
    "quota.huygens.dev/in-use to groups, so that the hours of one that is deleted stay with its parent. The\n"
    "configuration is that of `huygens extender`; of it server.adminAddress, cluster, quota.gpuResources,\n"
    "webhook.includeSurge, controller and log count.\n\n"
    "Exit codes: 0 stopped by a signal, 1 could not start (the log says why), 2 the configuration cannot be used, "
    "3 out of memory.\n",
    kFlags, Run};

}  // namespace huygens::cli
