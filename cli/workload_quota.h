// huygens quota explain deployment/x: what a workload costs its group, and the groups above with what they have left, as
// the API server has them now. One thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "cli/api_server.h"

namespace huygens::cli {

struct WorkloadArgument {
  std::string group, kind;  // "apps", "Deployment"
  std::string path;         // "/apis/apps/v1/namespaces/%/deployments"; '%' stands for the namespace
  std::string name;
};
// "deployment/web", "sts/db", "job/x", ...; nothing where the text before '/' is no kind of workloads.
std::optional<WorkloadArgument> ReadWorkloadArgument(std::string_view given);

// NotFound: there is no such workload.
StatusOr<std::string> WorkloadQuotaText(const ApiCall& call, const WorkloadArgument& workload,
                                        const std::string& space);

}  // namespace huygens::cli
