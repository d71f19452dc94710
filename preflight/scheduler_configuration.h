// KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1), as far as it is about extenders and who leads. Safe on
// any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/time.h"

namespace huygens::preflight {

struct SchedulerExtender {
  std::string url_prefix;
  std::string filter_verb, prioritize_verb, preempt_verb, bind_verb;
  int64_t weight = 0;
  bool enable_https = false;
  bool node_cache_capable = false;
  bool ignorable = false;
  Duration http_timeout = std::chrono::seconds(5);  // kube-scheduler's default
  size_t managed_resources = 0;
  struct Tls {
    bool insecure = false;
    std::string server_name, cert_file, key_file, ca_file;
    bool cert_data = false, key_data = false, ca_data = false;  // whether there is any
  } tls;
};

struct SchedulerConfiguration {
  std::string kind;
  std::optional<int64_t> percentage_of_nodes_to_score;  // of all profiles without one of their own
  std::vector<std::optional<int64_t>> profiles;         // each one's own
  std::vector<SchedulerExtender> extenders;
  struct LeaderElection {
    bool leader_elect = true;
    std::string namespace_name = "kube-system", name = "kube-scheduler";  // of the Lease; kube-scheduler's defaults
  } leader_election;
};

// Fails where a field is not of its kind.
StatusOr<SchedulerConfiguration> DecodeSchedulerConfiguration(std::string_view json);

}  // namespace huygens::preflight
